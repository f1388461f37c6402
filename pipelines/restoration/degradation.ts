/** How images are degraded: by H, which is the pyramid's own, by a mask, or by noise. */
import type { Kernels } from "../../core/kernels.ts";
import { normals } from "../../core/normals.ts";
import type { Plan } from "../../core/plan.ts";
import { pad, seedImages } from "../../core/pyramid.ts";
import { stream } from "../../core/random.ts";
import { lengthOf, type Shape, shapeText, type Size } from "../../core/shape.ts";
import type { Images } from "../../core/types.ts";

/** The inverse problems: super-resolution of H X, inpainting behind a mask, denoising. */
export const tasks: readonly RestorationTask[] = ["superres", "inpaint", "denoise"];
/** One of the inverse problems. */
export type RestorationTask = "superres" | "inpaint" | "denoise";

/** How images were degraded. */
export interface Degradation {
  /** The inverse problem. */
  readonly task: RestorationTask;
  /** superres: how many times smaller the degraded image is, a power of 2. */
  readonly factor?: number;
  /** inpaint: the name or file of the mask. */
  readonly mask?: string;
  /** denoise: standard deviation of the noise, white being 1. */
  readonly noise?: number;
}

/** A degraded image and, if it is known, the truth. */
export interface DegradedImage {
  /** Index in the set that the image came from. */
  readonly index: number;
  /** The class; undefined if it is unknown. */
  readonly label?: number;
  /** The degraded image, channels x height x width values in about [0, 1], of the size that `observedSize` returns. */
  readonly observed: Float32Array;
  /** The clean image: bytes of the profile's size. */
  readonly truth?: Uint8Array;
}

/** Which image of a set, and its class. */
export interface ChosenImage {
  readonly index: number;
  readonly label?: number;
}

/** Keys the random numbers of noise. */
const NOISE_STREAM = 0x6e6f6973;

/** Masks by name: whether a pixel is missing, by its row and column as parts of the sides. */
const MASKS: Readonly<Record<string, (row: number, column: number) => boolean>> = {
  quarter: (row, column) => row >= 0.5 && column >= 0.5,
  half: (row) => row >= 0.5,
  center: (row, column) => row >= 0.25 && row < 0.75 && column >= 0.25 && column < 0.75,
};

/** The names of masks: the lower right quarter, the lower half, the middle of half the sides. */
export const maskNames: readonly string[] = Object.keys(MASKS);

/** Returns the mask of that name, height x width: 1 where a pixel is known, 0 where it is missing. */
export function maskOf(name: string, { height, width }: Size): Float32Array {
  return Float32Array.from({ length: height * width }, (_, p) => {
    return MASKS[name](Math.floor(p / width) / height, p % width / width) ? 0 : 1;
  });
}

/**
 * Checks that a mask of the profile's size hides some, but not all, of the pixels of images, which may be smaller than the
 * profile's and are padded. `name` is that of the mask in the error.
 *
 * @throws {Error} if none or all of the images' own pixels are missing
 */
export function checkMask(mask: Float32Array, name: string, full: Size, { height, width }: Size): void {
  const whole = new Uint8Array(height * width).fill(1);
  const inside = pad({ count: 1, height, width, pixels: whole }, 0, full), own = mask.filter((_, p) => inside[p] > 0);
  const missing = own.filter((known) => known === 0).length;
  if (missing > 0 && missing < own.length) return;
  throw new Error(
    `Cannot use the mask ${name}: expected it to hide some of the images' ${own.length} pixels, got ${missing} hidden`,
  );
}

/** Adds normal noise to image number `image`, values in [0, 1]; the result may lie outside. */
export function withNoise(
  kernels: Kernels,
  values: ArrayLike<number>,
  shape: Shape,
  { noise, seed, image }: { noise: number; seed: number; image: number },
): Float32Array {
  const normal = normals(kernels, stream(seed, NOISE_STREAM, image), lengthOf(shape));
  return Float32Array.from(normal, (n, p) => values[p] + noise * n);
}

/** Returns the size of degraded images: the last of the plan for super-resolution, the first otherwise. */
export function observedSize({ sizes }: Pick<Plan, "sizes">, { task }: Pick<Degradation, "task">): Size {
  return task === "superres" ? sizes.at(-1)! : sizes[0];
}

/**
 * Checks that a plan can restore images.
 *
 * @param path name of the images in errors
 * @throws {Error} if they have other channels than the plan or are too large
 */
export function checkImages(
  images: Images,
  plan: Plan,
  { task, isDegraded, path }: Pick<Degradation, "task"> & { readonly isDegraded: boolean; readonly path: string },
): void {
  const { channels, sizes: [full] } = plan, size = isDegraded ? observedSize(plan, { task }) : full;
  const factor = full.width / size.width;
  if ((images.channels ?? 1) === channels && images.height <= size.height && images.width <= size.width) return;
  const expected = `${channels === 1 ? "grey images" : "images"} of up to ${shapeText({ ...size, channels })}`;
  throw new Error(
    `Cannot restore ${path}: expected ${expected}, got ${shapeText(images)}${wayTo(images, size, factor)}`,
  );
}

/** What to do with images that are larger than the plan's: a sentence's end. `factor`: that of the size of what is made of them. */
function wayTo({ height, width }: Size, size: Size, factor: number): string {
  if (height <= size.height && width <= size.width) return "";
  const times = width / size.width, isMultiple = times === height / size.height && [2, 4].includes(times);
  return isMultiple
    ? `; add --size ${shapeText({ height: factor * height, width: factor * width })}`
    : "; with --faces, --degraded takes a photograph of any size, others have to be scaled down";
}

/**
 * Degrades clean images; `isDegraded` ones are taken as they are. Masks are applied later: an inpainted image has all of its
 * pixels here.
 *
 * @param seed keys the noise
 * @param path name of the images in errors
 * @throws {Error} if images have other channels than the plan or are too large
 */
export function degradeImages(
  kernels: Kernels,
  images: Images,
  chosen: readonly ChosenImage[],
  plan: Plan,
  { task, noise }: Degradation,
  { seed, isDegraded, path }: { seed: number; isDegraded: boolean; path: string },
): DegradedImage[] {
  const { sizes, channels } = plan, [full] = sizes, size = isDegraded ? observedSize(plan, { task }) : full;
  checkImages(images, plan, { task, isDegraded, path });
  return chosen.map(({ index, label }): DegradedImage => {
    const bytes = pad(images, index, size), unit = Float32Array.from(bytes, (grey) => grey / 255);
    if (isDegraded) return { index, label, observed: unit };
    const observed = task === "superres"
      ? seedImages(kernels, images, sizes, [index])
      : task === "inpaint"
      ? unit
      : withNoise(kernels, unit, { ...full, channels }, { noise: noise!, seed, image: index });
    return { index, label, observed, truth: bytes };
  });
}
