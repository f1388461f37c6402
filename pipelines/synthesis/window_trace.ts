/** Traces a pixel of an image from noise: which training images its window could come from, and how much each of them counts. */
import type { Kernels } from "../../core/kernels.ts";
import type { Registry } from "../../core/registry.ts";
import type { NoiseLevel } from "../../core/schedule.ts";
import type { Shape } from "../../core/shape.ts";
import { PROGRESS, type Steps } from "../../core/steps.ts";
import { numbersOfClass } from "../../datasets/groups.ts";
import { isRedrawn } from "../run/redraw_forecast.ts";
import { trainingImages } from "../run/training_pyramids.ts";
import { examplesOf } from "./layer_examples.ts";
import { requestedPlan, type SynthesisRequest } from "./request.ts";
import type { Synthesizer } from "./synthesizer.ts";

/** A pixel of the estimate of one step of a diffusion. */
export interface TracedWindow {
  /** 0: the one with the most noise. */
  readonly step: number;
  /** Row. */
  readonly y: number;
  /** Column. */
  readonly x: number;
}

/** What a pixel of an estimate is the mean of. Training images are named by their numbers in the pack. */
export interface WindowTrace {
  readonly at: TracedWindow;
  /** Of the images from noise, and of training images at their size. */
  readonly shape: Required<Shape>;
  readonly level: NoiseLevel;
  /** How many training images were weighed; 0 where the denoiser is no weighted mean of them. */
  readonly count: number;
  /** The exponential of the entropy of the weights: the number of equally heavy training images that would be as uncertain. */
  readonly effective: number;
  /** Those that count most, the heaviest first. */
  readonly shown: readonly { readonly image: number; readonly weight: number }[];
  /** Training images at the size of the images from noise, by number: those that are shown. */
  readonly examples: ReadonlyMap<number, Uint8Array>;
}

/** How many training images a trace names. */
export const HEAVIEST = 24;

/** The weights of a pixel in one attempt at the image. */
interface Weighed {
  readonly level: NoiseLevel;
  readonly label?: number;
  readonly shape: Required<Shape>;
  readonly weights?: Float64Array;
}

/**
 * Makes a request's only image again, and traces a pixel of the estimate of a step. Yields where the caller may stop or do other
 * work.
 *
 * @param scratch kernels with a memory of their own: the synthesizer's memory is the synthesizer's alone
 * @throws {RangeError} where the image does not come from noise, or in fewer steps
 * @throws {RequestError} where the request is wrong
 */
export function* traceWindow(
  synthesizer: Synthesizer,
  request: SynthesisRequest,
  at: TracedWindow,
  { plugins, scratch }: { readonly plugins: Registry; readonly scratch: Kernels },
): Steps<WindowTrace> {
  const { train, profile } = synthesizer.pack, planned = requestedPlan(profile, request, plugins), { noise } = planned;
  if (!noise || at.step >= noise.steps) {
    throw new RangeError(`Cannot trace step ${at.step + 1}: the images have ${noise?.steps ?? 0} steps`);
  }
  const weighed = new Map<number, Weighed>(); // by attempt
  let chosen: Weighed | undefined;
  for (const event of synthesizer.synthesize(request)) {
    if (event.type === "step" && event.step === at.step) {
      const { height, width, channels, alphaBar, window, step, label } = event;
      const shape = { height, width, channels }, weights = event.weights({ image: 0, y: at.y, x: at.x });
      weighed.set(event.attempts[0], { level: { alphaBar, window, step }, label, shape, weights });
    }
    if (event.type === "seeds") {
      chosen = weighed.get(event.attempts[0]);
      // An image that is not original enough is made again: the last choice counts.
      if (!isRedrawn(planned, train.images.count)) break;
    }
    yield PROGRESS;
  }
  const { level, shape, label, weights = new Float64Array() } = chosen!;
  const numbers = numbersOfClass(train.labels, label, train.images.count), order = [...weights.keys()];
  order.sort((a, b) => weights[b] - weights[a] || a - b);
  const shown = order.slice(0, HEAVIEST).filter((n) => weights[n] > 0);
  const images = trainingImages(planned, train.images);
  return {
    at,
    shape,
    level,
    count: weights.length,
    effective: Math.exp(weights.reduce((sum, w) => w > 0 ? sum - w * Math.log(w) : sum, 0)),
    shown: shown.map((n) => ({ image: numbers[n], weight: weights[n] })),
    examples: examplesOf(scratch, images, noise.layer, shown.map((n) => numbers[n])),
  };
}
