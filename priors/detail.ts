/**
 * Detail transfer: shading comes from the image itself, structure from the examples. LR patches are compared with their mean and
 * contrast taken out, and what is pasted is an example's detail (its HR patch minus its own interpolated LR patch), scaled by the
 * ratio of contrasts, on top of the interpolated LR image of the layer. Not in the paper.
 *
 * With U the bilinear interpolation, Y the layer's LR image, y_j and x_j the LR and HR image of example j, and Q the pixels of the
 * LR patch and its context with weights w:
 *
 *   d_j = s^2 sum_Q w ((Y - m) / s - (y_j - m_j) / s_j)^2,
 *   z_j = (U Y)(patch) + gain r (x_j - U y_j)(patch) + lrShare (r (U y_j - n_j) - (U Y - n))(patch), r = min(2, max(1/2, s / s_j)),
 *   log T = -d_j / h - rho / 2 |z_j - (R_i X + u_i)|^2.
 *
 * - m, m_j are weighted means over Q, s, s_j weighted standard deviations plus 0.02, all over every channel together: colours
 *   keep their relation.
 * - n, n_j are the means of U Y and U y_j over the patch, channel by channel. With `lrShare` a part of the coarser edges, too, is the
 *   example's, in the image's own shading and contrast: detail on top of edges that lie beside it has no one direction.
 * - Candidates are the `neighbours` nearest by d_j. With `coherent` also the training images that overlapping patches were drawn
 *   from (Ashikhmin, "Synthesizing natural textures", I3D 2001), compared by the same d_j: in this iteration, else in the one
 *   before, else, in the first, in the coarser layer. `bonus` is added to their log T.
 * - A training image that already gave `maxShare` of an iteration's patches is no candidate, unless all are: alone, coherence
 *   lets one photograph grow over the whole image.
 * - A source names the training image whose detail a patch has. The patch itself is not a copy.
 */
import type { Address, DetailCandidates } from "../core/kernel_arguments.ts";
import { definePlugin, type Options as OptionTable, type Values } from "../core/plugin.ts";
import type { Steps } from "../core/steps.ts";
import type {
  Candidates,
  DrawOutput,
  FittedPrior,
  LayerData,
  Location,
  Measurements,
  RandomNumbers,
  Step,
} from "../core/types.ts";
import { coherentImages } from "./example/coherent.ts";
import { type CorrelationSearch, correlationSearch } from "./example/correlation.ts";
import { detailCost, PER_OFFSET } from "./example/detail_work.ts";
import { PER_ADDED } from "./example/example_work.ts";
import { normalize } from "./mixture/mixture.ts";

const OPTIONS = {
  neighbours: {
    default: 3,
    min: 1,
    max: 1000,
    integer: true,
    about: "nearest LR examples to draw from; more: smoother and newer, fewer: sharper",
  },
  gain: {
    default: 1.2,
    min: 0,
    max: 4,
    off: 1,
    about: "factor of the detail; more than 1 makes up for what merging averages away",
  },
  lrShare: {
    default: 0,
    min: 0,
    max: 1,
    off: 0,
    about: "share of the LR patch, less its mean, that the example gives, too; more: edges agree, more seams",
  },
  maxShare: {
    default: 0.06,
    min: 0.01,
    max: 1,
    off: 1,
    about: "largest share of an iteration's patches that one training image gives; 1: no limit, nearer to copies",
  },
  coherent: {
    default: true,
    off: false,
    about: "whether the sources of the overlapping patches are candidates, too: sharper, fewer seams",
  },
  bonus: {
    default: 0,
    min: 0,
    max: 100,
    about: "added to log T of coherent candidates; more: larger pieces of one training image",
  },
} as const satisfies OptionTable;

/** The prior of detail transfer. */
export const detail = definePlugin({
  api: 1,
  kind: "prior",
  name: "detail",
  about: "the detail of one of the nearest examples, compared without mean and contrast, on top of the LR image itself",
  options: OPTIONS,
  // The ranges hold the values of the built-in profiles and all that were better in some measure when those were chosen. The coarsest layer is one patch, which has nothing to be coherent with.
  tune: [
    { option: "gain", low: 1, high: 1.4, layers: [0] },
    { option: "bonus", low: 0, high: 16, layers: [1] },
    { option: "maxShare", low: 0.4, high: 1, layers: [1, 1] },
    { option: "neighbours", low: 5, high: 60, layers: [0, 0] },
  ],
  create: (options) => ({
    cost: (layer, question) => detailCost(layer, question, options.neighbours),
    fitChoices: () => "", // nothing
    fit: (layer) => fit(layer, options),
  }),
});

/** Points of a patch whose sources are candidates: the corners and the centre. */
const POINTS = 5;

/** A layer that the prior was fitted to, and the kernel memory that its draws share. */
interface FittedDetail {
  readonly layer: LayerData;
  readonly options: Values<typeof OPTIONS>;
  readonly search: CorrelationSearch;
  /** The most candidates of an image that are drawn from because they are near. */
  readonly neighbours: number;
  /** The most candidates of an image. */
  readonly capacity: number;
  /** `batch` x `capacity` i32: the index of each candidate's example, -1 for none. */
  readonly indices: Address;
  /** `batch` x `capacity` f64: log T of each candidate. */
  readonly weights: Address;
  /** `batch` x `capacity` x channels x n^2 f32: the candidates. */
  readonly patches: Address;
  /** `batch` f64 of uniform numbers. */
  readonly uniform: Address;
  /** `batch` i32: the number of the candidate that each image draws. */
  readonly chosen: Address;
  /** `batch` f64: sums of weights. */
  readonly sums: Address;
}

/** The candidates of a batch at a location, in kernel memory until the next are computed. */
interface LocatedCandidates extends DetailCandidates {
  /** Where the detail of an example lies. */
  readonly positionOf: (index: number) => readonly [image: number, y: number, x: number];
}

/** Fits the prior to a layer. */
function* fit(layer: LayerData, options: Values<typeof OPTIONS>): Steps<FittedPrior> {
  const { maxShare, coherent } = options;
  // So many training images at the most can have given their share: these further neighbours stand in for them.
  const substitutes = maxShare < 1 ? Math.ceil(1 / maxShare) : 0;
  const search = yield* correlationSearch(layer, "detail", options.neighbours + substitutes);
  const { kernels, batch, channels, patch } = layer;
  const neighbours = Math.min(options.neighbours, search.capacity);
  const capacity = neighbours + (coherent ? POINTS : 0);
  const fitted = {
    layer,
    options,
    search,
    neighbours,
    capacity,
    indices: kernels.allocate(batch * capacity * 4),
    weights: kernels.allocate(batch * capacity * 8),
    patches: kernels.allocate(batch * capacity * channels * patch * patch * 4),
    uniform: kernels.allocate(batch * 8),
    chosen: kernels.allocate(batch * 4),
    sums: kernels.allocate(batch * 8),
  };
  return {
    draw(location, measurements, step, random, out) {
      const candidates = weighCandidates(fitted, location, measurements, step);
      if (step.zStep === "mean") writeMeans(fitted, measurements.batch, out);
      else writeChosen(fitted, candidates, step.zStep, random, out);
    },
    candidates(location, measurements, step, image) {
      return listCandidates(fitted, weighCandidates(fitted, location, measurements, step), image);
    },
    // Those that had given their share were drawn before. Behind the last candidate, the list changes nothing.
    compared(image, name) {
      for (const index of indicesOf(fitted, image)) name(index % layer.lr.count);
    },
  };
}

/** Writes the candidates of all images and their log T. */
function weighCandidates(
  fitted: FittedDetail,
  location: Location,
  measurements: Measurements,
  { rho, h }: Step,
): LocatedCandidates {
  const { layer: { kernels, lr }, options: { gain, lrShare, bonus }, search } = fitted;
  const { correlation, home, corners, keys, found } = search.nearest(location, measurements);
  const favoured = chooseCandidates(fitted, location, measurements, { home, keys, found });
  const candidates = { ...correlation, ...transferOf(fitted, location, measurements), corners };
  kernels.addWork(measurements.batch * PER_OFFSET * (1 + correlation.segments));
  kernels.transferDetail(candidates, gain, lrShare, 1 / (h * search.unit * 255 * 255), rho / 2);
  const logT = kernels.f64(fitted.weights, measurements.batch * fitted.capacity);
  for (const slot of favoured) logT[slot] += bonus;
  const cornersOf = kernels.i32(corners, correlation.segments * 2);
  return {
    ...candidates,
    positionOf(index) {
      const segment = Math.floor(index / lr.count);
      return [index % lr.count, cornersOf[2 * segment], cornersOf[2 * segment + 1]];
    },
  };
}

/** What the kernel is told beside what was compared: where the images lie, and where the results go. */
function transferOf(fitted: FittedDetail, location: Location, measurements: Measurements) {
  const { layer: { hr, height, width, channels, patch }, indices, capacity, weights, patches } = fitted;
  return {
    indices,
    capacity,
    images: measurements.lr.byteOffset,
    measurements: measurements.patches.byteOffset,
    y: location.y,
    x: location.x,
    hr: hr.at,
    height,
    width,
    channels,
    patch,
    weights,
    patches,
  };
}

/** Writes the index of each candidate. Returns which are coherent: image of the batch x capacity + number of the candidate. */
function chooseCandidates(
  fitted: FittedDetail,
  location: Location,
  measurements: Measurements,
  { home, keys, found }: { readonly home: number; readonly keys: Address; readonly found: number },
): number[] {
  const { layer, layer: { kernels, lr }, options: { maxShare, coherent }, search, neighbours, capacity } = fitted;
  const { batch, sources } = measurements;
  const slots = kernels.i32(fitted.indices, batch * capacity).fill(-1);
  const maxPatches = maxShare * sources.total;
  const favoured: number[] = [];
  for (let b = 0; b < batch; b++) {
    const near = kernels.u32(keys + b * search.capacity * 8, found * 2);
    // The training images of overlapping patches, as examples of the location.
    const images = coherent ? coherentImages(layer, location, measurements, b) : [];
    const pieces = images.map((image) => home * lr.count + image);
    const isFree = (index: number) => maxShare === 1 || sources.count(b, index % lr.count) < maxPatches;
    candidatesOf(near, pieces, neighbours, isFree).forEach((index, c) => {
      slots[b * capacity + c] = index;
      if (pieces.includes(index)) favoured.push(b * capacity + c);
    });
  }
  return favoured;
}

/**
 * Chooses the candidates of an image: the nearest that still may give patches, then the coherent ones. If none may, it takes the
 * nearest alone.
 *
 * @param near Pairs of u32, the nearest example first; the first of a pair is the example.
 */
function candidatesOf(
  near: Uint32Array,
  coherent: readonly number[],
  neighbours: number,
  isFree: (index: number) => boolean,
): number[] {
  const candidates: number[] = [];
  for (let n = 0; n < near.length && candidates.length < neighbours; n += 2) {
    if (isFree(near[n])) candidates.push(near[n]);
  }
  for (const index of coherent) {
    if (!candidates.includes(index) && isFree(index)) candidates.push(index);
  }
  if (candidates.length === 0 && near.length > 0) candidates.push(near[0]);
  return candidates;
}

/** Draws one candidate of each image, or takes the likeliest, and writes it. */
function writeChosen(
  fitted: FittedDetail,
  candidates: LocatedCandidates,
  zStep: "sample" | "map",
  random: RandomNumbers,
  out: DrawOutput,
): void {
  const { layer: { kernels }, indices, weights, capacity, uniform, chosen } = fitted;
  const { batch } = candidates;
  const lists = { weights, capacity, found: capacity, batch };
  if (zStep === "map") kernels.likeliest(lists, chosen);
  else {
    random.uniforms(kernels.f64(uniform, batch));
    kernels.categorical(lists, uniform, chosen);
  }
  const slots = kernels.i32(indices, batch * capacity);
  const inPatch = out.patches.length / batch;
  kernels.i32(chosen, batch).forEach((candidate, b) => {
    const slot = b * capacity + candidate;
    out.patches.set(patchAt(fitted, slot), b * inPatch);
    out.sources.set(candidates.positionOf(slots[slot]), 3 * b);
  });
}

/** Writes the mean of each image's candidates. It is made of many examples, so it has no single source. */
function writeMeans(fitted: FittedDetail, batch: number, out: DrawOutput): void {
  const { layer: { kernels }, weights, capacity, sums } = fitted;
  const inPatch = out.patches.length / batch;
  normalize(kernels, weights, sums, capacity, batch);
  for (let b = 0; b < batch; b++) {
    const shares = kernels.f64(weights + b * capacity * 8, capacity);
    const target = out.patches.subarray(b * inPatch, (b + 1) * inPatch);
    writeMean(shares, (c) => patchAt(fitted, b * capacity + c), target);
  }
  kernels.addWork(PER_ADDED * batch * capacity * inPatch);
  out.sources.fill(-1);
}

/** Writes the mean of an image's candidates. */
function writeMean(shares: Float64Array, patchOf: (c: number) => Float32Array, out: Float32Array): void {
  const used = [...shares.keys()].filter((c) => shares[c] > 0);
  const patches = used.map(patchOf);
  for (let p = 0; p < out.length; p++) {
    let value = 0;
    used.forEach((c, i) => value += shares[c] * patches[i][p]);
    // Rounding may carry the mean of white patches beyond 1.
    out[p] = Math.min(value, 1);
  }
}

/** Lists the candidates of an image of the batch. */
function listCandidates(fitted: FittedDetail, { positionOf }: LocatedCandidates, image: number): Candidates {
  const { layer: { kernels }, weights, capacity } = fitted;
  const indices = indicesOf(fitted, image);
  return {
    sources: Int32Array.from(indices.flatMap(positionOf)),
    logT: kernels.f64(weights + image * capacity * 8, indices.length).slice(),
  };
}

/** The examples that are candidates of an image of the batch. */
function indicesOf({ layer: { kernels }, indices, capacity }: FittedDetail, image: number): number[] {
  return [...kernels.i32(indices + image * capacity * 4, capacity)].filter((index) => index >= 0);
}

/** The candidate at a slot: image of the batch x capacity + number of the candidate. */
function patchAt({ layer: { kernels, channels, patch }, patches }: FittedDetail, slot: number): Float32Array {
  const inPatch = channels * patch * patch;
  return kernels.f32(patches + slot * inPatch * 4, inPatch);
}
