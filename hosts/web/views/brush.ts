/** A brush that paints over parts of a picture, by mouse, finger, pen or keyboard. */
import { areaOf, type Size } from "../../../core/shape.ts";
import { ARROWS } from "./levels.ts";
import { type Place, placeOf } from "./pointing.ts";

/** What is painted over. */
export interface Painting extends Size {
  /** height x width: 1 where it is. */
  readonly paint: Uint8Array;
  /** How many pixels are. */
  count: number;
}

/** A rectangle of a picture: its first row and column, and those after the last ones. */
interface Rectangle {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

/** The colour of the paint: red, green, blue and opacity. */
const PAINT = [255, 0, 200, 170] as const;

/** Nothing is painted over yet. */
export function paintOf({ height, width }: Size): Painting {
  return { height, width, paint: new Uint8Array(areaOf({ height, width })), count: 0 };
}

/** Shows what is painted over on a canvas, which gets the picture's size. */
export function showPaint(canvas: HTMLCanvasElement, painting: Painting): void {
  [canvas.width, canvas.height] = [painting.width, painting.height];
  showPart(canvas, painting, { top: 0, left: 0, bottom: painting.height, right: painting.width });
}

function showPart(canvas: HTMLCanvasElement, { paint, width }: Painting, part: Rectangle): void {
  const { top, left, bottom, right } = part;
  if (bottom <= top || right <= left) return;
  const wide = right - left, pixels = new ImageData(wide, bottom - top);
  for (let row = top; row < bottom; row++) {
    for (let column = left; column < right; column++) {
      if (paint[row * width + column]) pixels.data.set(PAINT, 4 * ((row - top) * wide + column - left));
    }
  }
  canvas.getContext("2d")!.putImageData(pixels, left, top);
}

/** Paints a line with a round brush. Returns the rectangle around it. */
function paintLine(painting: Painting, from: Place, to: Place, radius: number): Rectangle {
  const steps = Math.max(1, Math.ceil(2 * Math.hypot(to.x - from.x, to.y - from.y) / radius));
  for (let n = 0; n <= steps; n++) {
    paintDisk(painting, from.x + (to.x - from.x) * n / steps, from.y + (to.y - from.y) * n / steps, radius);
  }
  return {
    top: Math.max(0, Math.floor(Math.min(from.y, to.y) - radius)),
    left: Math.max(0, Math.floor(Math.min(from.x, to.x) - radius)),
    bottom: Math.min(painting.height, Math.ceil(Math.max(from.y, to.y) + radius) + 1),
    right: Math.min(painting.width, Math.ceil(Math.max(from.x, to.x) + radius) + 1),
  };
}

function paintDisk(painting: Painting, x: number, y: number, radius: number): void {
  const { paint, height, width } = painting, last = (side: number, at: number) => Math.min(side - 1, Math.floor(at));
  for (let row = Math.max(0, Math.ceil(y - radius)); row <= last(height, y + radius); row++) {
    for (let column = Math.max(0, Math.ceil(x - radius)); column <= last(width, x + radius); column++) {
      const p = row * width + column;
      if (paint[p] || (column - x) ** 2 + (row - y) ** 2 > radius * radius) continue;
      paint[p] = 1;
      painting.count++;
    }
  }
}

/**
 * Lets a visitor paint: by dragging over a stage, or with the arrow keys, which move the brush, and the space bar.
 *
 * @param size the slider of the brush's diameter, in hundredths of the picture's longer side
 * @param current the painting, undefined while none may be changed
 * @param changed is called after each change
 */
export function brushOver(
  stage: HTMLElement,
  size: HTMLInputElement,
  current: () => Painting | undefined,
  changed: () => void,
): void {
  const brush = new Brush(stage, size, changed);
  stage.addEventListener("pointerdown", (event) => {
    const painting = current();
    if (event.button !== 0 || !painting) return;
    event.preventDefault();
    stage.focus();
    stage.setPointerCapture(event.pointerId);
    brush.isDown = true;
    brush.moveTo(painting, placeOf(stage, event, painting), false);
    brush.dab(painting);
  });
  stage.addEventListener("pointermove", (event) => {
    const painting = current();
    if (painting) brush.moveTo(painting, placeOf(stage, event, painting), brush.isDown);
  });
  for (const end of ["pointerup", "pointercancel"]) stage.addEventListener(end, () => brush.isDown = false);
  stage.addEventListener("keydown", (event) => {
    const painting = current(), arrow = ARROWS[event.key];
    if (!painting || event.ctrlKey || event.metaKey || event.altKey) return;
    if (arrow) brush.step(painting, arrow, event.shiftKey);
    else if (event.key === " ") brush.dab(painting);
    else if (event.key === "+" || event.key === "-") brush.resize(painting, event.key === "+" ? 1 : -1);
    else return;
    event.preventDefault();
  });
  size.addEventListener("input", () => {
    const painting = current();
    if (painting) brush.show(painting);
  });
}

/** Where the brush is, and how large. */
class Brush {
  isDown = false;
  /** Where it is in the picture, as parts of its sides. */
  #at = { x: 0.5, y: 0.5 };
  constructor(
    readonly stage: HTMLElement,
    readonly size: HTMLInputElement,
    readonly changed: () => void,
  ) {}

  /** Moves the brush, painting or not. */
  moveTo(painting: Painting, to: Place, paints: boolean): void {
    const { height, width } = painting, from = this.#place(painting);
    this.#at = { x: (to.x + 0.5) / width, y: (to.y + 0.5) / height };
    if (paints) this.#paint(painting, from);
    this.show(painting);
  }

  /** Paints where the brush is. */
  dab(painting: Painting): void {
    this.#paint(painting, this.#place(painting));
    this.show(painting);
  }

  /** Moves the brush by half of its size, painting with the shift key; it stays in the picture. */
  step(painting: Painting, [dx, dy]: readonly [number, number], paints: boolean): void {
    const { x, y } = this.#place(painting), by = Math.max(1, this.#radius(painting));
    const within = (at: number, side: number) => Math.min(Math.max(at, 0), side - 1);
    this.moveTo(painting, { x: within(x + dx * by, painting.width), y: within(y + dy * by, painting.height) }, paints);
  }

  resize(painting: Painting, by: number): void {
    if (by > 0) this.size.stepUp();
    else this.size.stepDown();
    this.show(painting);
  }

  /** Shows the brush as a circle, and says where it is. */
  show(painting: Painting): void {
    const { x, y } = this.#place(painting), { width, height, count } = painting;
    const marks = this.stage.querySelector("svg")!, radius = this.#radius(painting);
    marks.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const circle = (kind: string) => `<circle class="${kind}" cx="${x + 0.5}" cy="${y + 0.5}" r="${radius}"/>`;
    marks.innerHTML = circle("edge") + circle("brush-mark");
    const at = `Brush at column ${Math.round(x) + 1}, row ${Math.round(y) + 1}, ${Math.round(2 * radius)} pixels wide`;
    const painted = Math.round(1000 * count / (width * height)) / 10;
    this.stage.setAttribute("aria-label", `Picture. ${at}. ${painted} % is painted over`);
  }

  #place({ width, height }: Size): Place {
    return { x: this.#at.x * width - 0.5, y: this.#at.y * height - 0.5 };
  }

  #radius({ width, height }: Size): number {
    return Math.max(1, Number(this.size.value) / 200 * Math.max(width, height));
  }

  #paint(painting: Painting, from: Place): void {
    const canvas = this.stage.querySelectorAll("canvas")[1];
    showPart(canvas, painting, paintLine(painting, from, this.#place(painting), this.#radius(painting)));
    this.changed();
  }
}
