/** The grid on which a seed image is drawn: by pointer with the brush, or by keyboard cell by cell. */
import type { Shape } from "../../../core/shape.ts";
import type { PictureShape } from "../state/page_state.ts";
import { colourName } from "./colour_names.ts";
import { byId, element } from "./element.ts";
import { cellAfterKey, LEVELS } from "./levels.ts";
import { paint } from "./picture.ts";
import { SeedBrush } from "./seed_brush.ts";

/** Seed images of more pixels than this are shown as a picture, because they are too large to draw by hand. */
const MAX_CELLS = 1024;

/** The size and the colours of a seed image. */
type SeedShape = Required<Shape> & PictureShape;

/** The editor of the seed image: a grid of cells and its brush. */
export class SeedEditor {
  readonly brush = new SeedBrush();
  readonly #change: (bytes: Uint8Array, live: boolean) => void;
  readonly #grid = byId("grid");
  #shape: SeedShape = { height: 0, width: 0, channels: 1 };
  #bytes: Uint8Array = new Uint8Array();
  /** The byte that is shown as white. */
  #white = 255;
  #cells: HTMLElement[] = [];
  /** The cell that has the focus. */
  #at = { y: 0, x: 0 };
  #isDrawing = false;

  /** @param change is called with the bytes after each change; `live` while the pointer draws */
  constructor(change: (bytes: Uint8Array, live: boolean) => void) {
    this.#change = change;
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
    if (this.#area > MAX_CELLS) {
      this.#cells = [];
      return this.#grid.replaceChildren(paint(element("canvas"), shape, bytes));
    }
    if (!isSame) this.#layOut();
    this.#cells.forEach((_, cell) => this.#refresh(cell));
    this.#grid.classList.toggle("guided", guide !== undefined);
    if (guide) this.#cells.forEach((one, cell) => one.style.setProperty("--guide", this.#colourOf(cell, guide)));
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
    const cell = this.#at.y * this.#shape.width + this.#at.x;
    const painted = this.brush.after(this.#bytesOf(cell), event.key);
    const next = cellAfterKey(this.#at, event.key, this.#shape);
    if (!painted && !next) return;
    event.preventDefault();
    if (painted) this.#set(cell, painted);
    if (next) this.#focus(next.y, next.x);
  }

  #paintAt(event: PointerEvent, isFirst = false): void {
    const cell = this.#cells.indexOf(document.elementFromPoint(event.clientX, event.clientY) as HTMLElement);
    if (cell < 0) return;
    if (isFirst) this.#focus(Math.floor(cell / this.#shape.width), cell % this.#shape.width);
    this.#set(cell, this.brush.bytes);
  }

  /** The bytes of a cell, one of each channel. */
  #bytesOf(cell: number, bytes = this.#bytes): number[] {
    return Array.from({ length: this.#shape.channels }, (_, channel) => bytes[cell + channel * this.#area]);
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
    this.#cells[cell].style.background = this.#colourOf(cell);
    this.#cells[cell].setAttribute("aria-label", `Row ${y}, column ${x}: ${this.#nameOf(cell)}`);
  }

  /** What a cell shows, in words. */
  #nameOf(cell: number): string {
    const bytes = this.#bytesOf(cell), shown = this.brush.shown(bytes);
    if (bytes.length === 1) return `level ${(bytes[0] * (LEVELS - 1) / this.#white).toFixed(1)}`;
    return shown[3] < 128 ? "transparent" : colourName(shown);
  }

  #colourOf(cell: number, bytes = this.#bytes): string {
    const [red, green, blue, opacity] = this.brush.shown(this.#bytesOf(cell, bytes));
    return `rgb(${red} ${green} ${blue} / ${opacity / 255})`;
  }

  get #area(): number {
    return this.#shape.height * this.#shape.width;
  }
}
