/** The plots of the paper: histograms, scatters and curves. */
import type { Figure } from "../../../pipelines/report/report.ts";
import { rankLikelihood } from "../../../plugins/metrics/rank_likelihood.ts";
import { histogram, lines, scatter } from "../../../pipelines/report/charts.ts";
import { chosenBy } from "../../../datasets/groups.ts";
import { squareImages } from "../../../pipelines/assessment/square_images.ts";
import type { ByImage, Reproduction } from "./report.ts";

/** Figure 16: how the log-likelihood is distributed. */
export async function likelihoodHistogram(
  number: string,
  generated: Float64Array,
  test: Float64Array,
): Promise<Figure> {
  return {
    kind: "chart",
    number,
    caption:
      "Histogram of the log-likelihood of synthesized and of test images. Synthesized images lie higher: their patches come from the training set.",
    svg: await histogram([{ name: "synthesized", values: generated }, { name: "test", values: test }], { x: "LL" }),
  };
}

/** Figures 18 and 23: originality as the place of points against the diagonal. */
export async function originalityScatter(number: string, generated: ByImage, test: ByImage): Promise<Figure> {
  const points = (name: string, { dG, dT }: ByImage) => ({ name, x: dG, y: dT });
  return {
    kind: "chart",
    number,
    caption:
      "Each image by its distance to the nearest training image (d_G) and that one's distance to its own nearest (d_T). On the diagonal or below it an image is as new as training images are to each other; copies would lie at the left edge.",
    svg: await scatter([points("synthesized", generated), points("test", test)], {
      x: "d_G",
      y: "d_T",
      diagonal: true,
    }),
  };
}

const SIGMA = 1 / Math.sqrt(2 * Math.PI);
const SIGMAS = [0.15, 0.2, 0.23, 0.27, 0.32, SIGMA, 0.45, 0.55, 0.7, 1];
const TOLERANCES = [1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1];

/**
 * Figures 28 and 29 of the appendix: the rank-aware log-likelihood of fives as a function of sigma and of the tolerance.
 * No figure where there are no fives, or one alone.
 */
export async function sigmaCurves({ world, test }: Reproduction): Promise<Figure[]> {
  const { sides: [size], plan: { patch, layers: [{ overlap, window }] }, data: { train }, kernels } = world;
  const label = 5, mark = kernels.mark();
  const count = (set: typeof train) => chosenBy(set.labels, label, set.images.count).length;
  if (count(train) < 2 || count(test) < 1) return [];
  const rows = (set: typeof train) => {
    const { count, pixels } = squareImages(set, chosenBy(set.labels, label, set.images.count), size),
      at = kernels.allocate(pixels.length);
    kernels.u8(at, pixels.length).set(pixels);
    return { count, height: size, width: size, channels: 1, at };
  };
  try {
    const input = { generated: rows(test), training: rows(train), patch, overlap, window, kernels };
    const wide = 1 / Math.sqrt(6 * Math.PI);
    const { means, settings } = rankLikelihood(input, { sigmas: [...SIGMAS, wide], tolerances: TOLERANCES });
    const known = TOLERANCES.indexOf(0.1),
      told = Object.entries(settings).map(([name, value]) => `${name} ${value}`).join(", ");
    return [
      {
        kind: "chart",
        number: "28",
        caption:
          `Average log-likelihood of test fives as a function of sigma, with the numerical rank of the patches at tolerance 0.1 (${told}). The paper's sigma, 1/sqrt(2 pi), is marked: there the rank does not matter.`,
        svg: await lines([{ name: "tolerance 0.1", x: SIGMAS, y: means[known].slice(0, SIGMAS.length) }], {
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
        svg: await lines([
          { name: "sigma = 1/sqrt(6 pi)", x: TOLERANCES, y: means.map((row) => row[SIGMAS.length]) },
          { name: "sigma = 1/sqrt(2 pi)", x: TOLERANCES, y: means.map((row) => row[SIGMAS.indexOf(SIGMA)]) },
        ], { x: "tolerance", y: "LL", logX: true }),
      },
    ];
  } finally {
    kernels.release(mark);
  }
}
