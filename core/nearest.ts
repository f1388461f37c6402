/** Nearest training images, as the frames of the paper's figures and its originality measure need them. */
import type { Kernels } from "./kernels.ts";
import type { TrainingPyramid } from "./pyramid.ts";

/** The training image nearest to an image, and how far it is from its own nearest (section "Originality"). */
export interface Nearest {
  /** X_NN: its number in the training set, -1 where that is empty. */
  readonly image: number;
  /** d_G: L2 distance of the image to it, pixels in [0, 1]. */
  readonly distance: number;
  /** d_T: L2 distance from it to the nearest other training image; Infinity where there is none. */
  readonly trainingDistance: number;
}

/** Finds the nearest training image of each of the images in `pixels` (size^2 bytes each, one after another). */
export function nearestTraining(kernels: Kernels, training: TrainingPyramid, pixels: Uint8Array): Nearest[] {
  const { at, count, size } = training.hr[0], length = size * size;
  const mark = kernels.mark(), query = kernels.allocate(length), out = kernels.allocate(8);
  const found = Array.from({ length: pixels.length / length }, (_, i) => {
    kernels.u8(query, length).set(pixels.subarray(i * length, (i + 1) * length));
    const image = kernels.nearest(at, count, length, query, -1, out);
    const distance = Math.sqrt(kernels.f64(out, 1)[0]) / 255;
    kernels.nearest(at, count, length, at + Math.max(image, 0) * length, image, out);
    return { image, distance, trainingDistance: Math.sqrt(kernels.f64(out, 1)[0]) / 255 };
  });
  kernels.release(mark);
  return found;
}
