/**
 * Detail transfer: shading comes from the image itself, structure from the examples. LR patches are compared with their mean and
 * contrast taken out, and what is pasted is an example's detail (its HR patch minus its own interpolated LR patch), scaled by the
 * ratio of contrasts, on top of the interpolated LR image of the layer. Not in the paper.
 *
 * With U the bilinear interpolation, Y the layer's LR image, y_j and x_j the LR and HR image of example j, and Q the pixels of the
 * LR patch and its context with weights w:
 *
 *   d_j = s^2 sum_Q w ((Y - m) / s - (y_j - m_j) / s_j)^2,
 *   z_j = (U Y)(patch) + gain min(2, max(1/2, s / s_j)) (x_j - U y_j)(patch),
 *   log T = -d_j / h - rho / 2 |z_j - (R_i X + u_i)|^2.
 *
 * - m, m_j are weighted means over Q, s, s_j weighted standard deviations plus 0.02, all over every channel together: colours
 *   keep their relation.
 * - Candidates are the `neighbours` nearest by d_j. With `coherent` also the training images that overlapping patches were drawn
 *   from (Ashikhmin, "Synthesizing natural textures", I3D 2001), compared by the same d_j: in this iteration, else in the one
 *   before, else, in the first, in the coarser layer. `bonus` is added to their log T.
 * - A training image that already gave `maxShare` of an iteration's patches is no candidate, unless all are: alone, coherence
 *   lets one photograph grow over the whole image.
 * - A source names the training image whose detail a patch has. The patch itself is not a copy.
 */
import type { DetailCandidates } from "../core/kernel_functions.ts";
import { correlateWork } from "../core/kernel_work.ts";
import { definePlugin, type Options as OptionTable, type Values } from "../core/plugin.ts";
import { offsetsInWindow } from "../core/compared.ts";
import type { Steps } from "../core/steps.ts";
import type { FittedPrior, LayerData, Location, Measurements, RandomNumbers, Step } from "../core/types.ts";
import { coherentImages } from "./example/coherent.ts";
import { correlationSearch } from "./example/correlation.ts";
import { exampleFitWork, exampleWork } from "./example/example_work.ts";
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
    cost(layer, question) {
      const offsets = offsetsInWindow(layer), from = { neighbours: options.neighbours, offsets };
      const find = (_pixels: number, examples: number, k: number) => correlateWork(examples, k);
      return {
        fit: exampleFitWork(layer, question, from),
        draw: (before) => exampleWork(layer, before, from, find) + PER_OFFSET * (1 + offsets),
      };
    },
    fitChoices: () => "", // nothing
    fit: (layer) => fit(layer, options),
  }),
});

/** The work of preparing an offset of a draw: 10 microseconds. */
const PER_OFFSET = 100_000;
/** Points of a patch whose sources are candidates: the corners and the centre. */
const POINTS = 5;
/** The candidates of a batch at a location, in kernel memory until the next are computed. */
interface Drawable extends DetailCandidates {
  readonly positionOf: (index: number) => readonly [image: number, y: number, x: number];
}

/**
 * Chooses the candidates of an image: the nearest that still may give patches, then the coherent ones. If none may, it takes the
 * nearest alone.
 *
 * @param near Pairs of u32, the nearest example first; the first of a pair is the example.
 */
function chooseCandidates(
  near: Uint32Array,
  coherent: readonly number[],
  neighbours: number,
  isFree: (index: number) => boolean,
): number[] {
  const taken: number[] = [];
  for (let n = 0; n < near.length && taken.length < neighbours; n += 2) {
    if (isFree(near[n])) taken.push(near[n]);
  }
  for (const index of coherent) {
    if (!taken.includes(index) && isFree(index)) taken.push(index);
  }
  if (taken.length === 0 && near.length > 0) taken.push(near[0]);
  return taken;
}

/** Writes the mean of an image's candidates. */
function writeMean(parts: Float64Array, patchOf: (c: number) => Float32Array, out: Float32Array): void {
  const used = [...parts.keys()].filter((c) => parts[c] > 0), own = used.map(patchOf);
  for (let p = 0; p < out.length; p++) {
    let value = 0;
    used.forEach((c, i) => value += parts[c] * own[i][p]);
    // Rounding may carry the mean of white patches beyond 1.
    out[p] = Math.min(value, 1);
  }
}

/** Fits the prior to a layer. What is inside shares the kernel memory that it allocates. */
function* fit(
  layer: LayerData,
  { neighbours: given, gain, maxShare, coherent, bonus }: Values<typeof OPTIONS>,
): Steps<FittedPrior> {
  const { kernels, hr, lr, batch, channels, patch, height, width } = layer, inPatch = channels * patch * patch;
  // So many training images at the most can have given their share: these further neighbours stand in for them.
  const substitutes = maxShare < 1 ? Math.ceil(1 / maxShare) : 0;
  const { unit, capacity: kept, nearest } = yield* correlationSearch(layer, "detail", given + substitutes);
  const neighbours = Math.min(given, kept), capacity = neighbours + (coherent ? POINTS : 0);
  const indices = kernels.allocate(batch * capacity * 4), weights = kernels.allocate(batch * capacity * 8);
  const patches = kernels.allocate(batch * capacity * inPatch * 4);
  const uniform = kernels.allocate(batch * 8), chosen = kernels.allocate(batch * 4), sums = kernels.allocate(batch * 8);

  /** The training images of overlapping patches, as examples of the location. */
  const coherentOf = (at: Location, measurements: Measurements, b: number, home: number): number[] => {
    return coherentImages(layer, at, measurements, b).map((image) => home * lr.count + image);
  };

  /** Writes the candidates of all images and their log T. */
  const candidates = (at: Location, measurements: Measurements, { rho, h }: Step): Drawable => {
    const { correlation, home, corners, keys, found } = nearest(at, measurements);
    const slots = kernels.i32(indices, measurements.batch * capacity).fill(-1), favoured: number[] = [];
    const most = maxShare * measurements.sources.total;
    for (let b = 0; b < measurements.batch; b++) {
      const pieces = coherent ? coherentOf(at, measurements, b, home) : [],
        near = kernels.u32(keys + b * kept * 8, found * 2);
      const isFree = (index: number) => maxShare === 1 || measurements.sources.count(b, index % lr.count) < most;
      chooseCandidates(near, pieces, neighbours, isFree).forEach((index, c) => {
        slots[b * capacity + c] = index;
        if (pieces.includes(index)) favoured.push(b * capacity + c);
      });
    }
    const given = {
      ...correlation,
      indices,
      capacity,
      images: measurements.lr.byteOffset,
      measurements: measurements.patches.byteOffset,
      y: at.y,
      x: at.x,
      corners,
      hr: hr.at,
      height,
      width,
      channels,
      patch,
      weights,
      patches,
    };
    kernels.addWork(measurements.batch * PER_OFFSET * (1 + correlation.segments));
    kernels.transferDetail(given, gain, 1 / (h * unit * 255 * 255), rho / 2);
    const logs = kernels.f64(weights, measurements.batch * capacity);
    for (const slot of favoured) logs[slot] += bonus;
    const places = kernels.i32(corners, correlation.segments * 2);
    return {
      ...given,
      positionOf(index) {
        const segment = Math.floor(index / lr.count);
        return [index % lr.count, places[2 * segment], places[2 * segment + 1]];
      },
    };
  };

  /** Draws from the candidates: the number of each image's. */
  const choose = ({ batch }: Drawable, likeliest: boolean, random: RandomNumbers): Int32Array => {
    const list = { weights, capacity, found: capacity, batch };
    if (likeliest) kernels.likeliest(list, chosen);
    else {
      random.uniforms(kernels.f64(uniform, batch));
      kernels.categorical(list, uniform, chosen);
    }
    return kernels.i32(chosen, batch);
  };

  return {
    draw(at, measurements, step, random, out) {
      const drawable = candidates(at, measurements, step), slots = kernels.i32(indices, measurements.batch * capacity);
      const patchOf = (slot: number) => kernels.f32(patches + slot * inPatch * 4, inPatch);
      if (step.zStep === "mean") {
        // Of many examples, so it has no one source.
        normalize(kernels, weights, sums, capacity, measurements.batch);
        for (let b = 0; b < measurements.batch; b++) {
          const parts = kernels.f64(weights + b * capacity * 8, capacity);
          writeMean(parts, (c) => patchOf(b * capacity + c), out.patches.subarray(b * inPatch, (b + 1) * inPatch));
        }
        out.sources.fill(-1);
        return;
      }
      choose(drawable, step.zStep === "map", random).forEach((candidate, b) => {
        const slot = b * capacity + candidate;
        out.patches.set(patchOf(slot), b * inPatch);
        out.sources.set(drawable.positionOf(slots[slot]), 3 * b);
      });
    },
    candidates(at, measurements, step, image) {
      const drawable = candidates(at, measurements, step);
      const listed = [...kernels.i32(indices + image * capacity * 4, capacity)].filter((index) => index >= 0);
      return {
        sources: Int32Array.from(listed.flatMap(drawable.positionOf)),
        logT: kernels.f64(weights + image * capacity * 8, listed.length).slice(),
      };
    },
    // Those that had given their share were drawn before. Behind the last candidate, the list changes nothing.
    compared(image, name) {
      for (const index of kernels.i32(indices + image * capacity * 4, capacity)) if (index >= 0) name(index % lr.count);
    },
  };
}
