/** Small, reproducible images to check plugins with. */
import type { Kernels } from "../kernels.ts";
import { stream } from "../random.ts";
import { lengthOf, type Shape, squareOf } from "../shape.ts";
import type { Images } from "../types.ts";

/** Side of the images, in pixels. */
export const SIDE = 16;

/** Images of three soft blobs on black, darker from channel to channel. A little noise keeps distances from being equal. */
export function blobs(count: number, seed = 1, shape: Shape = { ...squareOf(SIDE), channels: 1 }): Images {
  const random = stream(seed);
  const { height, width, channels = 1 } = shape;
  const pixels = new Uint8Array(count * lengthOf(shape));
  let at = 0;
  for (let i = 0; i < count; i++) {
    const centres = Array.from({ length: 3 }, () => [random.next(), random.next(), 2 + 3 * random.next()]);
    for (let channel = 0; channel < channels; channel++) {
      for (let p = 0; p < height * width; p++) {
        const row = Math.floor(p / width);
        const column = p % width;
        let light = 0;
        for (const [y, x, breadth] of centres) {
          const distance = (row - height * y) ** 2 + (column - width * x) ** 2;
          light += Math.exp(-distance / (2 * breadth * breadth));
        }
        pixels[at++] = Math.min(100 / (channel + 1) * light + 20 * random.next(), 255);
      }
    }
  }
  return { count, ...shape, pixels };
}

/** Black and white noise: far from any blobs. */
export function noise(count: number, seed = 1): Images {
  const random = stream(seed);
  const pixels = Uint8Array.from({ length: count * SIDE * SIDE }, () => 256 * random.next());
  return { count, height: SIDE, width: SIDE, pixels };
}

/** The images of these numbers, in this order; a number may repeat. */
export function pick(images: Images, numbers: readonly number[]): Images {
  const length = images.height * images.width;
  const pixels = new Uint8Array(numbers.length * length);
  numbers.forEach((n, i) => pixels.set(images.pixels.subarray(n * length, (n + 1) * length), i * length));
  return { ...images, count: numbers.length, pixels };
}

/** A range of kernel memory that must not change, with its present content. */
export interface Untouched {
  readonly what: string;
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** Remembers the content of a range of kernel memory. */
export function remember(kernels: Kernels, what: string, at: number, length: number): Untouched {
  return { what, at, bytes: kernels.u8(at, length).slice() };
}

/** The name of the first range that has changed, if any. */
export function changed(kernels: Kernels, stretches: readonly Untouched[]): string | undefined {
  return stretches.find(({ at, bytes }) => {
    const now = kernels.u8(at, bytes.length);
    // A loop: the checks compare some 100 KB after each draw.
    for (let i = 0; i < bytes.length; i++) if (bytes[i] !== now[i]) return true;
    return false;
  })?.what;
}
