/** What is sent: pictures, and what is told about them. */
import { pad } from "../../core/pyramid.ts";
import { lengthOf, type Size } from "../../core/shape.ts";
import { type Framed, sheet } from "../../pipelines/report/sheet.ts";
import type { SynthesisProgress, SynthesisResult } from "../../pipelines/synthesis/synthesizer.ts";
import type { Pack } from "../../datasets/formats/pack.ts";
import { describeImage, describePlan } from "../../pipelines/synthesis/run_record.ts";
import { png, pngOf } from "../../datasets/formats/write_png.ts";

/** About how wide a contact sheet is, and how large an image on it, in pixels. */
const SHEET_WIDTH = 1400, SHEET_IMAGE = 96;

/** One image as a PNG; of several the contact sheet: synthesized blue, the nearest training image red, distances below. */
export function picture({ plan, images }: SynthesisResult, { train }: Pack): Uint8Array<ArrayBuffer> {
  const [size] = plan.sizes;
  if (images.length === 1) return pngOf({ ...size, channels: plan.channels }, images[0].pixels);
  const groups = images.map(({ pixels, nearest }): Framed[] => [
    { pixels, colour: "blue", text: nearest.distance.toFixed(2) },
    {
      pixels: pad(train.images, nearest.image, size),
      colour: "red",
      text: Number.isFinite(nearest.trainingDistance) ? nearest.trainingDistance.toFixed(2) : undefined,
    },
  ]);
  return sheetOf(groups, size);
}

function sheetOf(groups: readonly (readonly Framed[])[], size: Size): Uint8Array<ArrayBuffer> {
  const scale = Math.max(1, Math.floor(SHEET_IMAGE / Math.max(size.height, size.width)));
  const width = groups[0].length * (size.width * scale + 12);
  return png(sheet(groups, size, Math.max(1, Math.floor(SHEET_WIDTH / width)), scale));
}

/** A PNG as an address that holds it. */
function dataUrl(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return `data:image/png;base64,${btoa(text)}`;
}

/** One iteration, with the images as they are after it. */
export function stepEvent({ layer, iteration, images, numbers, done, ...shape }: SynthesisProgress): object {
  const bytes = Uint8Array.from(images, (value) => Math.floor(255 * Math.min(Math.max(value, 0), 1) + 0.5));
  const length = lengthOf(shape),
    several = numbers.map((_, i): Framed[] => [
      { pixels: bytes.subarray(i * length, (i + 1) * length), colour: "blue" },
    ]);
  const png = dataUrl(several.length === 1 ? pngOf(shape, bytes) : sheetOf(several, shape));
  const { height, width } = shape;
  return { done, layer, iteration, height, width, images: numbers, png };
}

/** What made some images. */
export interface Origin {
  readonly seed: number;
  /** SHA-256 of the pack and of the kernels, in hexadecimal. */
  readonly pack: string;
  readonly kernels: string;
}

/** The same as `run.json`, less what differs from host to host; each image comes along as a PNG. */
export function describe({ plan, images }: SynthesisResult, { origin }: Pack, made: Origin): object {
  return {
    ...describePlan(plan),
    seed: made.seed,
    data: { origin, sha256: made.pack },
    kernels: { sha256: made.kernels },
    images: images.map((image) => ({
      ...describeImage(image),
      seedImage: image.seedNumber,
      png: dataUrl(pngOf({ ...plan.sizes[0], channels: plan.channels }, image.pixels)),
    })),
  };
}
