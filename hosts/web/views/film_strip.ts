/** The film of the selected tile: one small picture for each iteration, grouped by layers. Visitors read of rounds and sizes. */
import type { Shape } from "../../../core/shape.ts";
import {
  currentFrame,
  frameIndex,
  hasNewTiles,
  isFromNoise,
  type PageState,
  selectedTile,
  type TileFrame,
  type TileNoise,
} from "../state/page_state.ts";
import type { Session } from "../state/session.ts";
import type { Store } from "../state/store.ts";
import { byId, element } from "./element.ts";
import { percentOf } from "./percent.ts";
import { paint } from "./picture.ts";

/** Shows the film. `play` plays it from the playhead of the state on. */
export function filmStripView(store: Store<PageState>, session: Session, play: () => void): void {
  /** Chooses a frame, and the pixel at the same place in it. The default is the last frame. */
  const choose = (frame: TileFrame) => {
    const { layer, iteration, shape } = frame, { choices: { pixel } } = store.state.current!;
    const now = currentFrame(store.state), tile = selectedTile(store.state);
    const last = tile?.result !== undefined && frame === tile.frames.at(-1);
    const scale = shape.width / (now?.shape.width ?? shape.width);
    session.change({
      frame: last ? undefined : { layer, iteration },
      pixel: pixel && { y: Math.floor(pixel.y * scale), x: Math.floor(pixel.x * scale) },
    });
  };
  store.watch(["current", "tiles", "playhead"], (state) => {
    const tile = selectedTile(state);
    if (!tile || !hasNewTiles(state)) return;
    document.querySelector<HTMLElement>(".film-row")!.hidden = tile.result !== undefined && tile.frames.length < 2;
    // The steps have a button of their own, beside their slider.
    byId("play").hidden = isFromNoise(state.current!) && tile.frames.some(({ noise }) => noise);
    showFilm(tile.frames, frameIndex(state), (i) => choose(selectedTile(store.state)!.frames[i]));
  });
  const film = byId("film");
  const cutEnds = () => showCutEnds(film);
  film.addEventListener("scroll", cutEnds);
  new ResizeObserver(cutEnds).observe(film);
  byId("play").addEventListener("click", () => replay(store, session, play));
}

/** Plays the film from its beginning. */
export function replay(store: Store<PageState>, session: Session, play: () => void): void {
  store.change({ playhead: 0 });
  session.change({ frame: undefined });
  play();
}

/** Draws a group of frames for each layer, with the sides before and after it. */
function showFilm(frames: readonly TileFrame[], chosen: number, change: (frame: number) => void): void {
  const film = byId("film"), inputs = [...film.querySelectorAll("input")];
  const complete = inputs.length === frames.length &&
    inputs.every((input, i) => input.value === `${frames[i].layer}.${frames[i].iteration}`);
  if (!complete) {
    const focused = film.contains(document.activeElement), layers = [...new Set(frames.map(({ layer }) => layer))];
    film.replaceChildren(...layers.map((layer) => layerOf(frames.filter((frame) => frame.layer === layer), frames[0])));
    film.querySelectorAll("input").forEach((input, i) => input.addEventListener("change", () => change(i)));
    if (focused) film.querySelectorAll("input")[chosen]?.focus();
  }
  showCutEnds(film);
  film.querySelectorAll("label").forEach((label, i) => {
    paint(label.querySelector("canvas")!, frames[i].shape, frames[i].pixels);
    const input = label.querySelector("input")!;
    if (i === chosen && !input.checked) {
      input.checked = true;
      // `scrollIntoView` would scroll the page, too.
      const { left, right } = label.getBoundingClientRect(), box = film.getBoundingClientRect();
      if (left < box.left || right > box.right) film.scrollLeft += left - box.left - box.width / 2;
    }
  });
}

/** Marks the ends at which frames lie outside of the strip. */
function showCutEnds(film: HTMLElement): void {
  const { scrollLeft, scrollWidth, clientWidth } = film;
  film.classList.toggle("more-before", scrollLeft > 1);
  film.classList.toggle("more-after", scrollLeft + clientWidth < scrollWidth - 1);
}

/** The group of a layer's frames. `first` is the film's first frame, the seed image. */
function layerOf(frames: readonly TileFrame[], first: TileFrame): HTMLElement {
  const [{ shape, layer, noise }] = frames, isSeed = frames[0] === first && !noise;
  const choices = frames.map((frame) => {
    const name = frameName(frame, isSeed);
    const input = element("input", { type: "radio", name: "frame", value: `${layer}.${frame.iteration}` });
    input.setAttribute("aria-label", name);
    return element("label", { className: "choice", title: name }, input, element("canvas"));
  });
  const noiseTitle = `noise \u2192 ${sides(shape)}`;
  const halved = { height: shape.height / 2, width: shape.width / 2 };
  return element(
    "fieldset",
    { className: isSeed ? "seeded" : "" },
    element("div", { className: "frames" }, ...choices),
    element(
      "p",
      {},
      isSeed
        ? (frames[0].iteration < 0 ? "seed image" : "picture")
        : noise
        ? noiseTitle
        : `${sides(halved)} \u2192 ${sides(shape)}`,
    ),
  );
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
