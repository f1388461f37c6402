/**
 * EPLL's prior (Zoran and Weiss, "From learning models of natural image patches to whole image restoration", ICCV 2011): the
 * patches of a location are a mixture of Gaussians. The paper names it as the natural alternative to examples (section
 * "Discussion") and expects it to be smoother; unlike them it makes patches that no training image has.
 *
 * - By itself the mixture knows LR information through the measured patch alone. Where rho is small that is next to nothing and
 *   every patch is drawn by itself. So the mixture is fitted to pairs, as the paper's dictionaries are: the HR patch joined
 *   with the principal components of its LR patch and context. What is drawn from is the mixture that is left when the LR
 *   side is known, which is a mixture again. `given: 0` is EPLL's own.
 * - Equation (patch posterior) of a mixture is a mixture: component k has the weight pi_k N(y; mu_k, Sigma_k + I / rho), y =
 *   R X + u, and is Gaussian around its Wiener estimate. "sample" draws from it exactly; "mean" takes its mean; "map" takes the
 *   likeliest component's Wiener estimate, as EPLL does (the mode of a mixture has no closed form).
 * - h, the randomness of the example prior, has no meaning for a density: it is not used. Patches are clamped to [0, 1]. As
 *   for the examples, the neighbour window says from how far around a location training patches are taken.
 *
 * Measured on 100 of MNIST's threes (`synth --profile digits --class 3 --count 100 --prior gmm`, then `assess`), beside the
 * local nearest-neighbour prior and held-out images:
 *
 *                                          LL      originality  spread  sharpness
 *     gmm                                  -90.1   0.993        2.37    0.49
 *     gmm, z = map                         -82.3   0.923        2.57    0.43
 *     gmm, given = 0 (EPLL's own)          -102.8  1.260        2.16    0.36
 *     gmm, 16 components, 2000 patches,
 *       floor 2 (four times as long to fit) -88.9   0.980        2.12    0.55
 *     local-nn                             -75.0   0.989        2.08    0.85
 *     held-out images                      -90.2   1.087        1.99    0.97
 *
 * A fit has as many mixtures as a layer has locations: 278 for a digit, 23 MB of them; 3255 for a face, 760 MB. There, fewer
 * components and no context make it lighter and faster (`--set prior.components=2 --context none`).
 */
import { aroundTheLocation, everywhere } from "./example/neighbourhood.ts";
import { borrowing } from "../core/kernels.ts";
import { lowPixels, numberOf, type ScaledPixel } from "./example/lr_pixels.ts";
import { fitMixture, normalize, squaredNorm } from "./mixture/mixture.ts";
import { fillNormals } from "../core/normals.ts";
import { type Component, featuresOf, packMixture, principalFeatures, readMixture } from "./mixture/patch_mixture.ts";
import { definePlugin, type Options as OptionTable, type Values } from "../core/plugin.ts";
import { stream } from "../core/random.ts";
import { halfOf, lengthOf } from "../core/shape.ts";
import type { FittedPrior, LayerData, Location, PriorParts } from "../core/types.ts";

const OPTIONS = {
  components: {
    default: 8,
    min: 1,
    max: 1024,
    integer: true,
    about: "Gaussians of a mixture; more: more kinds of patches, slower",
  },
  given: {
    default: 12,
    min: 0,
    max: 128,
    integer: true,
    about: "principal components of the LR patch and its context that patches must fit; 0: none, as in EPLL",
  },
  local: {
    default: true,
    about: "a mixture for each location; false: the same for all places, blind to where a patch lies",
  },
  patches: {
    default: 1000,
    min: 1,
    max: 1_000_000,
    integer: true,
    about: "most different training patches of a mixture; more: finer, slower to fit",
  },
  floor: {
    default: 4,
    min: 0.25,
    max: 128,
    about: "least standard deviation of a patch in any direction, in grey levels; more: noisier",
  },
  restarts: { default: 1, min: 1, max: 100, integer: true, about: "fits to choose the best of; slower" },
} as const satisfies OptionTable;

type Options = Values<typeof OPTIONS>;

/** EPLL's prior. */
export const gmm = definePlugin({
  api: 1,
  kind: "prior",
  name: "gmm",
  about: "a mixture of Gaussians fitted to the patches of the same place (EPLL's prior): new patches, smoother ones",
  options: OPTIONS,
  create: (options) => {
    const known = new WeakMap<LayerData, Where[]>();
    const mixtures = (layer: LayerData) => {
      if (!known.has(layer)) known.set(layer, mixturesOf(layer, options));
      return known.get(layer)!;
    };
    const parts: PriorParts = {
      count: (layer) => mixtures(layer).length,
      fit: (layer, part) => fitPart(layer, options, mixtures(layer)[part], part),
      load: (layer, bytes) => load(layer, options, mixtures(layer), bytes),
    };
    return {
      parts,
      fit: (layer) => parts.load(layer, Array.from({ length: parts.count(layer) }, (_, i) => parts.fit(layer, i))),
    };
  },
});

/** Names the stream of random numbers that fits start from. */
const FIT_STREAM = 0x676d6d;
const MOST_ITERATIONS = 100;
/** Nats a patch: what EM gains after that is not seen. */
const TOLERANCE = 0.1;
/** Beyond it a draw is the measured patch to the last bit, and nothing overflows. */
const MOST_RHO = 1e30;

/** What one mixture is fitted to and drawn at. */
interface Where {
  readonly locations: Location[];
  /** Its examples' HR patches in a training image: rows x columns of them, 2 pixels apart, the first one's first pixel. */
  readonly y: number;
  readonly x: number;
  readonly rows: number;
  readonly columns: number;
  /** Pixels that count of the LR patch and its context. */
  readonly pixels: readonly ScaledPixel[];
}

/** The mixtures of a layer: one for each location, or one for all locations that have the same examples. */
function mixturesOf(layer: LayerData, { local, given }: Options): Where[] {
  const found = new Map<string, Where>();
  const { examplesOf } = local ? aroundTheLocation(layer, "gmm") : everywhere(layer, "gmm");
  const all = lowPixels(given > 0 ? layer : { ...layer, context: [] });
  const scaled = all.map((pixel) => ({ ...pixel, scale: Math.sqrt(pixel.weight) }));
  for (const at of layer.locations) {
    const { dys, dxs, comparable } = examplesOf(at, scaled), pixels = comparable();
    const y = at.y + 2 * dys[0], x = at.x + 2 * dxs[0];
    const counted = pixels.map(({ dy, dx, channel, mirrored }) => `${dy} ${dx} ${channel} ${mirrored}`);
    const key = local ? `${at.y} ${at.x}` : `${y} ${x} ${counted}`, same = found.get(key);
    if (same) same.locations.push(at);
    else found.set(key, { locations: [at], y, x, rows: dys.length, columns: dxs.length, pixels });
  }
  return [...found.values()];
}

/** How many values the pairs of a mixture have. */
function shapeOf({ patch, channels }: LayerData, { pixels }: Where, { given, components }: Options) {
  return { high: channels * patch * patch, low: pixels.length, features: Math.min(given, pixels.length), components };
}

/** Fits one mixture, number `part`: its bytes. */
function fitPart(layer: LayerData, options: Options, where: Where, part: number): Uint8Array {
  const { kernels } = layer;
  const { high, low, features } = shapeOf(layer, where, options), floor = (options.floor / 255) ** 2;
  const pairs = pairsOf(layer, where, options.patches), count = pairs.weights.length, dimensions = features + high;
  const known = principalFeatures(pairs.low, pairs.weights, low, features),
    values = new Float64Array(count * dimensions);
  for (let i = 0; i < count; i++) {
    const first = i * dimensions;
    featuresOf(known, pairs.low.subarray(i * low, (i + 1) * low), values.subarray(first, first + features));
    values.set(pairs.high.subarray(i * high, (i + 1) * high), first + features);
  }
  const { components, restarts } = options, random = stream(0, FIT_STREAM, layer.layer, part);
  const how = { components, floor, restarts, iterations: MOST_ITERATIONS, tolerance: TOLERANCE, random };
  return packMixture(kernels, fitMixture(kernels, { dimensions, values, weights: pairs.weights }, how), known, floor);
}

/** Different pairs of LR and HR patches, one after another, and how often each was met. */
interface Pairs {
  /** LR patches with their context, in [0, 1] times the root of each pixel's weight. */
  readonly low: Float64Array;
  /** HR patches, in [0, 1]. */
  readonly high: Float64Array;
  readonly weights: Float64Array;
}

/** Takes training pairs from all over the images and places until `most` different ones are found. */
function pairsOf({ kernels, hr, lr, patch, channels }: LayerData, where: Where, most: number): Pairs {
  const { pixels, columns } = where, all = hr.count * where.rows * columns, length = lengthOf(hr), m = pixels.length;
  const high = kernels.u8(hr.at, hr.count * length), low = kernels.u8(lr.at, lengthOf(lr) * lr.stride);
  const inPatch = channels * patch * patch, bytes = new Uint8Array(m + inPatch), known = new Map<string, number>();
  const offsets = Array.from({ length: inPatch }, (_, p) => {
    const row = Math.floor(p / patch);
    return (Math.floor(row / patch) * hr.height + row % patch) * hr.width + p % patch;
  });
  for (let n = 0, at = 0, step = scatteringStep(all); n < all && known.size < most; n++, at = (at + step) % all) {
    const image = at % hr.count, place = Math.floor(at / hr.count);
    const y = where.y + 2 * Math.floor(place / columns), x = where.x + 2 * (place % columns);
    for (let p = 0; p < m; p++) bytes[p] = low[numberOf(pixels[p], y >> 1, x >> 1, lr) * lr.stride + image];
    const first = image * length + y * hr.width + x;
    for (let p = 0; p < inPatch; p++) bytes[m + p] = high[first + offsets[p]];
    const key = String.fromCharCode(...bytes);
    known.set(key, (known.get(key) ?? 0) + 1);
  }
  const pairs = { low: new Float64Array(known.size * m), high: new Float64Array(known.size * inPatch) };
  [...known.keys()].forEach((key, i) => {
    for (let p = 0; p < m; p++) pairs.low[i * m + p] = key.charCodeAt(p) / 255 * pixels[p].scale;
    for (let p = 0; p < inPatch; p++) pairs.high[i * inPatch + p] = key.charCodeAt(m + p) / 255;
  });
  return { ...pairs, weights: Float64Array.from(known.values()) };
}

/** A step around a ring of `count` that meets every number once, those far from one another first: near the golden section. */
function scatteringStep(count: number): number {
  const divisor = (a: number, b: number): number => b === 0 ? a : divisor(b, a % b);
  for (let step = Math.max(1, Math.round(count * 0.618));; step++) if (divisor(count, step) === 1) return step;
}

/** Puts the mixtures of a layer together. */
function load(layer: LayerData, options: Options, wheres: readonly Where[], bytes: readonly Uint8Array[]): FittedPrior {
  const { kernels, width, channels, batch } = layer, half = halfOf(layer), inLow = lengthOf({ ...half, channels });
  const byPlace = new Map<number, ReturnType<typeof read>>();
  if (bytes.length !== wheres.length) {
    throw new Error(`Cannot load prior "gmm": expected ${wheres.length} mixtures, got ${bytes.length}`);
  }
  const read = (where: Where, part: number) => {
    try {
      return { ...readMixture(bytes[part], shapeOf(layer, where, options)), pixels: where.pixels };
    } catch (cause) {
      throw new Error(`Cannot load mixture ${part} of prior "gmm": ${(cause as Error).message}`, { cause });
    }
  };
  let most = 0;
  wheres.forEach((where, part) => {
    const mixture = read(where, part);
    most = Math.max(most, mixture.shape.components);
    for (const { y, x } of where.locations) byPlace.set(y * width + x, mixture);
  });
  const mixtureAt = ({ y, x }: Location) => {
    const mixture = byPlace.get(y * width + x);
    if (!mixture) throw new Error(`prior "gmm" was not fitted at (${x}, ${y})`);
    return mixture;
  };
  const high = channels * layer.patch ** 2,
    features = Math.max(0, ...[...byPlace.values()].map((m) => m.shape.features));
  const logs = kernels.allocate(batch * most * 8), sums = kernels.allocate(batch * 8);
  const widenings = kernels.allocate(most * high * 8), uniform = kernels.allocate(batch * 8);
  const drawn = kernels.allocate(batch * 4), scratch = kernels.allocate(8);
  const away = new Float64Array(features), expected = new Float64Array(high), along = new Float64Array(high);
  const z = new Float64Array(high), normals = new Float64Array(high);

  /** Where the LR features are `low`: E[z] of a component, in `expected`, and y - E[z] along its axes, in `along`. */
  const compare = ({ highMean, lowMean, slope, axes }: Component, low: Float64Array, y: Float32Array) => {
    for (let f = 0; f < low.length; f++) away[f] = low[f] - lowMean[f];
    for (let p = 0; p < high; p++) {
      let sum = highMean[p];
      for (let f = 0; f < low.length; f++) sum += slope[p * low.length + f] * away[f];
      expected[p] = sum;
    }
    for (let a = 0; a < high; a++) {
      let sum = 0;
      for (let p = 0; p < high; p++) sum += axes[a * high + p] * (y[p] - expected[p]);
      along[a] = sum;
    }
  };

  /** Adds to z `part` of a component's Wiener estimate after `compare`, with its posterior's noise where there are normals. */
  const addEstimate = ({ variances, axes }: Component, rho: number, part: number, noise?: Float64Array) => {
    for (let p = 0; p < high; p++) z[p] += part * expected[p];
    for (let a = 0; a < high; a++) {
      const variance = variances[a] / (1 + rho * variances[a]);
      const length = part * (rho * variance * along[a] + (noise ? Math.sqrt(variance) * noise[a] : 0));
      for (let p = 0; p < high; p++) z[p] += length * axes[a * high + p];
    }
  };

  return {
    draw(at, now, step, random, out) {
      const mixture = mixtureAt(at), { pixels, components } = mixture, count = components.length;
      const rho = Math.min(step.rho, MOST_RHO);
      const images = Array.from({ length: now.batch }, (_, b) => {
        const low = Float64Array.from(pixels, (pixel) => {
          return now.lr[b * inLow + numberOf(pixel, at.y >> 1, at.x >> 1, half)] * pixel.scale;
        });
        const known = new Float64Array(mixture.shape.features);
        featuresOf(mixture, low, known);
        return { low: known, y: now.patches.subarray(b * high, (b + 1) * high) };
      });

      // log pi_k N(low; ...) N(y; E[z], Sigma_k + I / rho), up to a factor that the components share.
      const widened = kernels.f64(widenings, count * high);
      components.forEach(({ variances }, k) => variances.forEach((s, a) => widened[k * high + a] = 1 + rho * s));
      kernels.logInPlace(widenings, count * high);
      const weights = kernels.f64(logs, now.batch * count);
      components.forEach((component, k) => {
        let constant = component.logs[0] + component.logs[1];
        for (let a = 0; a < high; a++) constant -= widened[k * high + a] / 2;
        images.forEach(({ low, y }, b) => {
          compare(component, low, y);
          let distance = squaredNorm(component.lowWhite, away, low.length);
          for (let a = 0; a < high; a++) distance += rho * along[a] * along[a] / (1 + rho * component.variances[a]);
          weights[b * count + k] = constant - distance / 2;
        });
      });

      const uniforms = (n: number) => {
        const numbers = kernels.f64(uniform, now.batch);
        random.uniforms(numbers, n);
        return numbers;
      };
      if (step.zStep === "sample") {
        uniforms(0);
        kernels.categorical({ weights: logs, capacity: count, found: count, batch: now.batch }, uniform, drawn);
      } else {
        normalize(kernels, logs, sums, count, now.batch);
      }
      const chosen = kernels.i32(drawn, now.batch), rows: Float64Array[] = [];
      images.forEach(({ low, y }, b) => {
        const add = (k: number, part: number, noise?: Float64Array) => {
          compare(components[k], low, y);
          addEstimate(components[k], rho, part, noise);
        };
        const parts = weights.subarray(b * count, (b + 1) * count);
        z.fill(0);
        if (step.zStep === "sample") {
          let n = 0;
          fillNormals(kernels, () => (rows[n++] ??= uniforms(n).slice())[b], normals, scratch);
          add(chosen[b], 1, normals);
        } else if (step.zStep === "map") add(parts.indexOf(Math.max(...parts)), 1);
        else parts.forEach((part, k) => add(k, part));
        for (let p = 0; p < high; p++) out.patches[b * high + p] = Math.min(Math.max(z[p], 0), 1);
      });
      out.sources.fill(-1);
    },
    logDensity(at, patches, out) {
      const { components } = mixtureAt(at), count = components.length, centred = new Float64Array(high);
      borrowing(kernels, () => {
        const joint = kernels.allocate(out.length * count * 8), totals = kernels.allocate(out.length * 8);
        const rows = kernels.f64(joint, out.length * count);
        for (let i = 0; i < out.length; i++) {
          components.forEach(({ logs, highMean, highWhite }, k) => {
            for (let p = 0; p < high; p++) centred[p] = patches[i * high + p] - highMean[p];
            rows[i * count + k] = logs[0] + logs[2] - squaredNorm(highWhite, centred, high) / 2;
          });
        }
        out.set(normalize(kernels, joint, totals, count, out.length));
      });
    },
  };
}
