/**
 * What images from noise are held against, as far as it is learned from training images alone. It is learned once for all threads and
 * kept for later runs: of 1200 portraits of 32x32 it takes 0.2 s of processor time, which each thread took before.
 */
import { decodeArrays, encodeArrays, postable } from "../../../core/array_bytes.ts";
import type { Kernels } from "../../../core/kernels.ts";
import type { Region } from "../../../core/metric.ts";
import type { Halves } from "../../../core/mutual_information.ts";
import { rowsOf } from "../../../core/nearest.ts";
import { lengthOf, type Size } from "../../../core/shape.ts";
import type { Steps } from "../../../core/steps.ts";
import type { Rows } from "../../../core/types.ts";
import { halvesFor, limitsStructures, type NoiseLimits } from "./gate.ts";
import { type LikelihoodGate, likelihoodGate, type LikelihoodLimits } from "./likelihood.ts";
import type { QuantileLimit } from "./halves.ts";
import { trainingStructures } from "../training_structures.ts";

/** What is learned of a group of training images, as far as limits need it. */
export interface LearnedNoise {
  /** The structure of the training images. */
  readonly structures?: Rows;
  /** The Gaussian of their halves. */
  readonly halves?: Halves;
  /** How likely images have to be. */
  readonly likelihood?: LikelihoodGate;
}

/** What is learned from, and for which limits. */
export interface LearnedFrom {
  /** Of the size of images from noise. */
  readonly training: Rows;
  readonly limits: NoiseLimits;
  readonly noise: LikelihoodLimits;
  /** Those of the plan. */
  readonly regions: readonly Region[];
}

/** Learns from training images. Allocates kernel memory, which the caller frees. */
export function* learnedNoise(
  kernels: Kernels,
  { training, limits, noise, regions }: LearnedFrom,
): Steps<LearnedNoise> {
  const halves = yield* halvesFor(kernels, training, limits, regions);
  const structures = limitsStructures(limits) ? yield* trainingStructures(kernels, training) : undefined;
  // Images that do not reach what is typical of training images are not as likely as these, either.
  const isReached = limits.maxShortfall === 0;
  const likelihood = isReached ? yield* likelihoodGate(kernels, training, noise, regions) : undefined;
  return { ...structures && { structures }, ...halves && { halves }, ...likelihood && { likelihood } };
}

/** All of `LearnedNoise` that is not an array. Its arrays follow: the structures, the halves, then the Gaussian of each area. */
interface Head {
  readonly structures?: Omit<Rows, "at">;
  readonly halves?: Size;
  readonly likelihood?: {
    readonly shape: LikelihoodGate["shape"];
    readonly areas: readonly { readonly region: Region; readonly size: Size; readonly limit: QuantileLimit }[];
  };
}

/** Writes what was learned as bytes. */
export function encodeLearned(kernels: Kernels, { structures, halves, likelihood }: LearnedNoise): Uint8Array {
  const sizeOf = ({ height, width }: Size) => ({ height, width });
  const arrays = [
    ...structures ? [kernels.u8(structures.at, structures.count * lengthOf(structures))] : [],
    ...halves ? [halves.mean, halves.factor, halves.right] : [],
    ...likelihood?.areas.flatMap(({ gaussian: { mean, factor } }) => [mean, factor]) ?? [],
  ];
  const head: Head = {
    ...structures && { structures: withoutPlace(structures) },
    ...halves && { halves: sizeOf(halves.size) },
    ...likelihood && {
      likelihood: {
        shape: likelihood.shape,
        areas: likelihood.areas.map(({ region, gaussian, limit }) => ({ region, size: sizeOf(gaussian.size), limit })),
      },
    },
  };
  return encodeArrays(head, arrays);
}

/**
 * Reads what `encodeLearned` wrote. The structures go into new kernel memory; the rest into shared memory if the kernels' memory is
 * shared: then posting it copies nothing.
 */
export function decodeLearned(kernels: Kernels, bytes: Uint8Array): LearnedNoise {
  const { head, arrays } = decodeArrays(bytes), { structures, halves, likelihood } = head as Head;
  let at = 0;
  const rows = structures && rowsOf(kernels, { ...structures, pixels: arrays[at++] });
  const next = () => new Float64Array(postable(kernels, arrays[at++]).buffer);
  return {
    ...rows && { structures: rows },
    ...halves && { halves: { size: halves, mean: next(), factor: next(), right: next() } },
    ...likelihood && {
      likelihood: {
        shape: likelihood.shape,
        areas: likelihood.areas.map(({ region, size, limit }) => {
          return { region, gaussian: { size, mean: next(), factor: next() }, limit };
        }),
      },
    },
  };
}

function withoutPlace({ count, height, width, channels }: Rows): Omit<Rows, "at"> {
  return { count, height, width, channels };
}
