/** The pictures of the paper's section on assessment. Each function makes one figure. */
import { runMetricJob } from "../assessment/metric_job.ts";
import { paddedImages } from "../assessment/padded_images.ts";
import { numbersOfClass } from "../../datasets/groups.ts";
import { fixed } from "../report/numbers.ts";
import type { Figure } from "../report/report.ts";
import type { Framed } from "../report/sheet.ts";
import type { Experiment, SeededImage } from "./experiment.ts";
import { FIGURE_NUMBERS, picture } from "./figure_parts.ts";
import { collectImages } from "./reproduction.ts";
import { stitchedPicture } from "./synthesis_figures.ts";

/** An image with its log-likelihood. */
export interface ScoredImage {
  /** Bytes of the profile's size. */
  readonly pixels: Uint8Array;
  readonly likelihood: number;
}

/** Figures 11 and 15: images with their log-likelihood below; synthesized ones in blue, test images in green. */
export function scoredFigure(
  { sides: [size] }: Experiment,
  number: string,
  caption: string,
  images: readonly ScoredImage[],
  colour: "blue" | "green" = "blue",
): Figure {
  const groups = images.map(({ pixels, likelihood }): Framed[] => [{ pixels, colour, text: fixed(likelihood, 1) }]);
  return picture({ number, caption, groups, size, columns: 8, alt: "images with their log-likelihood below" });
}

/** Figure 17: results from one seed image by falling log-likelihood, after the original of the seed image. */
export function likelihoodFigure(
  experiment: Experiment,
  number: string,
  caption: string,
  { label, test }: Omit<SeededImage, "number">,
): Figure {
  const { sides: [side], plan: { sizes: [size], patch, layers: [{ overlap, window }] }, kernels } = experiment;
  const { train } = experiment.data;
  const numbers = Array.from({ length: 8 }, (_, run) => FIGURE_NUMBERS + 2000 + run);
  const { images } = experiment.synthesizeSeeds(label, numbers, experiment.seeds(numbers.map(() => test)));
  const { values } = runMetricJob(kernels, {
    metric: "likelihood",
    options: {},
    generated: collectImages(experiment, images.map((image) => image.pixels)),
    training: paddedImages(train, numbersOfClass(train.labels, label, train.images.count), size),
    patch,
    overlap,
    window,
  });
  const order = [...values.keys()].sort((a, b) => values[b] - values[a]);
  const framed = order.map((i): Framed => ({ pixels: images[i].pixels, colour: "blue", text: fixed(values[i], 1) }));
  const original: Framed = { pixels: experiment.testImage(test), colour: "green" };
  return picture({
    number,
    caption,
    groups: [[original, ...framed]],
    size: side,
    alt: "a row of framed images with numbers below",
  });
}

/** Figure 24: the synthesized image of least originality and its sources. It is made again, because sources are not kept. */
export function leastOriginalFigure(
  experiment: Experiment,
  number: string,
  image: SeededImage,
  originality: number,
): Figure {
  const caption = `The image of least originality, ${
    fixed(originality, 3)
  } (blue), and the training images that contributed most to it, with their shares; the last red one is its nearest training image. Below: the part that each contributed, and the sum of the parts.`;
  return stitchedPicture(experiment, number, caption, image);
}
