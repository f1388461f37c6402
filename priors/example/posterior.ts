/** The candidates that a patch is drawn from, and how likely each is: equation (posterior example based). */
import type { Address, CandidateLists } from "../../core/kernel_arguments.ts";
import { sampleScratch } from "../../core/kernel_limits.ts";
import type { Steps } from "../../core/steps.ts";
import type { LayerData, Location, Measurements, RandomNumbers, Step } from "../../core/types.ts";
import type { ExampleLayout, ExamplePosition } from "./addresses.ts";
import { coherentImages } from "./coherent.ts";
import { type PatchAddresses, patchRegions } from "./regions.ts";
import { type ExampleSearch, exampleSearch, type ExampleSettings, type NearestExamples } from "./search.ts";

/** The candidates of each image of a batch at one location, in kernel memory until the next are asked for. */
export interface ExampleCandidates extends CandidateLists {
  /** Where an example lies: the training image and the first pixel of its patch in the HR image. */
  positionOf(segment: number, example: number): ExamplePosition;
  /** Where candidate `c` of an image of the batch lies. */
  candidatePosition(image: number, c: number): ExamplePosition;
}

/** The candidates of a location and the address of the number of the one that each image takes: `batch` i32. */
export interface ExampleDraw {
  readonly candidates: ExampleCandidates;
  readonly chosen: Address;
}

/** Candidates, with the training image of each. */
type Listed = CandidateLists & Pick<ExampleLayout, "imageOf">;

/** The posterior of a layer. */
export interface ExamplePosterior {
  /** The most candidates of an image. */
  readonly capacity: number;
  /** Finds the candidates of a location. Their weights are log T, up to a constant of each image. */
  candidates(location: Location, measurements: Measurements, step: Step): ExampleCandidates;
  /**
   * Chooses one candidate of each image: at random with probability T, or the likeliest (the nearer of two). Returns the address
   * of `batch` i32. After a random choice the weights are T relative to the largest instead of logarithms.
   */
  choose(candidates: ExampleCandidates, how: "sample" | "map", random: RandomNumbers): Address;
  /** Finds the candidates of a location and chooses among them as `choose` does. Their weights may be any numbers. */
  draw(location: Location, measurements: Measurements, step: Step, random: RandomNumbers): ExampleDraw;
  /** Names the training images of the candidates that were found last: see `FittedPrior.compared`. */
  compared(image: number, name: (source: number) => void): void;
}

/** A layer with its search, and the kernel memory that its draws share. */
interface PosteriorState {
  readonly layer: LayerData;
  readonly settings: ExampleSettings;
  readonly search: ExampleSearch;
  /** Where the patches of the nearest examples lie, of which so many are read. */
  readonly patchesOf: (examples: NearestExamples, candidates: number) => PatchAddresses;
  /** `batch` x capacity f64: log T of each candidate. */
  readonly weights: Address;
  /** For each training image the f64 that is subtracted from log T; 0: nothing. */
  readonly penalties: Address;
  /** `batch` f64 of uniform numbers. */
  readonly uniform: Address;
  /** Working memory of the kernel `sample`. */
  readonly scratch: Address;
  /** `batch` i32: the number of the candidate that each image draws. */
  readonly chosen: Address;
  /** The candidates that were found last. */
  last?: Listed;
}

/** Prepares the posterior of a layer, in steps. Throws as `exampleSearch` does. */
export function* examplePosterior(layer: LayerData, settings: ExampleSettings): Steps<ExamplePosterior> {
  const { kernels, batch, channels, patch } = layer;
  const search = yield* exampleSearch(layer, settings);
  const penalties = settings.penalties ? kernels.allocate(settings.penalties.length * 8) : 0;
  if (settings.penalties) kernels.f64(penalties, settings.penalties.length).set(settings.penalties);
  const state: PosteriorState = {
    layer,
    settings,
    search,
    patchesOf: patchRegions(layer, settings, settings.alongRows ?? false, batch * search.capacity),
    weights: kernels.allocate(batch * search.capacity * 8),
    penalties,
    uniform: kernels.allocate(batch * 8),
    scratch: kernels.allocate(sampleScratch(channels, patch, search.capacity)),
    chosen: kernels.allocate(batch * 4),
  };
  return {
    capacity: search.capacity,
    candidates: (location, measurements, step) => weighCandidates(state, location, measurements, step),
    choose: (candidates, how, random) => choose(state, candidates, how, random),
    draw: (location, measurements, step, random) => draw(state, location, measurements, step, random),
    compared: (image, name) => nameSources(state, image, name),
  };
}

/**
 * T(D_HR(j) | i, X, u) = 1/G_i exp{ -1/h |Q_(i/2) X_(l+1) - D_LR(j)|^2 - rho/2 |R_i X + u_i - D_HR(j)|^2 }
 *
 * D_LR(j), D_HR(j): the LR and HR patch of candidate j. Pixels of the context count in the first distance with their
 * weights. The kernel has the first distance as an integer, in units of (`unit` * 255)^2, and the second in grey levels
 * squared; h and rho are those of images in [0, 1]. Returns the factors of both distances.
 */
function factors({ search: { unit } }: PosteriorState, { rho, h }: Step): [perLow: number, perHigh: number] {
  return [1 / (h * unit * unit * 255 * 255), rho / (2 * 255 * 255)];
}

function weighCandidates(
  state: PosteriorState,
  location: Location,
  measurements: Measurements,
  step: Step,
): ExampleCandidates {
  const { layer: { kernels }, settings: { bonus = 0 } } = state;
  const candidates = findCandidates(state, location, measurements);
  kernels.logPosterior(candidates, measurements.patches.byteOffset, ...factors(state, step));
  if (bonus > 0) favour(state, location, measurements, candidates);
  return candidates;
}

function findCandidates(
  state: PosteriorState,
  location: Location,
  measurements: Measurements,
): ExampleCandidates & Listed {
  const { layer: { kernels }, search: { capacity } } = state;
  const examples = state.search.nearest(location, measurements);
  const { keys, count, positionOf, imageOf } = examples;
  const candidates = { ...listsOf(state, examples, measurements.batch), imageOf };
  state.last = candidates;
  return {
    ...candidates,
    positionOf,
    candidatePosition(image, c) {
      const [index] = kernels.u32(keys + (image * capacity + c) * 8, 1);
      return positionOf(Math.floor(index / count), index % count);
    },
  };
}

function draw(
  state: PosteriorState,
  location: Location,
  measurements: Measurements,
  step: Step,
  random: RandomNumbers,
): ExampleDraw {
  const { layer: { kernels }, settings: { bonus = 0 }, uniform, scratch, chosen } = state;
  if (step.zStep === "map" || bonus > 0) {
    const candidates = weighCandidates(state, location, measurements, step);
    return { candidates, chosen: choose(state, candidates, step.zStep === "map" ? "map" : "sample", random) };
  }
  const candidates = findCandidates(state, location, measurements);
  random.uniforms(kernels.f64(uniform, candidates.batch));
  const [perLow, perHigh] = factors(state, step);
  kernels.sample(candidates, measurements.patches.byteOffset, perLow, perHigh, uniform, scratch, chosen);
  return { candidates, chosen };
}

/** The lists of the nearest examples as the kernels take them. */
function listsOf(
  { layer: { channels, patch }, search: { capacity }, patchesOf, weights, penalties }: PosteriorState,
  examples: NearestExamples,
  batch: number,
): CandidateLists {
  const { keys, found, count } = examples;
  const patches = patchesOf(examples, batch * found);
  return { weights, capacity, found, batch, keys, count, channels, patch, penalties, ...patches };
}

/** Adds the bonus to candidates from the training images of overlapping patches. */
function favour(
  { layer, layer: { kernels }, settings: { bonus = 0 } }: PosteriorState,
  location: Location,
  measurements: Measurements,
  { weights, capacity, found, batch, keys, count, imageOf }: Listed,
): void {
  const indices = kernels.u32(keys, 2 * batch * capacity);
  const logT = kernels.f64(weights, batch * capacity);
  for (let b = 0; b < batch; b++) {
    const images = coherentImages(layer, location, measurements, b);
    if (images.length === 0) continue;
    for (let c = b * capacity; c < b * capacity + found; c++) {
      const segment = Math.floor(indices[2 * c] / count);
      if (images.includes(imageOf(segment, indices[2 * c] - segment * count))) logT[c] += bonus;
    }
  }
}

function choose(
  { layer: { kernels }, uniform, chosen }: PosteriorState,
  candidates: ExampleCandidates,
  how: "sample" | "map",
  random: RandomNumbers,
): Address {
  if (how === "map") kernels.likeliest(candidates, chosen);
  else {
    random.uniforms(kernels.f64(uniform, candidates.batch));
    kernels.categorical(candidates, uniform, chosen);
  }
  return chosen;
}

function nameSources({ layer: { kernels }, last }: PosteriorState, image: number, name: (source: number) => void) {
  if (!last) return;
  const { keys, capacity, found, count, imageOf } = last;
  const indices = kernels.u32(keys + image * capacity * 8, 2 * found);
  for (let c = 0; c < found; c++) {
    const index = indices[2 * c];
    const segment = Math.floor(index / count);
    name(imageOf(segment, index - segment * count));
  }
}
