import type { BatchPixel, Denoised, DenoiserData, FittedDenoiser, Noisy } from "../../core/denoiser.ts";
import type { LocalScore } from "../../core/kernel_functions.ts";
import { localScoreScratch } from "../../core/kernel_limits.ts";
import { definePlugin } from "../../core/plugin.ts";
import { MAX_WINDOW, type NoiseLevel } from "../../core/schedule.ts";
import { areaOf, lengthOf } from "../../core/shape.ts";

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
  options: {
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
      about:
        "how much the window of the mirror place on the other side of the image counts, too; larger: more symmetric",
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
  },
  create: (values) => ({ fit: (data) => values.mirror > 0 ? fitMirrored(data, values) : fitWindows(data, values) }),
});

/** The values of the options. */
interface LocalScoreOptions {
  readonly response: string;
  readonly draw: string;
  readonly temperature: number;
  readonly mirror: number;
  readonly neighbourWindow: number;
  readonly subset: number;
}

/**
 * Adds the window of the mirror place, column W - x for column x of W, to each window: L'(p) = L(p) + mirror L(p mirrored). Images
 * have a second half of channels for it, which holds them mirrored and sqrt(mirror) times as strong, rounded to bytes. Column 0 has
 * no partner.
 */
function fitMirrored(data: DenoiserData, options: LocalScoreOptions): FittedDenoiser {
  const { training, kernels, batch } = data, { count, channels, width } = training, length = lengthOf(training);
  if (options.neighbourWindow > 1) {
    throw new Error(
      "Cannot fit local-score: expected neighbourWindow 1 with mirror, as moved images have moved mirrors",
    );
  }
  const strength = Math.sqrt(options.mirror), at = kernels.allocate(count * 2 * length);
  const noisyAt = kernels.allocate(batch * 2 * length * 4), outAt = kernels.allocate(batch * 2 * length * 4);
  /** The place in an image of the mirrored value number `i`; -1 for column 0. */
  const partner = (i: number) => i % width === 0 ? -1 : i - 2 * (i % width) + width;
  const rows = kernels.u8(training.at, count * length), doubled = kernels.u8(at, count * 2 * length);
  for (let n = 0; n < count; n++) {
    const own = rows.subarray(n * length, (n + 1) * length);
    doubled.set(own, 2 * n * length);
    for (let i = 0; i < length; i++) {
      const from = partner(i), byte = from < 0 ? 127.5 : own[from];
      doubled[(2 * n + 1) * length + i] = Math.round(127.5 + strength * (byte - 127.5));
    }
  }
  const inner = fitWindows({ ...data, training: { ...training, channels: 2 * channels, at } }, options);
  const withMirror = (noisy: Noisy): Noisy => {
    const images = kernels.f32(noisyAt, noisy.batch * 2 * length);
    for (let b = 0; b < noisy.batch; b++) {
      const own = noisy.images.subarray(b * length, (b + 1) * length);
      images.set(own, 2 * b * length);
      for (let i = 0; i < length; i++) {
        const from = partner(i);
        images[(2 * b + 1) * length + i] = from < 0 ? 0 : strength * own[from];
      }
    }
    return { ...noisy, images };
  };
  return {
    ...inner,
    denoise(noisy, noise, out) {
      const both = kernels.f32(outAt, noisy.batch * 2 * length);
      inner.denoise(withMirror(noisy), noise, { images: both });
      for (let b = 0; b < noisy.batch; b++) {
        out.images.set(both.subarray(2 * b * length, (2 * b + 1) * length), b * length);
      }
    },
    weights: (noisy, noise, pixel, out) => inner.weights!(withMirror(noisy), noise, pixel, out),
  };
}

function fitWindows(data: DenoiserData, options: LocalScoreOptions): FittedDenoiser {
  const { response, draw, temperature, neighbourWindow, subset } = options;
  const { training, kernels, batch } = data, { count, channels, height, width } = training;
  const shape = { channels, height, width }, area = areaOf(training), length = lengthOf(training);
  const shift = neighbourWindow - 1, moves = (2 * shift + 1) ** 2;
  const scratch = kernels.allocate(localScoreScratch({ ...shape, window: MAX_WINDOW }));
  const used = kernels.allocate(batch * count), weightsAt = kernels.allocate(count * moves * 4);
  const uniform = draw === "one" ? kernels.allocate(batch * area * 8) : undefined;
  const numbers = subset < 1 ? kernels.allocate(count * 4) : undefined;
  const common = { ...shape, rows: training.at, shift, scratch, response: response === "patch" ? 1 : 0 } as const;

  /** What the kernel is asked about `images` images of a batch from number `first` on. */
  const question = (noisy: Noisy, noise: NoiseLevel, out: number, first: number, images: number): LocalScore => {
    const { byteOffset } = noisy.images, at = byteOffset + first * length * 4;
    const taken = numbers === undefined
      ? count
      : chooseNearest(data, kernels.f32(at, length), noise, subset, kernels.u32(numbers, count));
    return {
      ...common,
      window: noise.window,
      numbers,
      count: taken,
      images: at,
      batch: images,
      uniform: uniform === undefined ? undefined : uniform + first * area * 8,
      used: numbers === undefined ? used + first * count : undefined,
      out: out + first * length * 4,
    };
  };
  const signalOf = ({ alphaBar }: NoiseLevel) => Math.sqrt(alphaBar);
  const varianceOf = ({ alphaBar }: NoiseLevel) => (1 - alphaBar) * temperature;

  const denoise = (noisy: Noisy, noise: NoiseLevel, { images }: Denoised) => {
    if (noisy.batch === 0) return;
    kernels.u8(used, batch * count).fill(0);
    if (uniform !== undefined) {
      // One number for all windows of an image: windows that overlap draw the same training image where they can.
      const chances = new Float64Array(noisy.batch), all = kernels.f64(uniform, noisy.batch * area);
      noisy.random.uniforms(chances);
      for (let i = 0; i < all.length; i++) all[i] = chances[Math.floor(i / area)];
    }
    // Each image has nearest ones of its own.
    const together = numbers === undefined ? noisy.batch : 1;
    for (let first = 0; first < noisy.batch; first += together) {
      kernels.localScore(
        question(noisy, noise, images.byteOffset, first, together),
        signalOf(noise),
        varianceOf(noise),
      );
    }
  };

  const weights = (noisy: Noisy, noise: NoiseLevel, { image, y, x }: BatchPixel, out: Float64Array) => {
    // Nothing is written to the output of this question.
    const asked = question(noisy, noise, 0, image, 1), reach = response === "patch" ? noise.window >> 1 : 0;
    const rows = [Math.max(y - reach, 0), Math.min(y + reach, height - 1)];
    const columns = [Math.max(x - reach, 0), Math.min(x + reach, width - 1)];
    const windows = (rows[1] - rows[0] + 1) * (columns[1] - columns[0] + 1);
    out.fill(0);
    for (let row = rows[0]; row <= rows[1]; row++) {
      for (let column = columns[0]; column <= columns[1]; column++) {
        kernels.localScoreWeights(asked, signalOf(noise), varianceOf(noise), 0, row, column, weightsAt);
        const found = kernels.f32(weightsAt, asked.count * moves);
        const chosen = numbers === undefined ? undefined : kernels.u32(numbers, asked.count);
        for (let c = 0; c < found.length; c++) {
          const position = Math.floor(c / moves);
          out[chosen ? chosen[position] : position] += found[c] / windows;
        }
      }
    }
  };

  const compared = (image: number, name: (source: number) => void) => {
    kernels.u8(used + image * count, count).forEach((isUsed, n) => isUsed && name(n));
  };
  // Which ones are nearest hangs on all training images.
  const fitted: FittedDenoiser = numbers === undefined ? { denoise, weights, compared } : { denoise, weights };
  return fitted;
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
