/** The grid on which a seed image is drawn: by pointer at the brush's level, or by keyboard cell by cell. */
import type { Shape } from "../../../core/shape.ts";
import type { PictureShape } from "../state/page_state.ts";
import { byId, element, radios } from "./element.ts";
import { byteAfterKey, cellAfterKey, levelByte, LEVELS } from "./levels.ts";
import { paint, rgbaOf } from "./picture.ts";

/** The editor of the seed image. */
export interface SeedEditor {
  /** Shows a seed image, its bytes channel by channel. The byte `brightest` is shown as white. */
  show(shape: Required<Shape> & PictureShape, bytes: Uint8Array, brightest: number): void;
}

/** Seed images of more pixels than this are shown as a picture, because they are too large to draw by hand. */
const MAX_CELLS = 1024;

/** Sets the grid and its brush up. Calls `change` with the bytes after each change; `live` while the pointer draws.
 * Its parts stay together: they share the cells, the bytes and the brush. */
export function seedEditor(change: (bytes: Uint8Array, live: boolean) => void): SeedEditor {
  const grid = byId("grid"), brush = byId("brush"), colourInput = byId<HTMLInputElement>("colour");
  let shape: Parameters<SeedEditor["show"]>[0] = { height: 0, width: 0, channels: 1 },
    bytes: Uint8Array = new Uint8Array(),
    level = LEVELS - 1,
    white = 255;
  let cells: HTMLElement[] = [], at = { y: 0, x: 0 }, drawing = false;

  const choices = Array.from({ length: LEVELS }, (_, value) => {
    const swatch = element("span", {});
    swatch.style.background = grey(levelByte(value, 255));
    return { value: String(value), label: [swatch], name: `Level ${value}` };
  });
  radios(brush, "brush", choices, String(level), (value) => level = Number(value));

  const area = () => shape.height * shape.width;
  const colour = (cell: number) => {
    const channel = (c: number) => Math.min(bytes[cell + (shape.channels === 3 ? c * area() : 0)] * 255 / white, 255);
    const [red, green, blue, opacity] = rgbaOf(shape, channel(0), channel(1), channel(2));
    return `rgb(${red} ${green} ${blue} / ${opacity / 255})`;
  };
  const label = (cell: number) => {
    const y = Math.floor(cell / shape.width) + 1, x = cell % shape.width + 1;
    return `Row ${y}, column ${x}: level ${(bytes[cell] * (LEVELS - 1) / white).toFixed(1)}`;
  };
  const refresh = (cell: number) => {
    cells[cell].style.background = colour(cell);
    cells[cell].setAttribute("aria-label", label(cell));
  };
  const set = (cell: number, wanted: readonly number[], live: boolean) => {
    const channels = Array.from({ length: shape.channels }, (_, c) => cell + c * area());
    if (channels.every((at, c) => bytes[at] === wanted[c])) return;
    bytes = bytes.slice();
    channels.forEach((at, c) => bytes[at] = wanted[c]);
    refresh(cell);
    change(bytes, live);
  };
  /** The bytes to which the brush sets a pixel: its level in grey images, its colour in colour images. */
  const brushed = () => {
    if (shape.channels === 1) return [levelByte(level, white)];
    return [1, 3, 5].map((at) => Math.round(parseInt(colourInput.value.slice(at, at + 2), 16) * white / 255));
  };
  const focus = (y: number, x: number) => {
    cells[at.y * shape.width + at.x].tabIndex = -1;
    at = { y, x };
    const cell = cells[y * shape.width + x];
    cell.tabIndex = 0;
    cell.focus();
  };
  const paintAt = (event: PointerEvent, live: boolean) => {
    const cell = cells.indexOf(document.elementFromPoint(event.clientX, event.clientY) as HTMLElement);
    if (cell < 0) return;
    if (!live) focus(Math.floor(cell / shape.width), cell % shape.width);
    set(cell, brushed(), live);
  };

  grid.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || cells.length === 0) return;
    event.preventDefault();
    grid.setPointerCapture(event.pointerId);
    drawing = true;
    paintAt(event, false);
  });
  grid.addEventListener("pointermove", (event) => drawing && paintAt(event, true));
  for (const end of ["pointerup", "pointercancel"]) {
    grid.addEventListener(end, () => {
      if (drawing) change(bytes, false);
      drawing = false;
    });
  }
  grid.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || cells.length === 0) return;
    const cell = at.y * shape.width + at.x, byte = byteAfterKey(bytes[cell], event.key, white);
    const next = cellAfterKey(at, event.key, shape);
    if (byte === undefined && !next) return;
    event.preventDefault();
    if (byte !== undefined) set(cell, Array(shape.channels).fill(byte), false);
    if (next) focus(next.y, next.x);
  });

  return {
    show(nextShape, next, brightest) {
      const same = nextShape.height === shape.height && nextShape.width === shape.width;
      [shape, bytes, white] = [nextShape, next, brightest];
      [brush.hidden, colourInput.hidden] = [shape.channels === 3, shape.channels === 1];
      if (area() > MAX_CELLS) {
        cells = [];
        return grid.replaceChildren(paint(element("canvas"), shape, bytes));
      }
      if (!same) {
        at = { y: 0, x: 0 };
        cells = Array.from({ length: area() }, (_, cell) => {
          return element("div", { role: "gridcell", tabIndex: cell === 0 ? 0 : -1 });
        });
        grid.replaceChildren(...Array.from({ length: shape.height }, (_, y) => {
          return element("div", { role: "row" }, ...cells.slice(y * shape.width, (y + 1) * shape.width));
        }));
        grid.setAttribute("aria-label", `Seed image, ${shape.height} rows of ${shape.width} pixels`);
      }
      cells.forEach((_, cell) => refresh(cell));
    },
  };
}

function grey(byte: number): string {
  return `rgb(${byte} ${byte} ${byte})`;
}
