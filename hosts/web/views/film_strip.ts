/** The film of the selected tile: one small picture for each iteration, grouped by layers. Visitors read of rounds and sizes. */
import type { Shape } from "../../../core/shape.ts";
import {
  frameIndex,
  hasNewTiles,
  isFromNoise,
  isPlaying,
  type PageState,
  selectedTile,
  type TileFrame,
  type TileNoise,
} from "../state/page_state.ts";
import { chooseFrame, endFilm, toggleFilm } from "../state/film.ts";
import type { Session } from "../state/session.ts";
import type { Store } from "../state/store.ts";
import { byId, element } from "./element.ts";
import { percentOf } from "./percent.ts";
import { paint } from "./picture.ts";

/** Shows the film. `play` plays it from the playhead of the state on. */
export function filmStripView(store: Store<PageState>, session: Session, play: () => void): void {
  store.watch(["current", "tiles", "playhead"], (state) => {
    const tile = selectedTile(state);
    if (!tile || !hasNewTiles(state)) return;
    document.querySelector<HTMLElement>(".film-row")!.hidden = tile.result !== undefined && tile.frames.length < 2;
    // The steps have a button of their own, beside their slider.
    byId("play").hidden = isFromNoise(state.current!) && tile.frames.some(({ noise }) => noise);
    showFilm(tile.frames, frameIndex(state), (i) => chooseFrame(store, session, selectedTile(store.state)!.frames[i]));
  });
  playButton("play", "Play all rounds", store, () => toggleFilm(store, session, play));
  addEventListener("keydown", ({ key }) => {
    if (key === "Escape" && !document.querySelector("dialog[open]")) endFilm(store);
  });
}

/** Sets a button up that plays the film, and pauses it while it plays. `name`: its accessible name while it does not. */
export function playButton(id: string, name: string, store: Store<PageState>, toggle: () => void): void {
  const button = byId(id);
  store.watch(["current", "tiles", "playhead", "busy"], (state) => {
    const [text, label] = isPlaying(state) ? ["Pause", "Pause the film"] : ["Play", name];
    if (button.textContent === text) return;
    button.textContent = text;
    button.setAttribute("aria-label", label);
  });
  button.addEventListener("click", toggle);
}

/** Shows a group of frames for each layer. A film that goes on keeps its frames: to make all anew at each message took seconds. */
function showFilm(frames: readonly TileFrame[], chosen: number, change: (frame: number) => void): void {
  const film = byId("film"),
    inputs = [...film.querySelectorAll("input")],
    nameOf = (frame: TileFrame) => {
      return frameName(frame, frame.layer === frames[0].layer && !frame.noise);
    };
  const goesOn = inputs.every((input, i) => {
    return frames[i] && input.value === valueOf(frames[i]) && input.getAttribute("aria-label") === nameOf(frames[i]);
  });
  const focused = film.contains(document.activeElement);
  if (!goesOn) film.replaceChildren();
  for (let i = goesOn ? inputs.length : 0; i < frames.length; i++) {
    const label = labelOf(frames[i], nameOf(frames[i]));
    label.querySelector("input")!.addEventListener("change", () => change(i));
    groupOf(film, frames[i], frames[0]).append(label);
  }
  if (focused && !goesOn) film.querySelectorAll("input")[chosen]?.focus();
  film.querySelectorAll("label").forEach((label, i) => {
    paint(label.querySelector("canvas")!, frames[i].shape, frames[i].pixels);
    const input = label.querySelector("input")!;
    if (i === chosen) input.checked = true;
  });
}

/** What stands for a frame among the others: its layer and iteration. */
function valueOf({ layer, iteration }: TileFrame): string {
  return `${layer}.${iteration}`;
}

/** The small picture of a frame, to choose it by. */
function labelOf(frame: TileFrame, name: string): HTMLElement {
  const input = element("input", { type: "radio", name: "frame", value: valueOf(frame), "aria-label": name });
  return element("label", { className: "choice", title: name }, input, element("canvas"));
}

/**
 * Returns where the frames of a frame's layer stand: in the film's last group, or a new one with the sides before and after the layer.
 * `first` is the film's first frame, the seed image.
 */
function groupOf(film: HTMLElement, frame: TileFrame, first: TileFrame): Element {
  const { shape, layer, noise, iteration } = frame, last = film.lastElementChild;
  if (last?.getAttribute("data-layer") === String(layer)) return last.firstElementChild!;
  const isSeed = frame === first && !noise, halved = { height: shape.height / 2, width: shape.width / 2 };
  const from = noise ? "noise" : sides(halved), seedTitle = iteration < 0 ? "seed image" : "picture";
  const title = isSeed ? seedTitle : `${from} \u2192 ${sides(shape)}`, group = element("div", { className: "frames" });
  const properties = { className: isSeed ? "seeded" : "", "data-layer": layer };
  film.append(element("fieldset", properties, group, element("p", {}, title)));
  return group;
}

/** The name of a frame. */
export function frameName({ iteration, shape, noise }: TileFrame, isSeed: boolean): string {
  if (noise) return stepName({ iteration, noise });
  if (isSeed) return iteration < 0 ? "Seed image" : "Pieces of your picture";
  return iteration < 0 ? `Enlarged to ${sizeText(shape)}` : `${sizeText(shape)}, round ${iteration + 1}`;
}

/** Names a step by its number and its noise. */
export function stepName({ iteration, noise }: Pick<TileFrame, "iteration"> & { readonly noise: TileNoise }): string {
  return `Step ${iteration + 1} of ${noise.steps}, ${percentOf(1 - noise.alphaBar)} noise`;
}

/** Writes the size of a picture. */
export function sizeText({ height, width }: Pick<Shape, "height" | "width">): string {
  return `${width}\u00d7${height}`;
}

/** Writes the sides of a picture: one number if it is square. */
export function sides({ height, width }: Pick<Shape, "height" | "width">): string {
  return height === width ? String(width) : `${width}x${height}`;
}
