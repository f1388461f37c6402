/** Draws patches from a mixture of pairs of patches: equation (patch posterior) of a mixture is a mixture. */
import { type Address, borrowing, type Kernels } from "../../core/kernels.ts";
import type { PatchPosition } from "../../core/locations.ts";
import { fillNormals } from "../../core/normals.ts";
import { halfOf, lengthOf } from "../../core/shape.ts";
import type { DrawOutput, LayerData, Measurements, RandomNumbers, Step } from "../../core/types.ts";
import { numberOf } from "../example/lr_pixels.ts";
import { type ComponentEstimate, componentEstimate, type Known } from "./estimate.ts";
import { normalize, squaredNorm } from "./mixture.ts";
import type { LocationGroup } from "./pairs.ts";
import { type Component, featuresOf, type PairShape, type PatchMixture } from "./patch_mixture.ts";

/** Beyond it a draw is R X + u to the last bit, and nothing overflows. */
const MAX_RHO = 1e30;

/** A mixture, and the pixels that its LR patches are made of. */
export type LocatedMixture = PatchMixture & Pick<LocationGroup, "pixels">;

/** The memory that the draws of a layer share. */
export interface MixtureBuffers {
  readonly layer: LayerData;
  /** Values of an HR patch. */
  readonly high: number;
  /** What compares one component with one image. */
  readonly estimate: ComponentEstimate;
  /** `batch` x components f64: the log weights of the components, for each image. */
  readonly weights: Address;
  /** components x `high` f64. */
  readonly logWidths: Address;
  /** `batch` f64 each: sums of weights, and uniform numbers. */
  readonly sums: Address;
  readonly uniform: Address;
  /** `batch` i32: the component that each image draws from. */
  readonly chosen: Address;
  /** 8 bytes to draw normal numbers with. */
  readonly scratch: Address;
  /** `high` values each: the patch that is being made, and normal numbers. */
  readonly z: Float64Array;
  readonly normals: Float64Array;
}

/** Allocates the memory for draws from mixtures of these shapes. */
export function mixtureBuffers(layer: LayerData, shapes: readonly PairShape[]): MixtureBuffers {
  const { kernels, channels, patch, batch } = layer;
  const high = channels * patch ** 2;
  const components = Math.max(0, ...shapes.map((shape) => shape.components));
  const features = Math.max(0, ...shapes.map((shape) => shape.features));
  return {
    layer,
    high,
    estimate: componentEstimate(high, features),
    weights: kernels.allocate(batch * components * 8),
    logWidths: kernels.allocate(components * high * 8),
    sums: kernels.allocate(batch * 8),
    uniform: kernels.allocate(batch * 8),
    chosen: kernels.allocate(batch * 4),
    scratch: kernels.allocate(8),
    z: new Float64Array(high),
    normals: new Float64Array(high),
  };
}

/** What is known of each image of the batch: the features of its LR patch, and R X + u. */
export function knownOf(
  { layer, high }: MixtureBuffers,
  mixture: LocatedMixture,
  location: PatchPosition,
  measurements: Measurements,
): Known[] {
  const half = halfOf(layer);
  const lrLength = lengthOf({ ...half, channels: layer.channels });
  return Array.from({ length: measurements.batch }, (_, b) => {
    const vector = Float64Array.from(mixture.pixels, (pixel) => {
      return measurements.lr[b * lrLength + numberOf(pixel, location.y >> 1, location.x >> 1, half)] * pixel.scale;
    });
    const low = new Float64Array(mixture.shape.features);
    featuresOf(mixture, vector, low);
    return { low, y: measurements.patches.subarray(b * high, (b + 1) * high) };
  });
}

/** Draws the patches of a batch: weighs the components of each image, then draws from one, or takes its mean, or that of all. */
export function drawPatches(
  buffers: MixtureBuffers,
  { components }: LocatedMixture,
  known: readonly Known[],
  { step, random, out }: { readonly step: Step; readonly random: RandomNumbers; readonly out: DrawOutput },
): void {
  const { layer: { kernels }, high, estimate, z } = buffers;
  const rho = Math.min(step.rho, MAX_RHO);
  const count = components.length;
  const weights = weighComponents(buffers, components, known, rho);
  if (step.zStep !== "sample") normalize(kernels, buffers.weights, buffers.sums, count, known.length);
  const sampler = step.zStep === "sample" ? componentSampler(buffers, count, known.length, random) : undefined;
  known.forEach((image, b) => {
    const add = (k: number, share: number, noise?: Float64Array) => {
      estimate.compare(components[k], image);
      estimate.add(rho, share, z, noise);
    };
    const shares = weights.subarray(b * count, (b + 1) * count);
    z.fill(0);
    if (sampler) add(sampler.chosen[b], 1, sampler.normalsOf(b));
    else if (step.zStep === "map") add(shares.indexOf(Math.max(...shares)), 1);
    else shares.forEach((share, k) => add(k, share));
    for (let p = 0; p < high; p++) out.patches[b * high + p] = Math.min(Math.max(z[p], 0), 1);
  });
  out.sources.fill(-1);
}

/** Writes log pi_k N(l; ...) N(y; E, S + I / rho) of each image and component, up to a constant that they share. */
function weighComponents(
  { layer: { kernels }, high, estimate, logWidths, weights: weightsAt }: MixtureBuffers,
  components: readonly Component[],
  known: readonly Known[],
  rho: number,
): Float64Array {
  const count = components.length;
  const widths = kernels.f64(logWidths, count * high);
  components.forEach(({ variances }, k) => variances.forEach((s, a) => widths[k * high + a] = 1 + rho * s));
  kernels.logInPlace(logWidths, count * high);
  const weights = kernels.f64(weightsAt, known.length * count);
  components.forEach((component, k) => {
    let constant = component.logs[0] + component.logs[1];
    for (let a = 0; a < high; a++) constant -= widths[k * high + a] / 2;
    known.forEach((image, b) => {
      estimate.compare(component, image);
      weights[b * count + k] = constant - estimate.squaredDistance(rho) / 2;
    });
  });
  return weights;
}

/** What the images of a batch draw at random: a component each, then normal numbers. */
interface ComponentSampler {
  readonly chosen: Int32Array;
  /** `high` normal numbers of an image, valid until the next call. */
  normalsOf(b: number): Float64Array;
}

/**
 * Chooses a component of each image by the weights. Draws 1, 2, ... of the random numbers serve all images of the batch; an image
 * may need more of them than another.
 */
function componentSampler(
  buffers: MixtureBuffers,
  count: number,
  batch: number,
  random: RandomNumbers,
): ComponentSampler {
  const { layer: { kernels }, weights, uniform, chosen, normals, scratch } = buffers;
  const uniforms = (draw: number) => {
    const numbers = kernels.f64(uniform, batch);
    random.uniforms(numbers, draw);
    return numbers;
  };
  uniforms(0);
  kernels.categorical({ weights, capacity: count, found: count, batch }, uniform, chosen);
  const draws: Float64Array[] = [];
  return {
    chosen: kernels.i32(chosen, batch),
    normalsOf(b) {
      let used = 0;
      const next = () => {
        const numbers = draws[used] ??= uniforms(used + 1).slice();
        used++;
        return numbers[b];
      };
      fillNormals(kernels, next, normals, scratch);
      return normals;
    },
  };
}

/** The density of HR patches alone, whatever the LR patch: a mixture of each component's Gaussian of HR patches. */
export function writeLogDensities(
  kernels: Kernels,
  { components, shape: { high } }: PatchMixture,
  patches: Float32Array,
  out: Float64Array,
): void {
  const count = components.length;
  const centred = new Float64Array(high);
  borrowing(kernels, () => {
    const joint = kernels.allocate(out.length * count * 8);
    const totals = kernels.allocate(out.length * 8);
    const rows = kernels.f64(joint, out.length * count);
    for (let i = 0; i < out.length; i++) {
      components.forEach(({ logs, highMean, highWhite }, k) => {
        for (let p = 0; p < high; p++) centred[p] = patches[i * high + p] - highMean[p];
        rows[i * count + k] = logs[0] + logs[2] - squaredNorm(highWhite, centred, high) / 2;
      });
    }
    out.set(normalize(kernels, joint, totals, count, out.length));
  });
}
