/**
 * EPLL's prior (Zoran and Weiss, "From learning models of natural image patches to whole image restoration", ICCV 2011): the
 * patches of a location are a mixture of Gaussians. The paper names it as the natural alternative to examples (section
 * "Discussion") and expects smoother patches; unlike examples it makes patches that no training image has.
 *
 * - A mixture of HR patches is conditioned on the LR image through R X + u alone. For a small rho that is next to nothing, and
 *   every patch would be drawn by itself. So the mixture is fitted to pairs, as the paper's dictionaries are: the HR patch
 *   joined with the principal components of its LR patch and context. Conditioned on the LR patch, such a mixture is again a
 *   mixture, and patches are drawn from it. `given: 0` is EPLL's own prior.
 * - Equation (patch posterior) of a mixture is a mixture: component k has the weight pi_k N(y; mu_k, Sigma_k + I / rho), y =
 *   R X + u, and is Gaussian around its Wiener estimate (mixture/estimate.ts). "sample" draws from it exactly; "mean" takes its
 *   mean; "map" takes the likeliest component's Wiener estimate, as EPLL does (the mode of a mixture has no closed form).
 * - h, the randomness of the example prior, has no meaning for a density and is not used. Patches are clamped to [0, 1]. As
 *   for examples, the neighbour window says from how far around a location training patches are taken.
 *
 * Measured on 100 of MNIST's threes (`synth --profile digits-paper --class 3 --count 100 --prior gmm`, then `assess`), beside the
 * local nearest-neighbour prior and held-out images:
 *
 *                                          LL      originality  spread  sharpness
 *     gmm                                  -90.1   0.993        2.37    0.49
 *     gmm, z-step map                      -82.3   0.923        2.57    0.43
 *     gmm, given = 0 (EPLL's own)          -102.8  1.260        2.16    0.36
 *     gmm, 16 components, 2000 patches,
 *       floor 2 (four times as long to fit) -88.9   0.980        2.12    0.55
 *     local-nn                             -75.0   0.989        2.08    0.85
 *     held-out images                      -90.2   1.087        1.99    0.97
 *
 * A fit has a mixture for each location of each layer: 278 for a digit (225 + 49 + 4), 23 MB of them; 3255 for a face of
 * `faces-paper`, 760 MB. There, fewer components and no context make it lighter and faster
 * (`--set prior.components=2 --context none`).
 */
import { definePlugin, type Options as OptionTable, type Values } from "../core/plugin.ts";
import { stream } from "../core/random.ts";
import { PROGRESS } from "../core/steps.ts";
import type { FittedPrior, LayerData, Location, PriorParts } from "../core/types.ts";
import {
  drawPatches,
  knownOf,
  type LocatedMixture,
  mixtureBuffers,
  writeLogDensities,
} from "./mixture/draw_mixture.ts";
import { fitMixture } from "./mixture/fit_mixture.ts";
import { type LocationGroup, locationGroups, trainingPairs } from "./mixture/pairs.ts";
import { featuresOf, packMixture, type PairShape, principalFeatures, readMixture } from "./mixture/patch_mixture.ts";

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
    const grouped = new WeakMap<LayerData, LocationGroup[]>();
    const groupsOf = (layer: LayerData) => {
      const groups = grouped.get(layer) ?? locationGroups(layer, options.local, options.given > 0);
      grouped.set(layer, groups);
      return groups;
    };
    const parts: PriorParts = {
      count: (layer) => groupsOf(layer).length,
      fit: (layer, part) => fitPart(layer, options, groupsOf(layer)[part], part),
      load: (layer, bytes) => load(layer, options, groupsOf(layer), bytes),
    };
    return {
      parts,
      cost: ({ channels, patch }, { patches }) => {
        const matrix = matrixValues(channels * patch ** 2, options);
        return { fit: patches * partWork(matrix, options), draw: () => PER_DRAWN * matrix };
      },
      *fit(layer) {
        const fitted: Uint8Array[] = [];
        for (let part = 0; part < parts.count(layer); part++) {
          fitted.push(parts.fit(layer, part));
          yield PROGRESS;
        }
        return parts.load(layer, fitted);
      },
    };
  },
});

/** Comparisons that take as long as what a fit does with a value of a component's matrix and a pair. */
const PER_FITTED = 40;
/** In a draw each component is compared with the measurements by a matrix, in plain TypeScript: some two nanoseconds a value. */
const PER_DRAWN = 24;

/** How many values the matrices of all components have. */
function matrixValues(length: number, { components, given }: Options): number {
  return components * (length + given) ** 2;
}

/** The work of fitting one part: each iteration of EM multiplies the pairs with every component's matrix. */
function partWork(matrix: number, { restarts, patches }: Options): number {
  return PER_FITTED * restarts * patches * matrix;
}

/** Names the stream of random numbers that fits start from. */
const FIT_STREAM = 0x676d6d;
const MAX_ITERATIONS = 100;
/** Nats a patch: what EM gains after that is not seen. */
const TOLERANCE = 0.1;
/** How many values the pairs of a group have. */
function pairShape({ patch, channels }: LayerData, { pixels }: LocationGroup, options: Options): PairShape {
  const low = pixels.length;
  const { given, components } = options;
  return { high: channels * patch * patch, low, features: Math.min(given, low), components };
}

/** Fits one mixture, number `part`, to its pairs: its bytes. */
function fitPart(layer: LayerData, options: Options, group: LocationGroup, part: number): Uint8Array {
  const { kernels } = layer;
  const { components, restarts } = options;
  const floor = (options.floor / 255) ** 2;
  const { high, low, features } = pairShape(layer, group, options);
  const dimensions = features + high;
  const pairs = trainingPairs(layer, group, options.patches);
  const count = pairs.weights.length;
  kernels.addWork(partWork(matrixValues(high, options), options));
  const axes = principalFeatures(pairs.low, pairs.weights, low, features);
  const values = new Float64Array(count * dimensions);
  for (let i = 0; i < count; i++) {
    const first = i * dimensions;
    featuresOf(axes, pairs.low.subarray(i * low, (i + 1) * low), values.subarray(first, first + features));
    values.set(pairs.high.subarray(i * high, (i + 1) * high), first + features);
  }
  const random = stream(0, FIT_STREAM, layer.layer, part);
  const how = { components, floor, restarts, iterations: MAX_ITERATIONS, tolerance: TOLERANCE, random };
  return packMixture(kernels, fitMixture(kernels, { dimensions, values, weights: pairs.weights }, how), axes, floor);
}

/** Reads the mixtures of a layer; throws one sentence where the bytes are not theirs. Returns the mixture of a location. */
function readMixtures(
  layer: LayerData,
  options: Options,
  groups: readonly LocationGroup[],
  bytes: readonly Uint8Array[],
): { readonly mixtures: readonly LocatedMixture[]; mixtureAt(at: Location): LocatedMixture } {
  if (bytes.length !== groups.length) {
    throw new Error(`Cannot load prior "gmm": expected ${groups.length} mixtures, got ${bytes.length}`);
  }
  const byPosition = new Map<number, LocatedMixture>();
  const mixtures = groups.map((group, part) => {
    try {
      const mixture = { ...readMixture(bytes[part], pairShape(layer, group, options)), pixels: group.pixels };
      for (const { y, x } of group.locations) byPosition.set(y * layer.width + x, mixture);
      return mixture;
    } catch (cause) {
      throw new Error(`Cannot load mixture ${part} of prior "gmm": ${(cause as Error).message}`, { cause });
    }
  });
  const mixtureAt = ({ y, x }: Location) => {
    const mixture = byPosition.get(y * layer.width + x);
    if (!mixture) throw new Error(`prior "gmm" was not fitted at (${x}, ${y})`);
    return mixture;
  };
  return { mixtures, mixtureAt };
}

/** Puts the mixtures of a layer together. */
function load(
  layer: LayerData,
  options: Options,
  groups: readonly LocationGroup[],
  bytes: readonly Uint8Array[],
): FittedPrior {
  const { mixtures, mixtureAt } = readMixtures(layer, options, groups, bytes);
  const fitted = mixtureBuffers(layer, mixtures.map(({ shape }) => shape));
  const work = PER_DRAWN * matrixValues(layer.channels * layer.patch ** 2, options);
  return {
    draw(location, measurements, step, random, out) {
      const mixture = mixtureAt(location);
      const known = knownOf(fitted, mixture, location, measurements);
      drawPatches(fitted, mixture, known, { step, random, out });
      layer.kernels.addWork(measurements.batch * work);
    },
    logDensity: (location, patches, out) => writeLogDensities(layer.kernels, mixtureAt(location), patches, out),
  };
}
