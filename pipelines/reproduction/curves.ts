/** The plots of the paper: histograms, scatter plots and curves. */
import { rowsOf } from "../../core/nearest.ts";
import { numbersOfClass } from "../../datasets/groups.ts";
import { rankLikelihood } from "../../plugins/metrics/rank_likelihood.ts";
import { settingsText } from "../assessment/assessment_results.ts";
import { paddedImages } from "../assessment/padded_images.ts";
import { histogram, lines, scatter } from "../report/charts.ts";
import type { Figure } from "../report/report.ts";
import type { Reproduction, ScoresByImage } from "./reproduction.ts";

/** Figure 16: the distribution of the log-likelihood. */
export async function likelihoodHistogram(
  number: string,
  generated: Float64Array,
  test: Float64Array,
): Promise<Figure> {
  const mean = (values: Float64Array) => values.reduce((sum, value) => sum + value / values.length, 0);
  const why = mean(generated) > mean(test)
    ? " Synthesized images score higher in the mean, because their patches come from the training set."
    : "";
  return {
    kind: "chart",
    number,
    caption: `Histogram of the log-likelihood of synthesized and of test images.${why}`,
    ...await histogram([{ name: "synthesized", values: generated }, { name: "test", values: test }], { x: "LL" }),
  };
}

/** Figures 18 and 23: originality as the position of points relative to the diagonal. */
export async function originalityScatter(
  number: string,
  generated: ScoresByImage,
  test: ScoresByImage,
): Promise<Figure> {
  const points = (name: string, { dG, dT }: ScoresByImage) => ({ name, x: dG, y: dT });
  return {
    kind: "chart",
    number,
    caption:
      "Each image by its distance to the nearest training image (d_G) and by the distance of that one to its own nearest (d_T). On or below the diagonal an image is as new as training images are to each other; copies would lie at the left edge.",
    ...await scatter([points("synthesized", generated), points("test", test)], {
      x: "d_G",
      y: "d_T",
      diagonal: true,
    }),
  };
}

/** The paper's sigma, around which the curves are drawn. */
const SIGMA = 1 / Math.sqrt(2 * Math.PI);
const SIGMAS = [0.15, 0.2, 0.23, 0.27, 0.32, SIGMA, 0.45, 0.55, 0.7, 1];
const TOLERANCES = [1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1];

/**
 * Figures 28 and 29 of the appendix: the rank-aware log-likelihood of test fives as a function of sigma and of the tolerance.
 * Returns no figure without test fives, or with fewer than two training fives.
 */
export async function sigmaCurves({ experiment, test }: Reproduction): Promise<Figure[]> {
  const { plan: { sizes: [size], patch, layers: [{ overlap, window }] }, data: { train }, kernels } = experiment;
  const label = 5, mark = kernels.mark();
  const count = (set: typeof train) => numbersOfClass(set.labels, label, set.images.count).length;
  if (count(train) < 2 || count(test) < 1) return [];
  const fives = (set: typeof train) => {
    return rowsOf(kernels, paddedImages(set, numbersOfClass(set.labels, label, set.images.count), size));
  };
  try {
    const input = { generated: fives(test), training: fives(train), patch, overlap, window, kernels };
    const wide = 1 / Math.sqrt(6 * Math.PI);
    const { means, settings } = rankLikelihood(input, { sigmas: [...SIGMAS, wide], tolerances: TOLERANCES });
    const known = TOLERANCES.indexOf(0.1);
    return [
      {
        kind: "chart",
        number: "28",
        caption:
          `Average log-likelihood of test fives as a function of sigma, with the numerical rank of the patches at tolerance 0.1 (${
            settingsText(settings)
          }). The paper's sigma, 1/sqrt(2 pi), is marked: there the rank does not matter.`,
        ...await lines([{ name: "tolerance 0.1", x: SIGMAS, y: means[known].slice(0, SIGMAS.length) }], {
          x: "sigma",
          y: "LL",
          marks: [{ x: SIGMA, label: "1/sqrt(2 pi)" }],
        }),
      },
      {
        kind: "chart",
        number: "29",
        caption:
          "The same as a function of the tolerance of the numerical rank, at sigma = 1/sqrt(6 pi) as in the paper and at 1/sqrt(2 pi), where it is flat.",
        ...await lines([
          { name: "sigma = 1/sqrt(6 pi)", x: TOLERANCES, y: means.map((row) => row[SIGMAS.length]) },
          { name: "sigma = 1/sqrt(2 pi)", x: TOLERANCES, y: means.map((row) => row[SIGMAS.indexOf(SIGMA)]) },
        ], { x: "tolerance", y: "LL", logX: true }),
      },
    ];
  } finally {
    kernels.release(mark);
  }
}
