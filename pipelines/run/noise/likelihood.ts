/** Says of images from noise whether their structure is as likely as that of training images, when a layer has taken their grain away. */
import { fitGaussian, type Gaussian, gaussianWork, likelihoodWork, logLikelihood } from "../../../core/gaussian.ts";
import { borrowingSteps, type Kernels } from "../../../core/kernels.ts";
import type { Region } from "../../../core/metric.ts";
import { gather } from "../../../core/nearest.ts";
import type { PlanNoise } from "../../../core/plan.ts";
import { pyramidSizes, trainingPyramid } from "../../../core/pyramid.ts";
import { lengthOf, type Shape } from "../../../core/shape.ts";
import type { Steps } from "../../../core/steps.ts";
import { regionRows, structureSteps, structureWork } from "../../../core/structure.ts";
import type { Rows } from "../../../core/types.ts";
import { lacking } from "./gate.ts";
import { boxAround, parted, partsOf, type QuantileLimit, quantileLimit, regionArea } from "./halves.ts";
import { trainingStructures } from "../training_structures.ts";

/** What a plan says of the likelihood of images from noise. */
export type LikelihoodLimits = Pick<PlanNoise, "minLikelihood" | "likelyIn">;

/** What the likelihood of images is held against. */
export interface LikelihoodGate {
  /** The shape of the training images; larger images are reduced to it. */
  readonly shape: Required<Shape>;
  readonly areas: readonly LikelyArea[];
}

/** A Gaussian of the structure of training images in a region, and how likely images have to be by it. */
interface LikelyArea {
  readonly region: Region;
  readonly gaussian: Gaussian;
  readonly limit: QuantileLimit;
}

/** The last gates: a server makes images of the same training images again and again. */
const gatesByImages = new WeakMap<Rows, { readonly text: string; readonly gate: LikelihoodGate }>();

/**
 * Learns how likely images have to be from training images of the size of images from noise. It is kept as long as these are.
 *
 * @param regions those of the plan
 * @returns undefined where nothing is limited, or where there are too few training images to say
 */
export function* likelihoodGate(
  kernels: Kernels,
  training: Rows,
  noise: LikelihoodLimits,
  regions?: readonly Region[],
): Steps<LikelihoodGate | undefined> {
  const { minLikelihood } = noise, numbers = parted(training);
  if (minLikelihood === 0 || numbers.measured.length === 0) return undefined;
  const likely = likelyRegions(noise, regions),
    text = JSON.stringify([minLikelihood, likely]),
    kept = gatesByImages.get(training);
  if (kept?.text === text) return kept.gate;
  const { height, width, channels } = training, areas: LikelyArea[] = [];
  yield* borrowingSteps(kernels, function* () {
    const structures = yield* trainingStructures(kernels, training), before = kernels.mark();
    for (const region of likely) {
      const rows = regionRows(kernels, structures, region);
      const gaussian = yield* fitGaussian(kernels, rows, numbers.fitted);
      const values = yield* logLikelihood(kernels, gaussian, gather(kernels, rows, numbers.measured));
      areas.push({ region, gaussian, limit: quantileLimit(values, minLikelihood) });
      kernels.release(before);
    }
  });
  const gate = { shape: { height, width, channels }, areas };
  gatesByImages.set(training, { text, gate });
  return gate;
}

/** Where likelihood is limited: by default in the box around all regions of the plan. */
function likelyRegions({ likelyIn }: LikelihoodLimits, regions: readonly Region[] = []): readonly Region[] {
  return likelyIn ?? [boxAround(regions)];
}

/**
 * How much images lack of the least likelihood, from 0 to 1: the mean of what they lack in each region (`lacking`).
 *
 * @param pixels the images, one after another
 * @param shape of each: that of the training images, or twice as high and wide, and so on
 */
export function likelihoodShortfalls(
  kernels: Kernels,
  { areas, shape: reduced }: LikelihoodGate,
  pixels: Uint8Array,
  { height, width, channels }: Required<Shape>,
): Steps<number[]> {
  const sizes = pyramidSizes({ height, width }, Math.log2(height / reduced.height));
  return borrowingSteps(kernels, function* () {
    const images = { height, width, channels, pixels, count: pixels.length / (channels * height * width) };
    const { hr } = yield* trainingPyramid(kernels, images, sizes);
    const structures = yield* structureSteps(kernels, hr[hr.length - 1]);
    const shortfalls = Array.from({ length: images.count }, () => 0);
    for (const { region, gaussian, limit: { least, median } } of areas) {
      const found = yield* logLikelihood(kernels, gaussian, regionRows(kernels, structures, region));
      found.forEach((value, n) => shortfalls[n] += lacking(value, least, median) / areas.length);
    }
    return shortfalls;
  });
}

/** The work of `likelihoodGate` without the structure of the training images, and of measuring an image; 0 where nothing is limited. */
export function likelihoodCost(
  noise: PlanNoise,
  shape: Required<Shape>,
  regions: readonly Region[],
  count: number,
): { limit: number; image: number } {
  const { measured, fitted } = partsOf(count), cost = { limit: 0, image: 0 };
  if (noise.minLikelihood === 0 || measured === 0) return cost;
  for (const region of likelyRegions(noise, regions)) {
    const area = regionArea(shape, region), image = likelihoodWork(area);
    cost.limit += gaussianWork(area, fitted) + measured * image;
    cost.image += image;
  }
  return { ...cost, image: cost.image + structureWork(lengthOf(shape)) };
}
