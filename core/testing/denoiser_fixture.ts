/** Fits a denoiser to small images and has it denoise batches of them, as `diffuse` does. */
import { counted } from "../counted.ts";
import type { DenoiserData, FittedDenoiser, Noisy } from "../denoiser.ts";
import { borrowing, type Kernels } from "../kernels.ts";
import { normals } from "../normals.ts";
import { optionValues } from "../options.ts";
import type { Values } from "../plugin.ts";
import { stream } from "../random.ts";
import { type NoiseLevel, noiseLevels } from "../schedule.ts";
import { lengthOf, shapeText } from "../shape.ts";
import type { Images, RandomNumbers } from "../types.ts";
import type { PluginOf } from "./check.ts";
import { blobs, changed, remember, type Untouched } from "./small_images.ts";

/** Bytes behind each array that a denoiser must leave alone. */
const GUARD = 64;
/** What the noisy images of a batch are made of: blobs that are not the training's. */
const CLEAN_COUNT = 16;

/** The noise levels of the checks, most noise first. */
export const LEVELS = noiseLevels({ schedule: "cosine", steps: 6, windows: [31, 15, 9, 7, 5, 3] });
/** Numbers of the images of a batch, in no order. */
export const DENOISED_BATCH = [3, 8, 1, 14, 6];

/** Small training images, for grey and colour, with even and odd sides. */
export const TRAINING_SETS: readonly Images[] = [
  blobs(24),
  blobs(9, 1, { height: 8, width: 12, channels: 3 }),
  blobs(7, 1, { height: 9, width: 14, channels: 1 }),
  blobs(1),
];

/** What a denoiser made of a batch, and what it changed against the rules. */
export interface DenoiseOutcome {
  /** x̂: batch x channels x height x width. */
  readonly images: Float32Array;
  /** The images before noise was added, shaped as `images`. */
  readonly clean: Float32Array;
  /** x_t / sqrt(a). */
  readonly scaled: Float32Array;
  /**
   * For each image of the batch the weights of all training images in its middle pixel, for denoisers that have `weights`, where
   * they were asked for.
   */
  readonly weights: readonly Float64Array[];
  /** What it changed besides `out`, if anything. */
  readonly wrote?: string;
  /** How it took kernel memory, if it did. */
  readonly grew?: string;
}

/** A fitted denoiser. */
export interface DenoiserFixture {
  readonly fitted: FittedDenoiser;
  /** What `fit` changed, if anything. */
  readonly wrote?: string;
  /** Denoises images of these numbers at one level, and asks for the weights. */
  denoise(images: readonly number[], noise: NoiseLevel): DenoiseOutcome;
  /** The denoised images, one text for each. Asks for no weights: they can take longer than the images. */
  texts(images: readonly number[], noise: NoiseLevel): string[];
}

/** A fitted denoiser, and what its batches are made of. */
interface FixtureState {
  readonly kernels: Kernels;
  readonly fitted: FittedDenoiser;
  readonly training: Images;
  /** Values of an image. */
  readonly length: number;
  readonly clean: Images;
  /** The training images in kernel memory. */
  readonly rows: Untouched;
}

/** Fits a plugin's denoiser with its default options, or these. The caller releases the kernel memory. */
export function denoiserFixture(
  plugin: PluginOf<"denoiser">,
  kernels: Kernels,
  training: Images = TRAINING_SETS[0],
  values: Values = optionValues(plugin, {}),
): DenoiserFixture {
  const { count, height, width, channels = 1, pixels } = training;
  const length = lengthOf(training);
  const at = kernels.allocate(pixels.length);
  kernels.u8(at, pixels.length).set(pixels);
  const rows = remember(kernels, "the training images", at, pixels.length);
  const data: DenoiserData = {
    training: { count, height, width, channels, at },
    batch: DENOISED_BATCH.length,
    levels: LEVELS,
    kernels,
  };
  const fitted = plugin.create(values).fit(data);
  const wrote = changed(kernels, [rows]);
  const clean = blobs(CLEAN_COUNT, 2, { height, width, channels });
  const state = { kernels, fitted, training, length, clean, rows };
  const denoise = (images: readonly number[], noise: NoiseLevel, weighed: boolean) => {
    return borrowing(kernels, () => denoiseOnce(state, images, noise, weighed));
  };
  return {
    fitted,
    wrote,
    denoise: (images, noise) => denoise(images, noise, true),
    texts(images, noise) {
      const { images: denoised } = denoise(images, noise, false);
      return images.map((_, b) => denoised.subarray(b * length, (b + 1) * length).join(" "));
    },
  };
}

/** Denoises images of these numbers at one level, asks for the weights if `weighed`, and looks what else changed. */
function denoiseOnce(
  state: FixtureState,
  images: readonly number[],
  noise: NoiseLevel,
  weighed: boolean,
): DenoiseOutcome {
  const { kernels, fitted, length, clean, rows } = state;
  const values = images.length * length;
  const bytes = values * 4;
  const noisyAt = kernels.allocate(bytes + GUARD);
  const outAt = kernels.allocate(bytes + GUARD);
  const units = Float32Array.from({ length: values }, (_, i) => {
    return 2 * clean.pixels[images[Math.floor(i / length)] * length + i % length] / 255 - 1;
  });
  const noisyValues = underNoise(kernels, units, images, noise); // before any view: memory may grow
  const noisy: Noisy = {
    batch: images.length,
    images: kernels.f32(noisyAt, values),
    random: randomNumbers(images, noise),
  };
  noisy.images.set(noisyValues);
  const out = { images: kernels.f32(outAt, values) };
  out.images.fill(NaN);
  const untouched = [
    rows,
    remember(kernels, "the noisy images", noisyAt, bytes + GUARD),
    remember(kernels, "the memory behind out.images", outAt + bytes, GUARD),
  ];
  const top = kernels.mark();
  const size = kernels.memory.buffer.byteLength;
  fitted.denoise(noisy, noise, out);
  const denoised = kernels.f32(outAt, values).slice();
  const weights = weighed ? weightsOf(state, noisy, noise) : [];
  const grew = kernels.mark() !== top || kernels.memory.buffer.byteLength !== size;
  return {
    images: denoised,
    clean: units,
    scaled: kernels.f32(noisyAt, values).map((value) => value / Math.sqrt(noise.alphaBar)),
    weights,
    wrote: changed(kernels, untouched),
    grew: grew ? `${kernels.mark() - top} bytes more in use` : undefined,
  };
}

/** The weights of the training images in the middle pixel of each image, where the denoiser has `weights`. */
function weightsOf({ fitted, training }: FixtureState, noisy: Noisy, noise: NoiseLevel): Float64Array[] {
  const { count, height, width } = training;
  const middle = { y: height >> 1, x: width >> 1 };
  if (!fitted.weights) return [];
  return Array.from({ length: noisy.batch }, (_, image) => {
    const shares = new Float64Array(count).fill(NaN);
    fitted.weights!(noisy, noise, { image, ...middle }, shares);
    return shares;
  });
}

/** x_t of images; the noise of one depends on its number and the level alone. */
function underNoise(
  kernels: Kernels,
  clean: Float32Array,
  images: readonly number[],
  { alphaBar, step }: NoiseLevel,
): Float32Array {
  const length = clean.length / images.length;
  const noise = images.map((image) => normals(kernels, stream(5, image, step), length));
  return clean.map((value, i) => {
    return Math.sqrt(alphaBar) * value + Math.sqrt(1 - alphaBar) * noise[Math.floor(i / length)][i % length];
  });
}

/** The random numbers of images at a level. */
function randomNumbers(images: readonly number[], { step }: NoiseLevel): RandomNumbers {
  return {
    uniforms(out, draw = 0) {
      images.forEach((image, b) => out[b] = stream(7, image, step, draw).next());
    },
  };
}

/** The training images of a check, for an error. */
export function setText(training: Images): string {
  return `${counted(training.count, "training image")} of ${shapeText(training)}`;
}
