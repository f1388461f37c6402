/** The t-SNE maps of the paper (section "Spread"). */
import { type LabelledImages, pick } from "../../datasets/data_set.ts";
import { knownClasses } from "../../datasets/groups.ts";
import { runMetrics } from "../assessment/run_metrics.ts";
import { evenlySpaced, paddedImages, unitVectors } from "../assessment/padded_images.ts";
import { valuesByImage } from "../assessment/values_by_image.ts";
import { map } from "../report/charts.ts";
import { embed } from "../report/embed.ts";
import type { Figure } from "../report/report.ts";
import type { Experiment } from "./experiment.ts";
import type { Reproduction, ScoresByImage } from "./reproduction.ts";

/** Images of each set on the map; more would hide each other. */
const EACH = 1000;

/**
 * Figures 19 to 22 and 25 to 27: synthesized and training images on one map, coloured by set, by likelihood and by
 * originality; with a fourth number also the training images by their likelihood.
 */
export async function maps(
  { experiment, generated }: Reproduction,
  scores: ScoresByImage,
  numbers: readonly string[],
): Promise<Figure[]> {
  const { data: { train }, plan: { sizes: [size] } } = experiment;
  const shown = evenlySpaced(generated.images.count, EACH), training = evenlySpaced(train.images.count, EACH);
  const vectors = [generated, train].flatMap((set, s) =>
    unitVectors(paddedImages(set, s === 0 ? shown : training, size))
  );
  const { x, y, notes } = await embed(vectors, { limit: 2 * EACH });
  const points = { x, y }, unknown = (count: number) => new Array<number>(count).fill(NaN);
  const coloured = async (
    number: string,
    caption: string,
    title: string,
    values: readonly number[],
  ): Promise<Figure> => {
    return { kind: "chart", number, caption, ...await map(points, { by: "number", title, values }) };
  };
  const ofShown = (values: Float64Array) => [...Array.from(shown, (i) => values[i]), ...unknown(training.length)];
  const sets = [...new Array(shown.length).fill("synthesized"), ...new Array(training.length).fill("training")];
  const sampled = [
    `${shown.length} of ${generated.images.count} synthesized and ${training.length} of ${train.images.count} training images, taken evenly, by t-SNE.`,
    ...notes,
    "Where both overlap, synthesized images spread as the training images do.",
  ].join(" ");
  const figures: Figure[] = [
    { kind: "chart", number: numbers[0], caption: sampled, ...await map(points, { by: "set", values: sets }) },
    await coloured(
      numbers[1],
      "The synthesized images of the same map by their log-likelihood.",
      "LL",
      ofShown(scores.likelihood),
    ),
    await coloured(
      numbers[2],
      "The synthesized images of the same map by their originality.",
      "originality",
      ofShown(scores.originality),
    ),
  ];
  if (numbers[3] === undefined) return figures;
  const likelihood = await likelihoodOf(experiment, pick(train, [...training]));
  figures.push(
    await coloured(
      numbers[3],
      "The training images of the same map by their log-likelihood, each in its own dictionary. Sparse regions are less likely.",
      "LL",
      [...unknown(shown.length), ...likelihood],
    ),
  );
  return figures;
}

async function likelihoodOf(
  { runner, plan, data: { train } }: Experiment,
  images: LabelledImages,
): Promise<Float64Array> {
  const input = {
    plan,
    generated: images,
    training: train,
    classes: images.labels ? knownClasses(images.labels) : [undefined],
  };
  const scores = await runMetrics(runner, input, [{ name: "likelihood", options: {} }]);
  return valuesByImage(scores, images.images.count)[0].values;
}
