import type { BatchPixel, Denoised, DenoiserData, FittedDenoiser, Noisy } from "../../core/denoiser.ts";
import type { Address, LocalScore } from "../../core/kernel_arguments.ts";
import { localScoreScratch } from "../../core/kernel_limits.ts";
import { stepWork } from "../../core/kernel_work.ts";
import { definePlugin, type Options, type Values } from "../../core/plugin.ts";
import { MAX_WINDOW, type NoiseLevel } from "../../core/schedule.ts";
import { areaOf, lengthOf } from "../../core/shape.ts";
import type { Rows } from "../../core/types.ts";

const OPTIONS = {
  response: {
    default: "centre",
    choices: ["centre", "patch"],
    about: "what a window decides: its centre pixel, or all its pixels, where windows that overlap are averaged",
  },
  draw: {
    default: "mean",
    choices: ["mean", "one"],
    about: "what is taken of the training images that a window could come from: their mean, or one at random",
  },
  temperature: {
    default: 1,
    min: 0.01,
    max: 100,
    about: "divides the logarithms of the weights; below 1: fewer training images count in a pixel, sharper",
  },
  mirror: {
    default: 0,
    min: 0,
    max: 1,
    about: "how much the window of the mirror place on the other side of the image counts, too; larger: more symmetric",
  },
  neighbourWindow: {
    default: 1,
    min: 1,
    max: 16,
    integer: true,
    about: "training images are also compared moved by less than this each way; larger: for unaligned images, slower",
  },
  subset: {
    default: 1,
    min: 0.001,
    max: 1,
    about:
      "part of the training images, those nearest as a whole, that take part at much noise, at little half of it; 1: all",
  },
} as const satisfies Options;

/**
 * The local score machine (Kamb and Ganguli, 2025): each pixel of x_t asks its own window which training images it could come from,
 * w_n(p) ~ exp(-|x_t - s x_n|^2 / (2 b)) over the window, and x̂(p) is their mean. It is equation (posterior example based) of the
 * paper with h = infinity and rho = a / b, and the mean as z-step.
 */
export const localScore = definePlugin({
  api: 1,
  kind: "denoiser",
  name: "local-score",
  about: "each pixel is the mean of the training images that its window could come from",
  options: OPTIONS,
  create: (values) => ({
    fit: (data) => values.mirror > 0 ? fitMirrored(data, values) : fitWindows(data, values),
    stepWork(count, shape) {
      const moves = (2 * values.neighbourWindow - 1) ** 2, halves = values.mirror > 0 ? 2 : 1;
      // With `subset` the nearest training images are searched for each image.
      return moves * halves * stepWork(count, shape) + (values.subset < 1 ? PER_CHOSEN * count * lengthOf(shape) : 0);
    },
  }),
});

/** The byte of a training image where it has no mirrored value: the middle, 127.5, rounded. */
const MIDDLE = 128;

/** To compare a value of a training image as a whole takes some nanosecond. */
const PER_CHOSEN = 10;

/**
 * Adds the window of the mirror place, column W - x for column x of W, to each window: L'(p) = L(p) + mirror L(p mirrored). Images
 * have a second half of channels for it, which holds them mirrored and sqrt(mirror) times as strong, rounded to bytes. Column 0 has
 * no partner.
 */
function fitMirrored(data: DenoiserData, options: Values<typeof OPTIONS>): FittedDenoiser {
  const { training, kernels, batch } = data, { count, channels, width } = training, length = lengthOf(training);
  if (options.neighbourWindow > 1) {
    throw new Error(
      "Cannot fit local-score: expected neighbourWindow 1 with mirror, as moved images have moved mirrors",
    );
  }
  const strength = Math.sqrt(options.mirror), at = kernels.allocate(count * 2 * length);
  const noisyAt = kernels.allocate(batch * 2 * length * 4);
  /** For each value of an image the place of the mirrored one; -1 for column 0. */
  const partners = Int32Array.from({ length }, (_, i) => i % width === 0 ? -1 : i - 2 * (i % width) + width);
  kernels.u8(at, count * 2 * length).set(doubledImages(data, strength, partners));
  const inner = fitWindows({ ...data, training: { ...training, channels: 2 * channels, at } }, options, channels);
  const withMirror = (noisy: Noisy): Noisy => {
    const images = kernels.f32(noisyAt, noisy.batch * 2 * length);
    for (let b = 0; b < noisy.batch; b++) {
      const own = noisy.images.subarray(b * length, (b + 1) * length);
      images.set(own, 2 * b * length);
      for (let i = 0; i < length; i++) {
        images[(2 * b + 1) * length + i] = partners[i] < 0 ? 0 : strength * own[partners[i]];
      }
    }
    return { ...noisy, images };
  };
  return {
    ...inner,
    denoise: (noisy, noise, out) => inner.denoise(withMirror(noisy), noise, out),
    weights: (noisy, noise, pixel, out) => inner.weights!(withMirror(noisy), noise, pixel, out),
  };
}

/** The last images with mirrored channels: each task of a run fits to the same training images. They are kept as long as these are. */
const doubledByImages = new WeakMap<Rows, { readonly strength: number; readonly images: Uint8Array }>();

/** The training images, each followed by its mirrored one, as `fitMirrored` compares them. */
function doubledImages({ training, kernels }: DenoiserData, strength: number, partners: Int32Array): Uint8Array {
  const kept = doubledByImages.get(training);
  if (kept?.strength === strength) return kept.images;
  const { count } = training, length = lengthOf(training);
  const weaker = Uint8Array.from({ length: 256 }, (_, byte) => Math.round(127.5 + strength * (byte - 127.5)));
  const rows = kernels.u8(training.at, count * length), images = new Uint8Array(count * 2 * length);
  for (let n = 0; n < count; n++) {
    const from = n * length, to = (2 * n + 1) * length;
    images.set(rows.subarray(from, from + length), to - length);
    for (let i = 0; i < length; i++) images[to + i] = partners[i] < 0 ? MIDDLE : weaker[rows[from + partners[i]]];
  }
  doubledByImages.set(training, { strength, images });
  return images;
}

/** `answered`: how many channels are estimated, the first ones. */
function fitWindows(
  data: DenoiserData,
  options: Values<typeof OPTIONS>,
  answered = data.training.channels,
): FittedDenoiser {
  const windows = new WindowScores(data, options, answered);
  return {
    denoise: (noisy, noise, out) => windows.denoise(noisy, noise, out),
    weights: (noisy, noise, pixel, out) => windows.weights(noisy, noise, pixel, out),
    // With a subset, which training images are nearest depends on all of them.
    ...options.subset === 1 && { compared: (image, name) => windows.nameUsed(image, name) },
  };
}

/** The questions to the kernel about the windows of a batch, and the memory of their answers. */
class WindowScores {
  readonly #data: DenoiserData;
  readonly #options: Values<typeof OPTIONS>;
  /** What all questions to the kernel share. */
  readonly #common: Pick<
    LocalScore,
    "channels" | "answered" | "height" | "width" | "rows" | "shift" | "scratch" | "response"
  >;
  /** Moves at which an example is compared. */
  readonly #moves: number;
  /** `batch` x `count` bytes: whether a training image counted in an image. */
  readonly #used: Address;
  /** Weights of all training images at all moves. */
  readonly #weights: Address;
  /** With `draw` "one" the random numbers of all pixels of a batch. */
  readonly #uniform?: Address;
  /** With `subset` the numbers of the training images that take part. */
  readonly #numbers?: Address;

  constructor(data: DenoiserData, options: Values<typeof OPTIONS>, answered: number) {
    const { training, kernels, batch } = data, { count, channels, height, width } = training;
    const { response, draw, neighbourWindow, subset } = options;
    const shift = neighbourWindow - 1;
    this.#moves = (2 * shift + 1) ** 2;
    this.#data = data;
    this.#options = options;
    this.#common = {
      channels,
      answered,
      height,
      width,
      rows: training.at,
      shift,
      scratch: kernels.allocate(localScoreScratch({ channels, height, width, window: MAX_WINDOW })),
      response: response === "patch" ? 1 : 0,
    };
    this.#used = kernels.allocate(batch * count);
    this.#weights = kernels.allocate(count * this.#moves * 4);
    if (draw === "one") this.#uniform = kernels.allocate(batch * areaOf(training) * 8);
    if (subset < 1) this.#numbers = kernels.allocate(count * 4);
  }

  denoise(noisy: Noisy, noise: NoiseLevel, { images }: Denoised): void {
    if (noisy.batch === 0) return;
    const { kernels, training, batch } = this.#data;
    kernels.u8(this.#used, batch * training.count).fill(0);
    this.#drawUniforms(noisy);
    // With a subset each image has nearest ones of its own.
    const together = this.#numbers === undefined ? noisy.batch : 1;
    for (let first = 0; first < noisy.batch; first += together) {
      const question = this.#question(noisy, noise, images.byteOffset, first, together);
      kernels.localScore(question, signalOf(noise), this.#varianceOf(noise));
    }
  }

  weights(noisy: Noisy, noise: NoiseLevel, { image, y, x }: BatchPixel, out: Float64Array): void {
    const { kernels, training: { height, width } } = this.#data;
    // Nothing is written to the output of this question.
    const question = this.#question(noisy, noise, 0, image, 1);
    const reach = this.#common.response === 1 ? noise.window >> 1 : 0;
    const top = Math.max(y - reach, 0), bottom = Math.min(y + reach, height - 1);
    const left = Math.max(x - reach, 0), right = Math.min(x + reach, width - 1);
    const windows = (bottom - top + 1) * (right - left + 1);
    out.fill(0);
    for (let row = top; row <= bottom; row++) {
      for (let column = left; column <= right; column++) {
        kernels.localScoreWeights(question, signalOf(noise), this.#varianceOf(noise), 0, row, column, this.#weights);
        const weights = kernels.f32(this.#weights, question.count * this.#moves);
        const numbers = this.#numbers === undefined ? undefined : kernels.u32(this.#numbers, question.count);
        for (let c = 0; c < weights.length; c++) {
          const position = Math.floor(c / this.#moves);
          out[numbers ? numbers[position] : position] += weights[c] / windows;
        }
      }
    }
  }

  /** Names the training images that counted in an image of the last batch. */
  nameUsed(image: number, name: (source: number) => void): void {
    const { kernels, training: { count } } = this.#data;
    kernels.u8(this.#used + image * count, count).forEach((isUsed, n) => isUsed && name(n));
  }

  /** What the kernel is asked about `images` images of a batch from number `first` on. */
  #question(noisy: Noisy, noise: NoiseLevel, out: Address, first: number, images: number): LocalScore {
    const { kernels, training } = this.#data, { count } = training, length = lengthOf(training);
    const at = noisy.images.byteOffset + first * length * 4, numbers = this.#numbers;
    return {
      ...this.#common,
      window: noise.window,
      numbers,
      count: numbers === undefined
        ? count
        : chooseNearest(this.#data, kernels.f32(at, length), noise, this.#options.subset, kernels.u32(numbers, count)),
      images: at,
      batch: images,
      uniform: this.#uniform === undefined ? undefined : this.#uniform + first * areaOf(training) * 8,
      used: numbers === undefined ? this.#used + first * count : undefined,
      out: out + first * this.#common.answered! * areaOf(training) * 4,
    };
  }

  /** Draws one number for all windows of an image: windows that overlap draw the same training image where they can. */
  #drawUniforms(noisy: Noisy): void {
    if (this.#uniform === undefined) return;
    const area = areaOf(this.#data.training);
    const perImage = new Float64Array(noisy.batch),
      perPixel = this.#data.kernels.f64(this.#uniform, noisy.batch * area);
    noisy.random.uniforms(perImage);
    for (let i = 0; i < perPixel.length; i++) perPixel[i] = perImage[Math.floor(i / area)];
  }

  #varianceOf({ alphaBar }: NoiseLevel): number {
    return (1 - alphaBar) * this.#options.temperature;
  }
}

function signalOf({ alphaBar }: NoiseLevel): number {
  return Math.sqrt(alphaBar);
}

/**
 * Chooses the training images whose whole is nearest to x_t, in their order (GoldDiff, 2026): `subset` of them in the first step,
 * half of that in the last. Returns how many.
 */
function chooseNearest(
  { training, kernels, levels }: DenoiserData,
  noisy: Float32Array,
  { alphaBar, step }: NoiseLevel,
  subset: number,
  out: Uint32Array,
): number {
  const { count, at } = training, length = lengthOf(training), perByte = 2 * Math.sqrt(alphaBar) / 255;
  const bytes = kernels.u8(at, count * length), black = Math.sqrt(alphaBar), distances = new Float64Array(count);
  kernels.addWork(PER_CHOSEN * count * length);
  for (let n = 0, p = 0; n < count; n++) {
    let sum = 0;
    for (let i = 0; i < length; i++, p++) {
      const difference = noisy[i] + black - perByte * bytes[p];
      sum += difference * difference;
    }
    distances[n] = sum;
  }
  const part = subset * (1 - step / Math.max(levels.length - 1, 1) / 2), taken = Math.max(1, Math.ceil(part * count));
  const nearest = Array.from(distances, (_, n) => n).sort((a, b) => distances[a] - distances[b] || a - b);
  out.set(nearest.slice(0, taken).sort((a, b) => a - b));
  return taken;
}
