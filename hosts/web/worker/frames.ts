/** Synthesizes the images of a request and shows them after every iteration. */
import { byteOf } from "../../../core/bytes.ts";
import { borrowing, type Kernels } from "../../../core/kernels.ts";
import { pad } from "../../../core/pyramid.ts";
import { lengthOf, type Shape, type Size } from "../../../core/shape.ts";
import { eachEvent, PROGRESS, type Steps } from "../../../core/steps.ts";
import type { Images } from "../../../core/types.ts";
import type { SynthesisRequest } from "../../../pipelines/synthesis/request.ts";
import type { ResultImage, Synthesizer } from "../../../pipelines/synthesis/synthesizer.ts";
import type { Frame, PictureResult } from "./protocol.ts";

/**
 * Synthesizes the images of a request. Calls `show` with the seed images, if the request has none of its own, with the interpolated
 * LR images that each layer begins with, and with the images after each iteration. Yields after each step.
 *
 * @param scratch kernels with a memory of their own
 */
export function* synthesizeFrames(
  synthesizer: Synthesizer,
  scratch: Kernels,
  request: SynthesisRequest,
  show: (frame: Frame) => void,
): Steps<PictureResult[]> {
  const { images: seeds, count: _, ...seedShape } = synthesizer.seedImages(request), inSeed = lengthOf(seedShape);
  if (!request.seedImages) {
    const pictures = split(Uint8Array.from(seeds, byteOf), request.images.length);
    show({ layer: synthesizer.plan.layers.length, iteration: -1, shape: seedShape, pictures, done: 0 });
  }
  let low = seeds, before = -1;
  const result = yield* eachEvent(synthesizer.synthesize({ ...request, seedImages: seeds }), function* (event) {
    if (event.type !== "iteration") return yield PROGRESS;
    const { layer, iteration, height, width, channels, images, numbers, done } = event;
    const shape = { height, width, channels }, count = numbers.length;
    const frame = (iteration: number, values: Float32Array): Frame => {
      const drawn = split(Uint8Array.from(values, byteOf), count);
      const pictures = request.images.map((image) => drawn[numbers.indexOf(image)]);
      return { layer, iteration, shape, pictures, done };
    };
    // A batch begins with its seed images; so do those of its images that are drawn again.
    if (layer > before) low = joined(numbers.map((number) => imageAt(seeds, inSeed, request.images.indexOf(number))));
    if (iteration === 0) show(frame(-1, interpolate(scratch, low, shape, count)));
    show(frame(iteration, images));
    low = images.map((value) => Math.min(Math.max(value, 0), 1));
    before = layer;
    yield PROGRESS;
  });
  const { plan, images } = result;
  return images.map((image) => pictureResult(image, synthesizer.pack.train.images, plan.sizes[0]));
}

/** The parts of a finished image that the page uses. */
function pictureResult(
  { number, label, pixels, nearest, contributors, correction, seedNumber }: ResultImage,
  training: Images,
  size: Size,
): PictureResult {
  const shown = nearest && { ...nearest, pixels: pad(training, nearest.image, size) };
  return { number, label, pixels, nearest: shown, contributors, correction, seedNumber };
}

/** Interpolates images to a shape of twice their height and width. */
function interpolate(scratch: Kernels, low: Float32Array, shape: Required<Shape>, count: number): Float32Array {
  return borrowing(scratch, () => {
    const from = scratch.allocate(low.length * 4), length = count * lengthOf(shape);
    const to = scratch.allocate(length * 4);
    scratch.f32(from, low.length).set(low);
    scratch.up(from, to, shape.height, shape.width, count * shape.channels);
    return scratch.f32(to, length).slice();
  });
}

/** Image number `i` of images of `length` values each. */
function imageAt(images: Float32Array, length: number, i: number): Float32Array {
  return images.subarray(i * length, (i + 1) * length);
}

/** Puts images one after another. */
function joined(images: readonly Float32Array[]): Float32Array {
  return Float32Array.from(images.flatMap((image) => [...image]));
}

/** Cuts the bytes of `count` pictures apart. */
function split(bytes: Uint8Array, count: number): Uint8Array[] {
  const length = bytes.length / count;
  return Array.from({ length: count }, (_, i) => bytes.slice(i * length, (i + 1) * length));
}
