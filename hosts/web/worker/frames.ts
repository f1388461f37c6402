/** Synthesizes the images of a request and shows them after every step and iteration. */
import { byteOf } from "../../../core/bytes.ts";
import { borrowing, type Kernels } from "../../../core/kernels.ts";
import { pad } from "../../../core/pyramid.ts";
import { lengthOf, type Shape, type Size } from "../../../core/shape.ts";
import { eachEvent, PROGRESS, type Steps } from "../../../core/steps.ts";
import type { Images } from "../../../core/types.ts";
import type { SeedsEvent } from "../../../pipelines/run/events.ts";
import type { SynthesisRequest } from "../../../pipelines/synthesis/request.ts";
import type {
  ResultImage,
  SynthesisProgress,
  SynthesisStep,
  Synthesizer,
} from "../../../pipelines/synthesis/synthesizer.ts";
import type { Frame, PictureResult } from "./protocol.ts";

/**
 * Synthesizes the images of a request. Calls `show` with the seed images, if the request has none of its own, or with the steps of
 * images from noise; then with the interpolated LR images that each layer begins with, and with the images after each iteration.
 * Yields after each of them.
 *
 * @param scratch kernels with a memory of their own
 */
export function* synthesizeFrames(
  synthesizer: Synthesizer,
  scratch: Kernels,
  request: SynthesisRequest,
  show: (frame: Frame) => void,
): Steps<PictureResult[]> {
  const seeds = synthesizer.seedImages(request);
  if (seeds && !request.seedImages) {
    const { images, count, ...shape } = seeds, pictures = split(Uint8Array.from(images, byteOf), count);
    show({ layer: synthesizer.plan.layers.length, iteration: -1, shape, pictures, done: 0 });
  }
  const iterations = iterationFrames(
    scratch,
    request,
    seeds && { values: seeds.images, length: lengthOf(seeds) },
    show,
  );
  const noise = noiseFrames(request, show);
  const seeded = seeds ? { ...request, seedImages: seeds.images } : request;
  const result = yield* eachEvent(synthesizer.synthesize(seeded), function* (event) {
    if (event.type === "iteration") iterations.show(event);
    if (event.type === "step") noise.show(event);
    if (event.type === "seeds") {
      const quilted = quiltedFrame(synthesizer, request, event);
      if (quilted) show(quilted);
      else noise.choose(event);
      iterations.begin(event.seedImages);
    }
    yield PROGRESS;
  });
  const { plan, images } = result;
  return images.map((image) => pictureResult(image, synthesizer.pack.train.images, plan.sizes[0]));
}

/** Quilted images as a frame; undefined for images from noise. Where no layer follows, it is the last one, which can be traced. */
function quiltedFrame(
  { plan: { aligned, channels } }: Synthesizer,
  { images }: SynthesisRequest,
  { numbers, seedImages, layer, height, width }: SeedsEvent,
): Frame | undefined {
  if (aligned) return undefined;
  const drawn = split(Uint8Array.from(seedImages, byteOf), numbers.length);
  const pictures = images.map((image) => drawn[numbers.indexOf(image)]);
  return { layer, iteration: layer === 0 ? 0 : -1, shape: { height, width, channels }, pictures, done: 0 };
}

/** Shows iterations, and before the first one of each layer the interpolated images of the layer before. */
function iterationFrames(
  scratch: Kernels,
  request: SynthesisRequest,
  seeds: { readonly values: Float32Array; readonly length: number } | undefined,
  show: (frame: Frame) => void,
) {
  let low: Float32Array = new Float32Array(), before = -1;
  return {
    /** Takes the images from noise that the layers begin with. */
    begin: (seedImages: Float32Array) => void (low = seedImages),
    show({ layer, iteration, height, width, channels, images, numbers, done }: SynthesisProgress): void {
      const shape = { height, width, channels }, count = numbers.length;
      const frame = (iteration: number, values: Float32Array): Frame => {
        const drawn = split(Uint8Array.from(values, byteOf), count);
        const pictures = request.images.map((image) => drawn[numbers.indexOf(image)]);
        return { layer, iteration, shape, pictures, done };
      };
      // A batch begins with its seed images; so do those of its images that are drawn again.
      if (seeds && layer > before) {
        const places = numbers.map((number) => request.images.indexOf(number));
        low = joined(places.map((n) => seeds.values.subarray(n * seeds.length, (n + 1) * seeds.length)));
      }
      if (iteration === 0) show(frame(-1, interpolate(scratch, low, shape, count)));
      show(frame(iteration, images));
      low = images.map((value) => Math.min(Math.max(value, 0), 1));
      before = layer;
    },
  };
}

/** Shows the steps of images from noise. If an image was made several times, the steps of the chosen attempt are shown last. */
function noiseFrames(request: SynthesisRequest, show: (frame: Frame) => void) {
  /** By image and attempt. */
  const films = new Map<string, Frame[]>(), shown = new Map<number, number>();
  const keyOf = (image: number, attempt: number) => `${image} ${attempt}`;
  return {
    show({ step, steps, layer, height, width, channels, alphaBar, window, ...event }: SynthesisStep): void {
      const { numbers, attempts, done } = event, shape = { height, width, channels }, count = numbers.length;
      const [noisy, estimates] = [event.noisy, event.denoised].map((values) => {
        return split(Uint8Array.from(values, (value) => byteOf((value + 1) / 2)), count);
      });
      const frameOf = (wanted: readonly number[]): Frame => {
        const places = request.images.map((image) => wanted.includes(image) ? numbers.indexOf(image) : -1);
        const at = <T>(values: readonly T[]): (T | undefined)[] => places.map((place) => values[place]);
        const noise = { steps, alphaBar, window, noisy: at(noisy), attempts: at(attempts) };
        return { layer, iteration: step, shape, pictures: at(estimates), done, noise };
      };
      numbers.forEach((number, n) => {
        const key = keyOf(number, attempts[n]);
        films.set(key, [...step === 0 ? [] : films.get(key) ?? [], frameOf([number])]);
        shown.set(number, attempts[n]);
      });
      show(frameOf(numbers));
    },
    choose({ numbers, attempts }: SeedsEvent): void {
      numbers.forEach((number, n) => {
        if (shown.get(number) === attempts[n]) return;
        shown.set(number, attempts[n]);
        for (const frame of films.get(keyOf(number, attempts[n])) ?? []) show(frame);
      });
    },
  };
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

/** Puts images one after another. */
function joined(images: readonly Float32Array[]): Float32Array {
  return Float32Array.from(images.flatMap((image) => [...image]));
}

/** Cuts the bytes of `count` pictures apart. */
function split(bytes: Uint8Array, count: number): Uint8Array[] {
  const length = bytes.length / count;
  return Array.from({ length: count }, (_, i) => bytes.slice(i * length, (i + 1) * length));
}
