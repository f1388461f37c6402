/** The t-SNE maps of the paper. */
import type { Figure } from "../../../pipelines/report/report.ts";
import type { LabelledImages } from "../../../datasets/data_set.ts";
import { map } from "../../../pipelines/report/charts.ts";
import { embed } from "../../../pipelines/report/embed.ts";
import { runMetrics } from "../../../pipelines/assessment/run_metrics.ts";
import { squareImages, unitVectors } from "../../../pipelines/assessment/square_images.ts";
import { valuesByImage } from "../../../pipelines/assessment/values_by_image.ts";
import { denoRunner } from "../workers/deno_runner.ts";
import type { ByImage, Reproduction } from "./report.ts";

/** Images of each set on the map: more would hide each other. */
const EACH = 1000;

/** Synthesized and training images on one map, coloured by set, by likelihood and by originality; and the training images by theirs. */
export async function maps(
  { world, generated }: Reproduction,
  scores: ByImage,
  numbers: readonly string[],
): Promise<Figure[]> {
  const { data: { train }, plan, threads, sides: [size] } = world;
  const every = (count: number) => {
    const taken = Math.min(EACH, count);
    return Uint32Array.from({ length: taken }, (_, i) => Math.floor(i * count / taken));
  };
  const mine = every(generated.images.count), theirs = every(train.images.count);
  const shown = squareImages(generated, mine, size), training = squareImages(train, theirs, size);
  const { x, y, notes } = await embed([...unitVectors(shown), ...unitVectors(training)], { limit: 2 * EACH });
  const points = { x, y }, both = mine.length + theirs.length, none = new Array(theirs.length).fill(NaN);
  const sampled =
    `${mine.length} of ${generated.images.count} synthesized and ${theirs.length} of ${train.images.count} training images, taken evenly, by t-SNE.${
      notes.length > 0 ? ` ${notes.join(" ")}` : ""
    }`;
  const figure = (number: string, caption: string, svg: string): Figure => ({
    kind: "chart",
    number,
    caption,
    svg,
  });
  const coloured = (title: string, values: readonly number[]) => map(points, { by: "number", title, values });
  const figures = [
    figure(
      numbers[0],
      `${sampled} Where both overlap, synthesized images spread as the training images do.`,
      await map(points, {
        by: "set",
        values: Array.from({ length: both }, (_, i) => i < mine.length ? "synthesized" : "training"),
      }),
    ),
    figure(
      numbers[1],
      "The synthesized images of the same map by their log-likelihood.",
      await coloured("LL", [...Array.from(mine, (i) => scores.likelihood[i]), ...none]),
    ),
    figure(
      numbers[2],
      "The synthesized images of the same map by their originality.",
      await coloured("originality", [...Array.from(mine, (i) => scores.originality[i]), ...none]),
    ),
  ];
  if (numbers[3] === undefined) return figures;
  const judged = pick(train, theirs),
    classes = judged.labels ? [...new Set(judged.labels)].sort((a, b) => a - b) : [undefined];
  const found = await runMetrics(
    denoRunner({ threads }),
    { plan, generated: judged, training: train, classes },
    [{ name: "likelihood", options: {} }],
  );
  const likelihood = valuesByImage(found, judged.images.count)[0].values, mineNone = new Array(mine.length).fill(NaN);
  figures.push(
    figure(
      numbers[3],
      "The training images of the same map by their log-likelihood, each in its own dictionary. Sparse regions are less likely.",
      await coloured("LL", [...mineNone, ...likelihood]),
    ),
  );
  return figures;
}

function pick({ images, labels }: LabelledImages, chosen: Uint32Array): LabelledImages {
  const area = images.height * images.width, pixels = new Uint8Array(chosen.length * area);
  chosen.forEach((from, to) => pixels.set(images.pixels.subarray(from * area, (from + 1) * area), to * area));
  return {
    images: { ...images, count: chosen.length, pixels },
    labels: labels && Uint8Array.from(chosen, (i) => labels[i]),
  };
}
