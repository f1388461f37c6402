/** The selected picture, large: its caption, its nearest example, and the pixel that is traced. */
import {
  type Current,
  currentFrame,
  examplesOf,
  frameIndex,
  hasNewTiles,
  isTexture,
  isTraced,
  type PageState,
  pixelIn,
  pixelOf,
  seedBytes,
  selectedTile,
  type TileState,
} from "../state/page_state.ts";
import { areaOf } from "../../../core/shape.ts";
import { agreementOf, strayingOf } from "../state/following.ts";
import type { Agreement } from "../state/seed_agreement.ts";
import type { Session } from "../state/session.ts";
import type { Store } from "../state/store.ts";
import { copyOf, newness, whyCopied } from "./copies.ts";
import { byId } from "./element.ts";
import { frameName, sides } from "./film_strip.ts";
import { cellAfterKey } from "./levels.ts";
import { type Mark, showMarks } from "./marks.ts";
import { paint } from "./picture.ts";
import { patchMarks } from "./pixel_sources.ts";
import { choosePixel, pointing, windowMarks } from "./pointing.ts";

/** Shows the selected picture, and lets the visitor choose a pixel of it. */
export function stageView(store: Store<PageState>, session: Session): void {
  store.watch(["current", "tiles", "playhead"], (state) => {
    if (hasNewTiles(state)) showPicture(state);
  });
  store.watch(["current", "tiles", "playhead", "trace", "selected", "busy", "pointed"], (state) => {
    const frame = currentFrame(state), { current } = state;
    if (frame && current && hasNewTiles(state)) {
      showMarks(byId("marks") as unknown as Element, frame.shape, marksOf(state, current));
    }
  });

  const stage = byId("stage");
  pointing(stage, byId("picture"), store, session, () => currentFrame(store.state)?.shape);
  stage.addEventListener("keydown", (event) => {
    const frame = currentFrame(store.state), { current } = store.state;
    const next = frame && current && cellAfterKey(pixelIn(current, frame.shape), event.key, frame.shape);
    if (!frame || !next || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    choosePixel(store, session, frame.shape, next);
  });
}

function showPicture(state: PageState): void {
  const tile = selectedTile(state), index = frameIndex(state), frame = tile?.frames[index];
  if (!tile || !frame) return;
  const name = frameName(frame, index === 0 && !frame.noise),
    result = index === tile.frames.length - 1 ? tile.result : undefined;
  const previews = document.querySelectorAll<HTMLCanvasElement>(".preview");
  for (const canvas of [byId<HTMLCanvasElement>("picture"), ...previews]) paint(canvas, frame.shape, frame.pixels);
  byId("stage").classList.toggle("tiling", state.current?.planned.tile !== undefined);
  byId("stage").setAttribute("aria-label", `Picture, ${name}, ${sides(frame.shape)} pixels`);
  const isSeeded = !tile.frames.some(({ noise }) => noise), { current } = state;
  showAgreement(result ? sentenceOf(current!, agreementOf(current!, tile)) : "");
  showNewness(name, result, current!.pack, isSeeded ? ` ${whyCopied(examplesOf(current!))}` : "");
  const nearest = byId<HTMLCanvasElement>("nearest");
  if (result?.nearest) paint(nearest, frame.shape, result.nearest.pixels);
  nearest.hidden = !result?.nearest;
}

/** Says in words how new a finished picture is, and on demand in numbers; of others, which frame it is. */
function showNewness(name: string, result: TileState["result"], pack: Current["pack"], why: string): void {
  const nearest = result?.nearest, copy = result && copyOf(result, pack);
  byId("copy").hidden = !copy;
  byId("copy").textContent = copy ? copy.sentence + why : "";
  byId("caption").textContent = copy ? "" : nearest ? newness(nearest, pack) : `${name}.`;
  byId("numbers").hidden = !nearest;
  if (!nearest) return;
  const [own, others] = [nearest.distance, nearest.trainingDistance].map((distance) => distance.toFixed(2));
  byId("distances").textContent = `${name}. The distance to this example is ${own}; a copy has 0. ` +
    `From that example to the one most like it, it is ${others}.`;
}

/** Shows the sentence below the picture, and on phones below the drawing. It is not said again while it stays the same. */
function showAgreement(sentence: string): void {
  for (const box of document.querySelectorAll<HTMLElement>(".agreement")) {
    box.hidden = sentence === "";
    if (box.textContent !== sentence) box.textContent = sentence;
  }
}

/** A sentence where a picture hardly follows its seed image. */
function sentenceOf(current: Current, agreement: Agreement | undefined): string {
  if (!agreement) return "";
  const { choices, pack } = current, bytes = seedBytes(current), area = areaOf(pack.seeds.shape);
  if (bytes.every((byte, v) => byte === bytes[v - v % area])) {
    return "All squares are the same, so the picture has nothing to follow: paint some squares.";
  }
  const straying = strayingOf(agreement, current);
  if (!straying) return "";
  const others = pack.classes.length > 1 ? "choose another class or all, or " : "";
  const isDrawn = choices.seedImage instanceof Uint8Array, guided = isDrawn && !pack.transparent;
  const ways = `${others}${guided ? "paint as the dots show" : "press New or Another"}`;
  return straying === "colours"
    ? `The picture has other colours than its squares: no example has these colours there. Try this: ${ways}.`
    : `The picture hardly follows its squares: the examples have nothing like them. Try this: ${ways}.`;
}

/** The patches of the trace, and the chosen pixel. The pixel is marked alone until its patches are known. */
function marksOf(state: PageState, current: Current): Mark[] {
  const frame = currentFrame(state)!, { y, x } = pixelOf(current), { trace, selected, busy } = state;
  if (frame.noise) {
    return windowMarks(state.pointed ?? pixelIn(current, frame.shape), frame.noise.window, frame.shape);
  }
  const patches = trace && isTraced(state, frame) && trace.at.y === y && trace.at.x === x;
  const inspected = current.choices.frame ? frame : selectedTile(state)!.frames.at(-1);
  const chosen = !isTexture(current) || current.choices.pixel !== undefined;
  const pixel = chosen ? ["edge", "pixel"].map((kind) => ({ y, x, height: 1, width: 1, kind })) : [];
  return [...patches ? patchMarks(trace, selected) : [], ...!busy && frame === inspected ? pixel : []];
}
