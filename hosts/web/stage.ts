/** The pictures side by side, the film of layers and iterations of one of them, and that one large. */
import { byId, element } from "./element.ts";
import type { Shape } from "../../core/shape.ts";
import { paint } from "./picture.ts";
import type { MadePicture } from "./protocol.ts";
import type { Tile } from "./tiles.ts";

/** One picture of the film; iteration -1: what a layer begins with. */
export interface TileFrame {
  readonly layer: number;
  readonly iteration: number;
  readonly shape: Shape;
  readonly pixels: Uint8Array;
}

/** A tile with what has come of it so far. */
export interface TileState extends Tile {
  readonly frames: TileFrame[];
  made?: MadePicture;
  refused?: string;
}

/** Draws the tiles, each at a frame of its film or at its newest before that. */
export function showTiles(tiles: readonly TileState[], chosen: number, frame: number, change: (tile: number) => void) {
  const group = byId("tiles"), old = [...group.querySelectorAll("label")];
  if (old.length !== tiles.length) {
    old.forEach((label) => label.remove());
    tiles.forEach((_, i) => {
      const input = element("input", { type: "radio", name: "tile", value: String(i) });
      input.addEventListener("change", () => change(i));
      group.append(element("label", { className: "choice" }, input, element("span", {})));
    });
  }
  group.querySelectorAll("label").forEach((label, i) => {
    const { title, about, frames, synthesisRequest } = tiles[i], input = label.querySelector("input")!;
    const refused = tiles[i].refused ?? (synthesisRequest < 0 ? "Slow to fit: choose it to start" : undefined);
    input.checked = i === chosen;
    input.setAttribute("aria-label", refused ? `${title}: ${refused}` : title);
    label.title = about ?? "";
    const span = label.querySelector("span")!, shown = frames[Math.min(frame, frames.length - 1)];
    if (refused) return span.replaceChildren(element("div", { className: "refused" }, refused), caption(title));
    const canvas = span.querySelector("canvas") ?? element("canvas", { width: 1, height: 1 });
    if (shown) paint(canvas, shown.shape, shown.pixels);
    if (!span.contains(canvas) || span.lastChild?.textContent !== title) span.replaceChildren(canvas, caption(title));
  });
}

function caption(title: string): HTMLElement {
  return element("small", {}, title);
}

/** Draws the film: a group of frames for each layer, with the sides it leads from and to. */
export function showFilm(frames: readonly TileFrame[], chosen: number, change: (frame: number) => void): void {
  const film = byId("film"), inputs = [...film.querySelectorAll("input")];
  const whole = inputs.length === frames.length &&
    inputs.every((input, i) => input.value === `${frames[i].layer}.${frames[i].iteration}`);
  if (!whole) {
    const focused = film.contains(document.activeElement), layers = [...new Set(frames.map(({ layer }) => layer))];
    film.replaceChildren(...layers.map((layer) => {
      const own = frames.filter((frame) => frame.layer === layer), [{ shape, iteration }] = own;
      const seeded = layer === layers[0] && own.length === 1 && iteration === -1;
      return element(
        "fieldset",
        { className: seeded ? "seeded" : "" },
        element(
          "div",
          { className: "frames" },
          ...own.map((frame) => {
            const input = element("input", { type: "radio", name: "frame", value: `${layer}.${frame.iteration}` });
            input.setAttribute("aria-label", nameOf(frame, seeded));
            return element("label", { className: "choice", title: nameOf(frame, seeded) }, input, element("canvas"));
          }),
        ),
        element("p", {}, seeded ? "seed" : `${sides(halved(shape))} \u2192 ${sides(shape)}`),
      );
    }));
    film.querySelectorAll("input").forEach((input, i) => input.addEventListener("change", () => change(i)));
    if (focused) film.querySelectorAll("input")[chosen]?.focus();
  }
  film.querySelectorAll("label").forEach((label, i) => {
    paint(label.querySelector("canvas")!, frames[i].shape, frames[i].pixels);
    const input = label.querySelector("input")!;
    if (i === chosen && !input.checked) {
      input.checked = true;
      // `scrollIntoView` would move the page too.
      const { left, right } = label.getBoundingClientRect(), box = film.getBoundingClientRect();
      if (left < box.left || right > box.right) film.scrollLeft += left - box.left - box.width / 2;
    }
  });
}

/** What a frame is called. */
export function nameOf({ layer, iteration, shape }: TileFrame, seed: boolean): string {
  if (seed) return "Seed image";
  return iteration < 0
    ? `Layer ${layer}: interpolated to ${sides(shape)}`
    : `Layer ${layer}, iteration ${iteration + 1}`;
}

/** A picture's sides, for people: one number where it is square. */
export function sides({ height, width }: Pick<Shape, "height" | "width">): string {
  return height === width ? String(width) : `${width}x${height}`;
}

function halved({ height, width }: Shape) {
  return { height: height / 2, width: width / 2 };
}

/** A rectangle to mark on a picture. */
export interface Mark {
  readonly y: number;
  readonly x: number;
  readonly height: number;
  readonly width: number;
  readonly kind: string;
}

/** An overlay that marks rectangles of a picture of a shape. */
export function marks(svg: Element, { height, width }: Shape, rectangles: readonly Mark[]): void {
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.replaceChildren(...rectangles.map((mark) => {
    const rectangle = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    for (const name of ["y", "x", "height", "width"] as const) rectangle.setAttribute(name, String(mark[name]));
    rectangle.setAttribute("class", mark.kind);
    return rectangle;
  }));
}
