/** The pixel under the pointer, and the window around it. */
import type { Shape, Size } from "../../../core/shape.ts";
import { currentFrame, type PageState, pixelFrom, selectedTile } from "../state/page_state.ts";
import type { Session } from "../state/session.ts";
import type { Store } from "../state/store.ts";
import type { Mark } from "./marks.ts";

/** A pixel of a picture. */
export interface Pixel {
  readonly y: number;
  readonly x: number;
}

/**
 * Lets the visitor point at pixels of a picture, whose windows are then shown, and choose them.
 *
 * @param area what the picture and its marks lie in
 * @param shape of the picture; undefined while there is none
 */
export function pointing(
  area: HTMLElement,
  picture: HTMLElement,
  store: Store<PageState>,
  session: Session,
  shape: () => Shape | undefined,
): void {
  area.addEventListener("pointermove", (event) => {
    const size = shape(), { state } = store;
    // Windows belong to the steps of noise.
    if (size && currentFrame(state)?.noise && !state.busy) session.point(pixelAt(picture, event, size));
  });
  area.addEventListener("pointerleave", () => {
    if (store.state.pointed) session.point(undefined);
  });
  area.addEventListener("click", (event) => {
    const size = shape();
    if (size) choosePixel(store, session, size, pixelAt(picture, event, size));
  });
}

/** Chooses the pixel at the place of one in a picture of this shape. A film that plays stops at its end. */
export function choosePixel(store: Store<PageState>, session: Session, shape: Shape, pixel: Pixel): void {
  const { current, playhead } = store.state, film = selectedTile(store.state)?.frames ?? [];
  if (!current) return;
  if (!current.choices.frame && playhead < film.length - 1) store.change({ playhead: Infinity });
  session.change({ pixel: pixelFrom(current, shape, pixel) });
}

/** The pixel at the position of an event. */
export function pixelAt(picture: HTMLElement, event: MouseEvent, { height, width }: Shape): Pixel {
  const box = picture.getBoundingClientRect();
  const inside = (part: number, most: number) => Math.min(Math.max(Math.floor(part * most), 0), most - 1);
  return {
    y: inside((event.clientY - box.top) / box.height, height),
    x: inside((event.clientX - box.left) / box.width, width),
  };
}

/** A place in a picture, in pixels: whole numbers are the middles of pixels. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

/** The place of an event in a picture of this size. */
export function placeOf(picture: HTMLElement, { clientX, clientY }: MouseEvent, { width, height }: Size): Place {
  const box = picture.getBoundingClientRect();
  return {
    x: (clientX - box.left) / box.width * width - 0.5,
    y: (clientY - box.top) / box.height * height - 0.5,
  };
}

/** The window around a pixel, as far as it lies in the picture, and the pixel. */
export function windowMarks({ y, x }: Pixel, window: number, { height, width }: Shape): Mark[] {
  const reach = window >> 1, top = Math.max(y - reach, 0), left = Math.max(x - reach, 0);
  const bottom = Math.min(y + reach + 1, height), right = Math.min(x + reach + 1, width);
  const square = { y: top, x: left, height: bottom - top, width: right - left };
  return [
    { ...square, kind: "patch chosen" },
    ...["edge", "pixel"].map((kind) => ({ y, x, height: 1, width: 1, kind })),
  ];
}
