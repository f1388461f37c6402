/** The t-SNE maps of the paper (section "Spread"). */
import { evenlySpaced } from "../../core/numbers.ts";
import { areaOf } from "../../core/shape.ts";
import { pick } from "../../datasets/data_set.ts";
import { knownClasses } from "../../datasets/groups.ts";
import { type AssessmentInput, metricsWork, runMetrics } from "../assessment/run_metrics.ts";
import { paddedImages, unitVectors } from "../assessment/padded_images.ts";
import { valuesByImage } from "../assessment/values_by_image.ts";
import { map } from "../report/charts.ts";
import { embed, embeddingWork } from "../report/embed.ts";
import type { Figure } from "../report/report.ts";
import type { Experiment } from "./experiment.ts";
import type { Reproduction, ScoresByImage } from "./reproduction.ts";

/** Images of each set on the map; more would hide each other. */
const EACH = 1000;
const LIKELIHOOD = [{ name: "likelihood", options: {} }];

/** Figures that take long. */
export interface LongFigures {
  /** About how long they take on one core. */
  readonly nanoseconds: number;
  /** @param progress takes the part that is done, 0..1 */
  make(progress: (done: number) => void): Promise<Figure[]>;
}

/**
 * Prepares figures 19 to 22 and 25 to 27: synthesized and training images on one map, coloured by set, by likelihood and by
 * originality; with a fourth number also the training images by their likelihood.
 */
export function maps(
  { experiment, generated }: Reproduction,
  scores: ScoresByImage,
  numbers: readonly string[],
): LongFigures {
  const { runner, data: { train }, plan: { sizes: [size] } } = experiment;
  const shown = evenlySpaced(generated.images.count, EACH), training = evenlySpaced(train.images.count, EACH);
  const input = numbers[3] === undefined ? undefined : likelihoodInput(experiment, training);
  const { comparing, steps } = embeddingWork(shown.length + training.length, areaOf(size)),
    embedding = comparing + steps;
  const nanoseconds = embedding + (input ? metricsWork(runner.plugins, input, LIKELIHOOD) : 0);
  const share = embedding / nanoseconds;

  async function make(progress: (done: number) => void): Promise<Figure[]> {
    const vectors = [generated, train].flatMap((set, s) =>
      unitVectors(paddedImages(set, s === 0 ? shown : training, size))
    );
    const { x, y, notes } = await embed(vectors, { progress: (part) => progress(part * share) });
    const points = { x, y }, unknown = (count: number) => new Array<number>(count).fill(NaN);
    const coloured = async (number: string, caption: string, title: string, values: readonly number[]) => {
      const chart = await map(points, { by: "number", title, values });
      return { kind: "chart", number, caption, ...chart } as const;
    };
    const ofShown = (values: Float64Array) => [...Array.from(shown, (i) => values[i]), ...unknown(training.length)];
    const sets = [...new Array(shown.length).fill("synthesized"), ...new Array(training.length).fill("training")];
    const sampled = [
      `${shown.length} of ${generated.images.count} synthesized and ${training.length} of ${train.images.count} training images, taken evenly, by t-SNE.`,
      ...notes,
      "Where both overlap, synthesized images spread as the training images do.",
    ].join(" ");
    const byLikelihood = "The synthesized images of the same map by their log-likelihood.";
    const byOriginality = "The synthesized images of the same map by their originality.";
    const figures: Figure[] = [
      { kind: "chart", number: numbers[0], caption: sampled, ...await map(points, { by: "set", values: sets }) },
      await coloured(numbers[1], byLikelihood, "LL", ofShown(scores.likelihood)),
      await coloured(numbers[2], byOriginality, "originality", ofShown(scores.originality)),
    ];
    if (!input) return figures;
    const scored = await runMetrics(runner, input, LIKELIHOOD, (part) => progress(share + (1 - share) * part));
    const values = [...unknown(shown.length), ...valuesByImage(scored, training.length)[0].values];
    const ofTraining =
      "The training images of the same map by their log-likelihood, each in its own dictionary. Sparse regions are less likely.";
    return [...figures, await coloured(numbers[3], ofTraining, "LL", values)];
  }
  return { nanoseconds, make };
}

/** What is measured for the likelihood of some of the training images. */
function likelihoodInput({ plan, data: { train } }: Experiment, chosen: Iterable<number>): AssessmentInput {
  const generated = pick(train, [...chosen]);
  return { plan, generated, training: train, classes: generated.labels ? knownClasses(generated.labels) : [undefined] };
}
