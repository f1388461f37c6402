/**
 * Searches the settings of a profile: random search with successive halving (Jamieson and Talwalkar, 2016) on several objectives at
 * once. Each round synthesizes more images of fewer trials, all from the same seed images with the same random numbers.
 */
import { plan } from "../../core/plan.ts";
import type { Profile } from "../../core/profile.ts";
import type { MetricScore } from "../assessment/metric_score.ts";
import type { Experiment, SeededImage } from "../reproduction/experiment.ts";
import { measureImages } from "../reproduction/measure_images.ts";
import { differs, intervalOf, lossOf, type Objective, valueOf } from "./objectives.ts";
import { bestOf, paretoFronts } from "./pareto.ts";
import { drawSettings, type Varied, withSettingsOfLayers } from "./search_space.ts";

/** What to search. */
export interface TuningRequest {
  /** How many settings to draw. */
  readonly trials: number;
  readonly space: readonly Varied[];
  readonly objectives: readonly Objective[];
  /** The images of a trial in the last round; earlier rounds make the first ones of them. */
  readonly images: readonly SeededImage[];
}

/** Keeps finished measurements, so that an interrupted search can be resumed. */
export interface TuningStore {
  /** Returns the scores kept under a name; runs `measure` and keeps its scores if there are none. */
  measured(name: string, measure: () => Promise<MetricScore[]>): Promise<MetricScore[]>;
}

/** The values of the objectives, measured on some images: each list in the order of the objectives. */
export interface Measured {
  readonly values: readonly number[];
  /** 95 % intervals of the values; NaN where there is none. */
  readonly intervals: readonly (readonly [low: number, high: number])[];
}

/** What is measured of a trial in a round. */
export interface TrialRound extends Measured {
  /** How many images. */
  readonly images: number;
  /** Whether a value differs from the unchanged profile's on the same images by more than chance explains. */
  readonly differs: readonly boolean[];
}

/** Settings with their scores. Trial 0 is the unchanged profile. */
export interface Trial {
  readonly number: number;
  /** As in `withSettingsOfLayers`; [] for trial 0. */
  readonly settings: readonly string[];
  readonly profile: Profile;
  /** The rounds that it took part in. */
  readonly rounds: readonly TrialRound[];
  /** Whether it took part in the last round and no other trial there is better in every objective. */
  readonly best: boolean;
}

/** The result of a search. */
export interface Tuning {
  readonly objectives: readonly Objective[];
  /** In the order of their numbers. */
  readonly trials: readonly Trial[];
  /** Those of the held-out images that the seed images were made from. */
  readonly heldOut: Measured;
}

/**
 * Rounds of a search: half of the trials reach the second, a quarter the third and last. More rounds begin with too few images:
 * the judge, for one, needs ten of each class.
 */
export const ROUNDS = 3;

/** Returns how many images each round makes of a trial, for `count` images in the last. */
export function imagesOfRounds(count: number): number[] {
  return Array.from({ length: ROUNDS }, (_, round) => Math.ceil(count / 2 ** (ROUNDS - 1 - round)));
}

/** Returns how many trials take part in each round, without the profile itself, which takes part in all. */
export function trialsOfRounds(trials: number): number[] {
  return Array.from({ length: ROUNDS }, (_, round) => Math.ceil(trials / 2 ** round));
}

/**
 * Draws settings at random, and measures them in rounds. After each round but the last, the better half goes on: by Pareto fronts,
 * then by how much trials of one front differ. The profile itself goes on always. The result depends on the experiment and the
 * request alone.
 *
 * @throws {Error} if a drawn profile is wrong, or if the runner is stopped: what was measured before is in the store
 */
export async function tune(experiment: Experiment, request: TuningRequest, store: TuningStore): Promise<Tuning> {
  const { runner, plan: { profile }, seed } = experiment, { trials: count, space, objectives, images } = request;
  const trials = Array.from({ length: count + 1 }, (_, number) => {
    const settings = number === 0 ? [] : drawSettings(space, seed, number);
    return { number, settings, profile: withSettingsOfLayers(profile, settings), rounds: [] as TrialRound[] };
  });
  for (const { profile } of trials) plan(profile, runner.plugins); // all are checked before the first one is measured
  const counts = imagesOfRounds(images.length);
  const survivors = trialsOfRounds(count);
  const measurer = trialMeasurer(experiment, request, store, survivors);
  try {
    const measured = (scores: readonly MetricScore[]): Measured => ({
      values: objectives.map((objective) => valueOf(objective, scores)),
      intervals: objectives.map((objective) => intervalOf(objective, scores)),
    });
    const heldOut = measured(await measurer.heldOut());
    const losses = ({ rounds }: { readonly rounds: readonly TrialRound[] }) => {
      return objectives.map((objective, o) => lossOf(objective, rounds.at(-1)!.values[o], heldOut.values[o]));
    };
    let racing = trials.slice(1);
    for (const [round, count] of counts.entries()) {
      if (round > 0) racing = bestOf(racing.map(losses), survivors[round]).map((i) => racing[i]);
      const unchanged = await measurer.trial(trials[0], round);
      for (const trial of [trials[0], ...racing]) {
        const scores = trial === trials[0] ? unchanged : await measurer.trial(trial, round);
        const marks = objectives.map((objective) => scores !== unchanged && differs(objective, scores, unchanged));
        trial.rounds.push({ images: count, ...measured(scores), differs: marks });
      }
    }
    const last = [trials[0], ...racing], [front] = paretoFronts(last.map(losses));
    const best = new Set(front.map((i) => last[i].number));
    return { objectives, trials: trials.map((trial) => ({ ...trial, best: best.has(trial.number) })), heldOut };
  } finally {
    measurer.end();
  }
}

/** Measures held-out images and trials, with progress. The images of a trial's earlier rounds are kept for the next. */
function trialMeasurer(
  experiment: Experiment,
  { objectives, images }: TuningRequest,
  store: TuningStore,
  survivors: readonly number[],
) {
  const { runner } = experiment, metrics = [...new Set(objectives.map(({ metric }) => metric))];
  const counts = imagesOfRounds(images.length), imagesOf = new Map<number, Map<number, Uint8Array>>();
  // The work in images to make. Trials that the store has are left out: they would make the estimated time too short.
  let work = counts.reduce((sum, count, round) => sum + (survivors[round] + 1) * (count - (counts[round - 1] ?? 0)), 0);
  let done = 0;
  const bar = runner.progress("Tuning");
  return {
    heldOut() {
      const tests = [...new Map(images.map((image) => [image.test, image])).values()];
      const pixels = tests.map(({ test }) => experiment.testImage(test));
      return store.measured("held-out", () => measureImages(experiment, pixels, tests, metrics));
    },
    async trial({ number, profile }: Pick<Trial, "number" | "profile">, round: number): Promise<MetricScore[]> {
      const ofRound = images.slice(0, counts[round]), share = counts[round] - (counts[round - 1] ?? 0);
      let isKept = true;
      const scores = await store.measured(`trial-${number}-images-${ofRound.length}`, async () => {
        isKept = false;
        const pixels = imagesOf.get(number) ?? new Map<number, Uint8Array>();
        imagesOf.set(number, pixels);
        const under = await experiment.under(profile);
        await under.synthesizeTests(
          ofRound.filter((image) => !pixels.has(image.number)),
          (image) => void pixels.set(image.number, image.pixels),
          (part) => bar.update((done + part * share) / work),
        );
        const made = ofRound.map((image) => pixels.get(image.number)!), isFromNoise = under.plan.noise !== undefined;
        return await measureImages(experiment, made, ofRound, metrics, isFromNoise);
      });
      if (isKept) work -= share;
      else done += share;
      return scores;
    },
    end: bar.end,
  };
}
