/** Looks inside the making of an image: which patches meet at a pixel, what each was drawn from, whose they were. */
import { borrowing, type Kernels } from "../../core/kernels.ts";
import type { PatchPosition } from "../../core/locations.ts";
import { contributors, type Provenance } from "../../core/provenance.ts";
import { trainingPyramid } from "../../core/pyramid.ts";
import type { Registry } from "../../core/registry.ts";
import { lengthOf, type Shape, type Size } from "../../core/shape.ts";
import type { Draw } from "../../core/synthesize.ts";
import type { Images } from "../../core/types.ts";
import type { LabelledImages } from "../../datasets/data_set.ts";
import { chosenBy } from "../../datasets/groups.ts";
import type { Synthesizer } from "../../pipelines/synthesis/synthesizer.ts";
import { requestedPlan, type SynthesisRequest } from "../../pipelines/synthesis/request.ts";
import { toByte } from "./picture.ts";
import type { TraceAt } from "./protocol.ts";

/** Where an iteration's patches came from. Numbers of training images are the pack's; -1: no copy. */
export interface Traced {
  readonly at: TraceAt;
  /** Of the layer's images. */
  readonly shape: Required<Shape>;
  readonly patch: number;
  /** All places of the iteration, and for each (training image, y, x) of its patch, as in `Provenance`. */
  readonly places: readonly PatchPosition[];
  readonly sources: Int32Array;
  /** The draws whose patches cover the pixel. */
  readonly draws: readonly TracedDraw[];
  /** The LR image of the layer. */
  readonly low: Uint8Array;
  /** The training images that are named above or contributed most, in the layer's size. */
  readonly examples: ReadonlyMap<number, Uint8Array>;
}

/** One draw: a patch and what it was drawn from. Patches are bytes. */
export interface TracedDraw extends PatchPosition {
  /** R_i X + u_i, clamped to [0, 1]. */
  readonly measured: Uint8Array;
  /** z_i. */
  readonly drawn: Uint8Array;
  readonly source?: Source;
  /** Missing where the prior draws from no list. */
  readonly candidates?: Candidates;
}

/** A patch's place in a training image. */
export interface Source extends PatchPosition {
  readonly image: number;
}

/** The likeliest of the patches that one was drawn from. */
export interface Candidates {
  readonly count: number;
  /** e^entropy: as many equally likely ones would be as uncertain. */
  readonly effective: number;
  /** The likeliest first; where the drawn one is not among them it stands last. */
  readonly shown:
    readonly (Source & { readonly probability: number; readonly rank: number; readonly drawn: boolean })[];
}

/** How many candidates and contributors are shown. */
export const SHOWN = 24, CONTRIBUTORS = 6;

/** Probabilities of logarithms up to a common constant. */
export function probabilities(logs: ArrayLike<number>): Float64Array {
  const values = Float64Array.from(logs), most = values.reduce((a, b) => Math.max(a, b), -Infinity);
  const weights = values.map((value) => Math.exp(value - most)), sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / sum);
}

/** The candidates of a draw, the likeliest first. `drawn` is the (training image, y, x) that was taken. */
export function rank(sources: Int32Array, logT: Float64Array, drawn: ArrayLike<number>, shown = SHOWN): Candidates {
  const parts = probabilities(logT), order = [...parts.keys()].sort((a, b) => parts[b] - parts[a] || a - b);
  const entropy = parts.reduce((sum, p) => p > 0 ? sum - p * Math.log(p) : sum, 0);
  const all = order.map((c, rank) => ({
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

/** What `trace` works with. */
export interface Bench {
  readonly synthesizer: Synthesizer;
  readonly plugins: Registry;
  /** Kernels with a memory of their own, for what the synthesizer is not asked for. */
  readonly scratch: Kernels;
}

/**
 * Makes a request's only image again up to an iteration; yields after each, so that others get their turn.
 *
 * @throws one sentence where there is no such iteration
 */
export function* trace(
  { synthesizer, plugins, scratch }: Bench,
  synthesisRequest: SynthesisRequest,
  at: TraceAt,
): Generator<void, Traced> {
  const { patch, sizes } = requestedPlan(synthesizer.pack.profile, synthesisRequest, plugins),
    { train } = synthesizer.pack;
  const places: PatchPosition[] = [], sources: number[] = [], draws: TracedDraw[] = [];
  const bytes = (values: Float32Array) => Uint8Array.from(values, toByte);
  let low: Uint8Array = new Uint8Array();
  const onDraw = ({ layer, step, at: place, now, prior, out }: Draw) => {
    if (layer !== at.layer || step.iteration !== at.iteration) return;
    const { y, x } = place, source = out.sources.slice();
    places.push({ y, x });
    sources.push(...source);
    if (at.y < y || at.y >= y + patch || at.x < x || at.x >= x + patch) return;
    // `candidates` works in the same memory as `draw`: what that left is copied first.
    const measured = bytes(now.patches), drawn = bytes(out.patches), list = prior.candidates?.(place, now, step, 0);
    low = bytes(now.lr);
    draws.push({
      y,
      x,
      measured,
      drawn,
      ...source[0] < 0 ? {} : { source: { image: source[0], y: source[1], x: source[2] } },
      ...list ? { candidates: rank(list.sources, list.logT, source) } : {},
    });
  };
  const steps = synthesizer.synthesize(synthesisRequest, onDraw);
  try {
    for (let step = steps.next(); !step.done; step = steps.next()) {
      const { layer, iteration, height, width, channels, label } = step.value;
      if (layer === at.layer && iteration === at.iteration) {
        const shape = { height, width, channels };
        const traced = inPack({ at, shape, patch, places, sources, draws, low }, chosenOf(train, label));
        const wanted = named(traced);
        return { ...traced, examples: examples(scratch, train.images, sizes, layer, wanted) };
      }
      yield;
    }
  } finally {
    steps.return(undefined as never); // nobody wants the rest
  }
  throw new Error(`There is no iteration ${at.iteration + 1} of layer ${at.layer} to look inside`);
}

function chosenOf({ labels, images }: LabelledImages, label: number | undefined): Uint32Array {
  return chosenBy(labels, label, images.count);
}

/** Names training images by their numbers in the pack. */
function inPack(
  found: Omit<Traced, "examples" | "sources"> & { readonly sources: readonly number[] },
  chosen: Uint32Array,
): Omit<Traced, "examples"> {
  const number = (image: number) => chosen[image] ?? -1;
  const moved = <T extends Source>(source: T): T => ({ ...source, image: number(source.image) });
  return {
    ...found,
    sources: Int32Array.from(found.sources, (value, i) => i % 3 === 0 ? number(value) : value),
    draws: found.draws.map((draw) => ({
      ...draw,
      ...draw.source ? { source: moved(draw.source) } : {},
      ...draw.candidates ? { candidates: { ...draw.candidates, shown: draw.candidates.shown.map(moved) } } : {},
    })),
  };
}

/** The training images that people are shown: those of the draws and their candidates, and the largest contributors. */
function named(traced: Omit<Traced, "examples">): number[] {
  const draws = traced.draws.flatMap(({ source, candidates }) => [source, ...candidates?.shown ?? []]);
  const top = shares(traced).slice(0, CONTRIBUTORS);
  return [...new Set([...draws, ...top].map((one) => one?.image ?? -1))].filter((image) => image >= 0);
}

/** How much each training image contributed to the iteration's image, as `contributors`. */
export function shares(traced: Omit<Traced, "examples">): { image: number; share: number }[] {
  return contributors(provenanceOf(traced));
}

/** What the functions of `core/provenance.ts` read. The X-step's correction is not traced. */
export function provenanceOf({ shape, patch, places, sources }: Omit<Traced, "examples">): Provenance {
  return { ...shape, patch, places, training: shape, sources, correction: new Float32Array() };
}

/** Training images in the size of a layer. */
function examples(
  scratch: Kernels,
  images: Images,
  sizes: readonly Size[],
  layer: number,
  wanted: readonly number[],
): Map<number, Uint8Array> {
  return borrowing(scratch, () => {
    const rows = trainingPyramid(scratch, images, sizes, wanted).hr[layer], length = lengthOf(rows);
    return new Map(wanted.map((image, i) => [image, scratch.u8(rows.at + i * length, length).slice()]));
  });
}
