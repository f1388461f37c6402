/** Asks for the eyes of a face in a photograph: they are proposed, and two clicks correct them. */
import type { EyePair } from "../../../datasets/faces/windows.ts";
import { ALIGNED_SIDE, alignEyes, type Point } from "../../../datasets/faces/align_eyes.ts";
import { type Composited, composited } from "../../../datasets/formats/colour.ts";
import type { Rgba } from "../../../datasets/formats/exif.ts";
import { bitmapOf, pixelsOf } from "./decode.ts";
import { byId } from "./element.ts";
import { ARROWS } from "./levels.ts";
import { paint } from "./picture.ts";
import { placeOf } from "./pointing.ts";

/** Longest side of photographs of faces, in pixels. They are searched at 400; an aligned face has 128. */
const LONGEST = 1000;

/** A photograph, and its grey levels. */
export interface Photograph {
  readonly rgba: Rgba;
  readonly grey: Composited;
}

/** What the visitor says of a photograph. */
export type EyesAnswer =
  /** It is a face. `pixels`: aligned. `joins`: whether it becomes an example. */
  | { readonly kind: "face"; readonly pixels: Uint8Array; readonly joins: boolean }
  | { readonly kind: "texture" }
  /** Something is to be taken out of it. */
  | { readonly kind: "fill" };

/** Returns the photograph in a file; undefined if it is no picture that the browser reads. */
export async function photographOf(file: Blob): Promise<Photograph | undefined> {
  const bitmap = await bitmapOf(file);
  if (!bitmap) return undefined;
  const part = Math.min(1, LONGEST / Math.max(bitmap.width, bitmap.height));
  const scaled = (side: number) => Math.max(1, Math.round(side * part));
  const rgba = pixelsOf(bitmap, { width: scaled(bitmap.width), height: scaled(bitmap.height) });
  return { rgba, grey: composited(rgba, { channels: 1 }) };
}

/** The photograph of the dialog and the eyes that have a place. */
interface Marking {
  readonly photograph: Photograph;
  readonly eyes: Point[];
  /** Whether a face was found in the photograph. */
  readonly isFound: boolean;
  /** The index of the eye that was moved last. */
  moved: number;
}

/** Sets the dialog up. Returns what opens it; the answer is undefined if the visitor closes it. */
export function eyesDialog(): (photograph: Photograph, found: EyePair | undefined) => Promise<EyesAnswer | undefined> {
  const dialog = byId<HTMLDialogElement>("eyes"), join = byId<HTMLInputElement>("eyes-join");
  let marking: Marking | undefined;
  takePointer(() => marking);
  takeKeys(() => marking);
  byId("eyes-again").addEventListener("click", () => {
    if (!marking) return;
    marking.eyes.length = 0;
    showMarking(marking);
  });
  return (photograph, found) => {
    const eyes = found ? [{ x: found.leftX, y: found.leftY }, { x: found.rightX, y: found.rightY }] : [];
    marking = { photograph, eyes, isFound: found !== undefined, moved: 0 };
    showPhotograph(photograph.rgba);
    showMarking(marking);
    join.checked = false;
    dialog.returnValue = "";
    dialog.showModal();
    byId("eyes-stage").focus();
    return new Promise((resolve) => {
      const answer = () => {
        const kind = dialog.returnValue, [left, right] = sorted(eyes);
        marking = undefined;
        if (kind === "texture" || kind === "fill") resolve({ kind });
        else if (kind !== "face") resolve(undefined);
        else resolve({ kind, pixels: alignEyes(photograph.grey, left, right), joins: join.checked });
      };
      dialog.addEventListener("close", answer, { once: true });
    });
  };
}

/** Places or moves eyes by clicks and drags: the first two clicks place them, others move the nearer one. */
function takePointer(current: () => Marking | undefined): void {
  const stage = byId("eyes-stage");
  let held = false;
  const move = (event: PointerEvent, marking: Marking) =>
    moveEye(marking, placeOf(stage, event, marking.photograph.grey));
  stage.addEventListener("pointerdown", (event) => {
    const marking = current();
    if (event.button !== 0 || !marking) return;
    event.preventDefault();
    stage.focus();
    stage.setPointerCapture(event.pointerId);
    held = true;
    const { eyes, photograph } = marking;
    marking.moved = eyes.length < 2 ? eyes.length : nearest(eyes, placeOf(stage, event, photograph.grey));
    move(event, marking);
  });
  stage.addEventListener("pointermove", (event) => {
    const marking = current();
    if (held && marking) move(event, marking);
  });
  for (const end of ["pointerup", "pointercancel"]) stage.addEventListener(end, () => held = false);
}

/** Moves eyes by arrow keys; the space bar changes to the other one. */
function takeKeys(current: () => Marking | undefined): void {
  byId("eyes-stage").addEventListener("keydown", (event) => {
    const marking = current(), step = ARROWS[event.key];
    if (!marking || !step && event.key !== " ") return;
    event.preventDefault();
    const { eyes, photograph: { grey } } = marking;
    // By keyboard, eyes without a place begin where most are.
    while (eyes.length < 2) eyes.push({ x: grey.width * (0.4 + 0.2 * eyes.length), y: grey.height * 0.4 });
    if (!step) marking.moved = 1 - marking.moved;
    const { x, y } = eyes[marking.moved], [dx, dy] = step ?? [0, 0];
    moveEye(marking, { x: x + dx, y: y + dy });
  });
}

function moveEye(marking: Marking, { x, y }: Point): void {
  const { photograph: { grey }, eyes, moved } = marking;
  eyes[moved] = { x: clamped(x, grey.width - 1), y: clamped(y, grey.height - 1) };
  showMarking(marking);
}

function showPhotograph({ width, height, data }: Rgba): void {
  const canvas = byId<HTMLCanvasElement>("eyes-photograph");
  [canvas.width, canvas.height] = [width, height];
  canvas.getContext("2d")!.putImageData(new ImageData(new Uint8ClampedArray(data), width, height), 0, 0);
  byId("eyes-marks").setAttribute("viewBox", `0 0 ${width} ${height}`);
}

/** Shows the circles, and the face as they align it. */
function showMarking({ photograph: { grey }, eyes, isFound, moved }: Marking): void {
  const [left, right] = sorted(eyes), use = byId<HTMLButtonElement>("eyes-use"), radius = grey.width / 40;
  const circles = eyes.map(({ x, y }, i) => markOf(x + 0.5, y + 0.5, radius, i === moved));
  byId("eyes-marks").innerHTML = circles.join("");
  use.disabled = eyes.length < 2 || Math.hypot(right.x - left.x, right.y - left.y) < 1;
  byId("eyes-note").textContent = isFound ? NOTES[eyes.length] : `No face was found. ${NOTES[eyes.length]}`;
  const places = eyes.map(({ x, y }) => `Eye at column ${Math.round(x) + 1}, row ${Math.round(y) + 1}`);
  byId("eyes-stage").setAttribute("aria-label", ["Photograph", ...places].join(". "));
  const shape = { height: ALIGNED_SIDE, width: ALIGNED_SIDE, channels: 1 };
  const aligned = use.disabled ? new Uint8Array(ALIGNED_SIDE ** 2).fill(128) : alignEyes(grey, left, right);
  paint(byId<HTMLCanvasElement>("eyes-aligned"), shape, aligned);
}

/** What to do, by how many eyes have a place. */
const NOTES = [
  "Click one eye, then the other.",
  "Now click the other eye.",
  "Are the circles on the eyes? Click or drag to move the nearer one.",
];

/** The eye at the smaller x first. */
function sorted(eyes: readonly Point[]): Point[] {
  return eyes.toSorted((a, b) => a.x - b.x);
}

function nearest(eyes: readonly Point[], { x, y }: Point): number {
  const [first, second] = eyes.map((eye) => Math.hypot(eye.x - x, eye.y - y));
  return first <= second ? 0 : 1;
}

function clamped(value: number, most: number): number {
  return Math.min(Math.max(value, 0), most);
}

/** A circle with a point in its middle. */
function markOf(x: number, y: number, radius: number, isMoved: boolean): string {
  const circles = ["edge", isMoved ? "eye moved" : "eye"].map((kind) => {
    return `<circle class="${kind}" cx="${x}" cy="${y}" r="${radius}"/>`;
  });
  return `${circles.join("")}<circle class="eye-point" cx="${x}" cy="${y}" r="${radius / 6}"/>`;
}
