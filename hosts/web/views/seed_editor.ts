/** The grid on which a seed image is drawn: by pointer at the brush's level, or by keyboard cell by cell. */
import type { Shape } from "../../../core/shape.ts";
import type { PictureShape } from "../state/page_state.ts";
import { byId, element, radios } from "./element.ts";
import { byteAfterKey, cellAfterKey, levelByte, LEVELS } from "./levels.ts";
import { paint, rgbaOf } from "./picture.ts";

/** Seed images of more pixels than this are shown as a picture, because they are too large to draw by hand. */
const MAX_CELLS = 1024;

/** The size and the colours of a seed image. */
type SeedShape = Required<Shape> & PictureShape;

/** The editor of the seed image: a grid of cells and its brush. */
export class SeedEditor {
  readonly #change: (bytes: Uint8Array, live: boolean) => void;
  readonly #grid = byId("grid");
  readonly #brush = byId("brush");
  readonly #colour = byId<HTMLInputElement>("colour");
  #shape: SeedShape = { height: 0, width: 0, channels: 1 };
  #bytes: Uint8Array = new Uint8Array();
  /** The brush's level in grey images. */
  #level = LEVELS - 1;
  /** The byte that is shown as white. */
  #white = 255;
  #cells: HTMLElement[] = [];
  /** The cell that has the focus. */
  #at = { y: 0, x: 0 };
  #isDrawing = false;

  /** @param change is called with the bytes after each change; `live` while the pointer draws */
  constructor(change: (bytes: Uint8Array, live: boolean) => void) {
    this.#change = change;
    const choices = Array.from({ length: LEVELS }, (_, value) => {
      const swatch = element("span", {});
      swatch.style.background = grey(levelByte(value, 255));
      return { value: String(value), label: [swatch], name: `Level ${value}` };
    });
    radios(this.#brush, "brush", choices, String(this.#level), (value) => this.#level = Number(value));
    this.#listen();
  }

  /**
   * Shows a seed image, its bytes channel by channel. The byte `brightest` is shown as white. `guide`: bytes that are shown as dots in
   * the cells.
   */
  show(shape: SeedShape, bytes: Uint8Array, brightest: number, guide: Uint8Array | undefined): void {
    const isSame = shape.height === this.#shape.height && shape.width === this.#shape.width;
    this.#shape = shape;
    this.#bytes = bytes;
    this.#white = brightest;
    this.#brush.hidden = shape.channels === 3;
    this.#colour.hidden = shape.channels === 1;
    if (this.#area > MAX_CELLS) {
      this.#cells = [];
      return this.#grid.replaceChildren(paint(element("canvas"), shape, bytes));
    }
    if (!isSame) this.#layOut();
    this.#cells.forEach((_, cell) => this.#refresh(cell));
    this.#grid.classList.toggle("guided", guide !== undefined);
    if (guide) this.#cells.forEach((one, cell) => one.style.setProperty("--guide", this.#colourOf(cell, guide)));
  }

  /** Sets the brush to the level that is nearest to a byte. */
  setBrush(byte: number, brightest: number): void {
    this.#level = Math.min(LEVELS - 1, Math.round(byte * (LEVELS - 1) / brightest));
    this.#brush.querySelectorAll("input").forEach((one) => one.checked = one.value === String(this.#level));
  }

  /** Makes the cells of another size. */
  #layOut(): void {
    const { height, width } = this.#shape;
    this.#at = { y: 0, x: 0 };
    this.#cells = Array.from({ length: this.#area }, (_, cell) => {
      return element("div", { role: "gridcell", tabIndex: cell === 0 ? 0 : -1 });
    });
    this.#grid.replaceChildren(...Array.from({ length: height }, (_, y) => {
      return element("div", { role: "row" }, ...this.#cells.slice(y * width, (y + 1) * width));
    }));
    this.#grid.setAttribute("aria-label", `Seed image, ${height} rows of ${width} pixels`);
  }

  #listen(): void {
    const grid = this.#grid;
    grid.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || this.#cells.length === 0) return;
      event.preventDefault();
      grid.setPointerCapture(event.pointerId);
      this.#isDrawing = true;
      this.#paintAt(event, true);
    });
    grid.addEventListener("pointermove", (event) => this.#isDrawing && this.#paintAt(event));
    for (const end of ["pointerup", "pointercancel"]) {
      grid.addEventListener(end, () => {
        if (this.#isDrawing) this.#change(this.#bytes, false);
        this.#isDrawing = false;
      });
    }
    grid.addEventListener("keydown", (event) => this.#press(event));
  }

  #press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || this.#cells.length === 0) return;
    const { width, channels } = this.#shape;
    const cell = this.#at.y * width + this.#at.x;
    const byte = byteAfterKey(this.#bytes[cell], event.key, this.#white);
    const next = cellAfterKey(this.#at, event.key, this.#shape);
    if (byte === undefined && !next) return;
    event.preventDefault();
    if (byte !== undefined) this.#set(cell, Array(channels).fill(byte));
    if (next) this.#focus(next.y, next.x);
  }

  #paintAt(event: PointerEvent, isFirst = false): void {
    const cell = this.#cells.indexOf(document.elementFromPoint(event.clientX, event.clientY) as HTMLElement);
    if (cell < 0) return;
    if (isFirst) this.#focus(Math.floor(cell / this.#shape.width), cell % this.#shape.width);
    this.#set(cell, this.#brushed());
  }

  /** The bytes to which the brush sets a pixel: its level in grey images, its colour in colour images. */
  #brushed(): number[] {
    if (this.#shape.channels === 1) return [levelByte(this.#level, this.#white)];
    const { value } = this.#colour;
    return [1, 3, 5].map((at) => Math.round(parseInt(value.slice(at, at + 2), 16) * this.#white / 255));
  }

  #set(cell: number, wanted: readonly number[]): void {
    const places = wanted.map((_, channel) => cell + channel * this.#area);
    if (places.every((at, channel) => this.#bytes[at] === wanted[channel])) return;
    this.#bytes = this.#bytes.slice();
    places.forEach((at, channel) => this.#bytes[at] = wanted[channel]);
    this.#refresh(cell);
    this.#change(this.#bytes, true); // the result is shown at once: no film plays after each stroke
  }

  #focus(y: number, x: number): void {
    const { width } = this.#shape;
    this.#cells[this.#at.y * width + this.#at.x].tabIndex = -1;
    this.#at = { y, x };
    const cell = this.#cells[y * width + x];
    cell.tabIndex = 0;
    cell.focus();
  }

  /** Shows the bytes of a cell. */
  #refresh(cell: number): void {
    const { width } = this.#shape;
    const y = Math.floor(cell / width) + 1, x = cell % width + 1;
    const level = (this.#bytes[cell] * (LEVELS - 1) / this.#white).toFixed(1);
    this.#cells[cell].style.background = this.#colourOf(cell);
    this.#cells[cell].setAttribute("aria-label", `Row ${y}, column ${x}: level ${level}`);
  }

  #colourOf(cell: number, bytes = this.#bytes): string {
    const step = this.#shape.channels === 3 ? this.#area : 0;
    const [first, second, third] = [0, 1, 2].map((channel) => {
      return Math.min(bytes[cell + channel * step] * 255 / this.#white, 255);
    });
    const [red, green, blue, opacity] = rgbaOf(this.#shape, first, second, third);
    return `rgb(${red} ${green} ${blue} / ${opacity / 255})`;
  }

  get #area(): number {
    return this.#shape.height * this.#shape.width;
  }
}

function grey(byte: number): string {
  return `rgb(${byte} ${byte} ${byte})`;
}
