/** How much work the draws of a layer are. */
import type { PatchPosition } from "./locations.ts";
import { comparedPixels, MIN_STEP, offsetsInWindow, type WorkDone } from "./steps.ts";
import type { DrawnBefore, LayerOutline, Prior, ZStep } from "./types.ts";

/** Beside what the prior does, a draw takes some microseconds for an image of a batch. */
const PER_DRAW: WorkDone = 25_000;

/** The work of a draw for one image, in comparisons, by what was drawn before it in the layer: see `Prior.drawWork`. */
export type DrawWork = Readonly<Record<DrawnBefore, number>>;

/** Returns the work of a prior's draws: what the prior says, or else what comparing its window takes. */
export function drawWork(prior: Prior, layer: LayerOutline, zStep: ZStep): DrawWork {
  const compared = comparedPixels(layer) * layer.hr.count * offsetsInWindow(layer);
  const work = (before: DrawnBefore) => PER_DRAW + (prior.drawWork?.(layer, zStep, before) ?? compared);
  return { nothing: work("nothing"), patch: work("patch"), location: work("location") };
}

/** Returns a function that takes the locations of a layer in the order of its draws, and says what was drawn before each. */
export function drawnBefore(): (at: PatchPosition) => DrawnBefore {
  const patches = new Set<number>(), locations = new Set<number>();
  return ({ y, x }) => {
    const location = y * 0x10000 + x, patch = (y >> 1) * 0x10000 + (x >> 1);
    if (locations.has(location)) return "location";
    locations.add(location);
    if (patches.has(patch)) return "patch";
    patches.add(patch);
    return "nothing";
  };
}

/** Adds up the work of a layer's draws until it is worth a pause. */
export class DrawCost {
  readonly #batch: number;
  readonly #beforeOf = drawnBefore();
  #done: WorkDone = 0;

  /** @param batch Number of images. */
  constructor(batch: number) {
    this.#batch = batch;
  }

  /** Adds a draw of every image of the batch. */
  add(location: PatchPosition, work: DrawWork): void {
    this.#done += this.#batch * work[this.#beforeOf(location)];
  }

  /** Whether a pause is due. */
  get isDue(): boolean {
    return this.#done >= MIN_STEP;
  }

  /** Returns the work since the last pause. */
  take(): WorkDone {
    const done = this.#done;
    this.#done = 0;
    return done;
  }
}
