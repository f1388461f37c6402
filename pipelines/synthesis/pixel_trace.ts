/** Traces a pixel of an image while it is made: the patches that cover it, what each was drawn from, and from which training images. */
import { byteOf } from "../../core/bytes.ts";
import type { Kernels } from "../../core/kernels.ts";
import type { PatchPosition } from "../../core/locations.ts";
import { mergeWeights } from "../../core/merge_weights.ts";
import { marginAt } from "../../core/model.ts";
import type { PlanLayer } from "../../core/plan.ts";
import { contributors, isPlain, type Provenance } from "../../core/provenance.ts";
import type { Registry } from "../../core/registry.ts";
import type { Shape, Size } from "../../core/shape.ts";
import { eachEvent, PROGRESS, type Steps } from "../../core/steps.ts";
import type { Draw } from "../../core/batch.ts";
import { hasMargin, inPeriod, type Margin } from "../../core/tiling.ts";
import { numbersOfClass } from "../../datasets/groups.ts";
import { isLimited } from "../run/redraw_forecast.ts";
import { trainingImages } from "../run/training_pyramids.ts";
import { examplesOf } from "./layer_examples.ts";
import { requestedPlan, type SynthesisRequest } from "./request.ts";
import type { Synthesizer } from "./synthesizer.ts";

/** A pixel of a layer's image as it is after one of the layer's iterations. */
export interface TracedPixel extends PatchPosition {
  /** 0: the finest. */
  readonly layer: number;
  /** 0: the layer's first. */
  readonly iteration: number;
}

/** Where the patches of one iteration came from. Training images are named by their numbers in the pack; -1: no copy. */
export interface PixelTrace {
  readonly at: TracedPixel;
  /** Of the layer's image. */
  readonly shape: Required<Shape>;
  /** The size of training images in this layer. */
  readonly training: Size;
  /** Side of a patch in pixels. */
  readonly patch: number;
  /** n x n: how much each pixel of a patch counts where patches are merged; all alike where it is left out. */
  readonly weights?: Float32Array;
  /** All patch positions of the iteration. */
  readonly places: readonly PatchPosition[];
  /** For each place (training image, y, x) of the patch that was drawn there, as in `Provenance`. */
  readonly sources: Int32Array;
  /** For each place 1 where the patch is of one colour, as in `Provenance`. Left out: none is. */
  readonly plain?: Uint8Array;
  /** The draws whose patches cover the pixel. */
  readonly draws: readonly TracedDraw[];
  /** The layer's LR image, channels x height / 2 x width / 2 bytes; empty where no patch covers the pixel. */
  readonly low: Uint8Array;
  /** Training images at the layer's size, by number: those of the draws and their candidates, and the largest contributors. */
  readonly examples: ReadonlyMap<number, Uint8Array>;
}

/** A trace before its examples are read. */
type PartialTrace = Omit<PixelTrace, "examples">;

/** One draw: a patch and what it was drawn from. Patches are channels x patch x patch bytes. */
export interface TracedDraw extends PatchPosition {
  /** R_i X + u_i of equation (epll z step), clamped to [0, 1]. */
  readonly measurements: Uint8Array;
  /** z_i, the patch that was drawn. */
  readonly drawn: Uint8Array;
  /** Undefined where the patch is no copy. */
  readonly source?: PatchSource;
  /** Undefined where the prior draws from no list of examples. */
  readonly candidates?: Candidates;
}

/** The position of a patch in a training image. */
export interface PatchSource extends PatchPosition {
  readonly image: number;
}

/** One of the patches that could have been drawn. */
interface Candidate extends PatchSource {
  readonly probability: number;
  /** 0: the most probable. */
  readonly rank: number;
  /** Whether it is the one that was drawn. */
  readonly drawn: boolean;
}

/** The most probable of the patches that one was drawn from. */
export interface Candidates {
  /** How many patches there were to draw from. */
  readonly count: number;
  /** The exponential of the entropy: the number of equally probable patches that would be as uncertain. */
  readonly effective: number;
  /** The most probable first. The drawn one is last where it is not among them. */
  readonly shown: readonly Candidate[];
}

/** How many candidates of a draw, and how many contributors of an image, a trace names. */
export const CANDIDATES = 24, CONTRIBUTORS = 6;

/** Probabilities from logarithms that are known up to a common constant. */
export function probabilities(logs: ArrayLike<number>): Float64Array {
  const values = Float64Array.from(logs), most = values.reduce((a, b) => Math.max(a, b), -Infinity);
  const weights = values.map((value) => Math.exp(value - most)), sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / sum);
}

/**
 * Ranks the candidates of a draw by probability.
 *
 * @param sources (training image, y, x) of each candidate
 * @param logT the logarithms of T(z | i, X, u) of equation (patch posterior), up to a constant
 * @param drawn (training image, y, x) of the candidate that was drawn
 * @param shown how many of them are named
 */
export function rankCandidates(
  sources: Int32Array,
  logT: Float64Array,
  drawn: ArrayLike<number>,
  shown = CANDIDATES,
): Candidates {
  const parts = probabilities(logT), order = [...parts.keys()].sort((a, b) => parts[b] - parts[a] || a - b);
  const entropy = parts.reduce((sum, p) => p > 0 ? sum - p * Math.log(p) : sum, 0);
  const all = order.map((c, rank): Candidate => ({
    image: sources[3 * c],
    y: sources[3 * c + 1],
    x: sources[3 * c + 2],
    probability: parts[c],
    rank,
    drawn: sources[3 * c] === drawn[0] && sources[3 * c + 1] === drawn[1] && sources[3 * c + 2] === drawn[2],
  }));
  const last = all.findIndex((candidate) => candidate.drawn);
  return {
    count: all.length,
    effective: Math.exp(entropy),
    shown: [...all.slice(0, shown), ...last >= shown ? [all[last]] : []],
  };
}

/**
 * Makes a request's only image again, up to the iteration of a pixel, and traces the pixel. Yields where the caller may stop or do
 * other work.
 *
 * @param scratch kernels with a memory of their own: the synthesizer's memory is the synthesizer's alone
 * @throws {RangeError} where the layer has no such iteration
 * @throws {RequestError} where the request is wrong
 */
export function* tracePixel(
  synthesizer: Synthesizer,
  request: SynthesisRequest,
  at: TracedPixel,
  { plugins, scratch }: { readonly plugins: Registry; readonly scratch: Kernels },
): Steps<PixelTrace> {
  const { train, profile } = synthesizer.pack, planned = requestedPlan(profile, request, plugins), { layers } = planned;
  if (layers.length === 0 && planned.quiltLayer !== undefined && at.iteration === 0) {
    const examples = trainingImages(planned, train.images), trace = yield* traceQuilt(synthesizer, request, at);
    return { ...trace, examples: examplesOf(scratch, examples, 0, namedImages(trace)) };
  }
  const traced: PlanLayer | undefined = layers[at.layer], examples = trainingImages(planned, train.images);
  const recorder = recordDraws(at, traced && { ...traced, margin: marginAt(planned, at.layer) });
  let trace: PartialTrace | undefined;
  for (const event of synthesizer.synthesize(request, recorder.onDraw)) {
    if (event.type === "iteration" && event.layer === at.layer && event.iteration === at.iteration) {
      const { layer, height, width, channels, label } = event;
      const shape = { height, width, channels }, numbers = numbersOfClass(train.labels, label, train.images.count);
      const { patch, feather } = layers[layer], weights = feather > 0 ? mergeWeights(patch, feather) : undefined;
      const training = examples.sizes[layer];
      trace = inPack({ at, shape, training, patch, weights, ...recorder.take() }, numbers);
      // An image that is not original enough is drawn again: the last time counts.
      if (!isLimited(layers[0])) break;
    }
    yield PROGRESS;
  }
  if (trace) {
    const read = (numbers: number[]) => examplesOf(scratch, examples, at.layer, numbers);
    const shared = { ...trace, plain: plainPlaces(trace, read) };
    return { ...shared, examples: read(namedImages(shared)) };
  }
  throw new RangeError(
    `Cannot trace iteration ${at.iteration + 1} of layer ${at.layer}: the plan has no such iteration`,
  );
}

/** Traces a pixel of an image that is quilted as a whole: it is a pixel of an exemplar, and no draw chose it alone. */
function* traceQuilt(
  synthesizer: Synthesizer,
  request: SynthesisRequest,
  at: TracedPixel,
): Steps<PartialTrace> {
  const { images: [{ pixels, provenance }] } = yield* eachEvent(
    synthesizer.synthesize(request),
    () => [PROGRESS],
  );
  const { height, width, channels, patch, training, positions: places, sources } = provenance;
  const shape = { height, width, channels }, pixel = at.y * width + at.x, [image, y, x] = sources.subarray(3 * pixel);
  const drawn = cutPatch(shape, pixels, at, 1);
  const draws = [{ y: at.y, x: at.x, measurements: drawn, drawn, source: { image, y, x } }];
  return { at, shape, training, patch, places, sources, draws, low: new Uint8Array() };
}

/** Records the places and sources of an iteration, and the draws that cover a pixel. */
function recordDraws(at: TracedPixel, traced: Size & { readonly patch: number; readonly margin: Margin } | undefined) {
  let places: PatchPosition[] = [], sources: number[] = [], draws: TracedDraw[] = [];
  const bytes = (values: Float32Array) => Uint8Array.from(values, byteOf);
  let low: Uint8Array = new Uint8Array();
  return {
    onDraw({ layer, step, location: place, measurements, prior, out }: Draw): void {
      if (layer !== at.layer || step.iteration !== at.iteration || !traced) return;
      const { patch, margin } = traced, source = out.sources.slice();
      // Where the image tiles, a patch that reaches across an edge lies at several places.
      const found = hasMargin(margin) ? inPeriod(place, patch, traced, margin) : [{ y: place.y, x: place.x }];
      places.push(...found);
      for (const _ of found) sources.push(...source);
      const covers = ({ y, x }: PatchPosition) => at.y >= y && at.y < y + patch && at.x >= x && at.x < x + patch;
      const covering = found.find(covers);
      if (!covering) return;
      // `candidates` works in the same memory as `draw`: the results of the draw are copied first.
      const measured = bytes(measurements.patches), drawn = bytes(out.patches);
      const list = prior.candidates?.(place, measurements, step, 0);
      low = bytes(measurements.lr);
      draws.push({
        ...covering,
        measurements: measured,
        drawn,
        ...source[0] < 0 ? {} : { source: { image: source[0], y: source[1], x: source[2] } },
        ...list ? { candidates: rankCandidates(list.sources, list.logT, source) } : {},
      });
    },
    /** Returns what was recorded since the last call. */
    take() {
      const taken = { places, sources: Int32Array.from(sources), draws, low };
      [places, sources, draws] = [[], [], []];
      return taken;
    },
  };
}

/** Renames training images: from their numbers in the class, `numbers`, to their numbers in the pack. */
function inPack(trace: PartialTrace, numbers: Uint32Array): PartialTrace {
  const number = (image: number) => numbers[image] ?? -1;
  const renamed = <T extends PatchSource>(source: T): T => ({ ...source, image: number(source.image) });
  return {
    ...trace,
    sources: trace.sources.map((value, i) => i % 3 === 0 ? number(value) : value),
    draws: trace.draws.map((draw) => ({
      ...draw,
      ...draw.source ? { source: renamed(draw.source) } : {},
      ...draw.candidates ? { candidates: { ...draw.candidates, shown: draw.candidates.shown.map(renamed) } } : {},
    })),
  };
}

/** The training images that a trace names: those of its draws and their candidates, and the largest contributors. */
function namedImages(trace: PartialTrace): number[] {
  const draws = trace.draws.flatMap(({ source, candidates }) => [source, ...candidates?.shown ?? []]);
  const top = traceShares(trace).slice(0, CONTRIBUTORS);
  return [...new Set([...draws, ...top].map((one) => one?.image ?? -1))].filter((image) => image >= 0);
}

/** The share of the iteration's image that each training image contributed, the largest first; see `contributors`. */
export function traceShares(trace: PartialTrace): { image: number; share: number }[] {
  return contributors(traceProvenance(trace));
}

/** A trace as the functions of `core/provenance.ts` take it. The X-step's correction is not traced: it is empty. */
export function traceProvenance(trace: PartialTrace): Provenance {
  const { shape, training, patch, weights, places: positions, sources, plain } = trace;
  return { ...shape, patch, weights, positions, training, sources, plain, correction: new Float32Array() };
}

/** For each place of a trace 1 where the patch that was drawn there is of one colour. `read` reads training images by number. */
function plainPlaces(
  { places, sources, training, shape: { channels }, patch }: PartialTrace,
  read: (numbers: number[]) => ReadonlyMap<number, Uint8Array>,
): Uint8Array {
  const used = new Set(places.map((_, i) => sources[3 * i]).filter((image) => image >= 0)), images = read([...used]);
  return Uint8Array.from(places, (_, i) => {
    const [image, y, x] = sources.subarray(3 * i, 3 * i + 3), pixels = images.get(image);
    return Number(pixels !== undefined && isPlain(pixels, { ...training, channels }, y, x, patch));
  });
}

/** Cuts a patch out of a picture of bytes. */
export function cutPatch(
  { height, width, channels = 1 }: Shape,
  pixels: Uint8Array,
  { y, x }: PatchPosition,
  patch: number,
): Uint8Array {
  return Uint8Array.from({ length: channels * patch * patch }, (_, i) => {
    const c = Math.floor(i / (patch * patch)), row = Math.floor(i / patch) % patch;
    return pixels[(c * height + y + row) * width + x + i % patch];
  });
}
