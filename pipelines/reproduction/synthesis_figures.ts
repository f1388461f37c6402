/** The figures of synthesized images in the paper's section on results. Each function makes one figure. */
import { contributors, pixelSources } from "../../core/provenance.ts";
import { numbersOfClass } from "../../datasets/groups.ts";
import type { Figure } from "../report/report.ts";
import type { Framed } from "../report/sheet.ts";
import type { TracedImage } from "../run/synthesized_image.ts";
import type { Experiment, Label, SeededImage } from "./experiment.ts";
import { enlarge, FIGURE_NUMBERS, picture } from "./figure_parts.ts";
import type { Reproduction } from "./reproduction.ts";

/** Figures 8, 9 and 12: one row per seed image: its original, then synthesized images with their nearest training images. */
export function gridFigure(
  experiment: Experiment,
  number: string,
  caption: string,
  rows: readonly SeededImage[],
  runs: number,
): Figure {
  const { sides: [size] } = experiment;
  const groups = rows.map(({ label, test }, row): Framed[] => {
    const numbers = Array.from({ length: runs }, (_, run) => FIGURE_NUMBERS + 1000 * (row + 1) + run);
    const { images } = experiment.synthesizeSeeds(label, numbers, experiment.seeds(numbers.map(() => test)));
    return [
      { pixels: experiment.testImage(test), colour: "green" },
      ...images.flatMap((image) => withNearest(experiment, label, image)),
    ];
  });
  return picture({ number, caption, groups, size, alt: "rows of framed images with distances below" });
}

/** Images of the paper's profile and of the present one from the same seed images: a figure that the paper does not have. */
export function profilesFigure({ experiment, all, finished, present }: Reproduction, number: string): Figure {
  const { sides: [size], plan: { profile } } = experiment;
  const groups = present.finished.slice(0, 8).map(({ pixels }, i): Framed[] => [
    { pixels: experiment.testImage(all[i].test), colour: "green" },
    { pixels: finished[i].pixels, colour: "grey" },
    { pixels, colour: "blue" },
  ]);
  const unseeded = present.isFromNoise ? ", which makes new images from noise: they have no seed image" : "";
  const caption =
    `Not in the paper. Green: the test image that the seed image was made from. Grey: synthesized with ${profile.name}, the paper's method. Blue: with ${present.profile}${unseeded}.`;
  return picture({ number, caption, groups, size, columns: 2, alt: "rows of three framed images" });
}

function withNearest(experiment: Experiment, label: Label, { pixels, nearest }: TracedImage): Framed[] {
  const { image, distance, trainingDistance } = nearest!; // aligned images always have a nearest one
  return [
    { pixels, colour: "blue", text: distance.toFixed(2) },
    {
      pixels: experiment.trainingImage(trainingOf(experiment, label)[image]),
      colour: "red",
      text: trainingDistance.toFixed(2),
    },
  ];
}

/** Returns the indices of the training images of a class, in the order of its pyramid. */
function trainingOf({ learned: { train } }: Experiment, label: Label): Uint32Array {
  return numbersOfClass(train.labels, label, train.images.count);
}

/** Figures 10 and 13: several runs from one seed image, layer by layer. */
export function branchFigure(experiment: Experiment, number: string, { label, test }: SeededImage): Figure {
  const { sides } = experiment, [size] = sides, coarsest = sides.at(-1)!;
  const numbers = [0, 1, 2].map((run) => FIGURE_NUMBERS + 500 + run);
  const seeds = experiment.seeds(numbers.map(() => test));
  const { images, layers } = experiment.synthesizeSeeds(label, numbers, seeds);
  const rows = images.map(({ pixels }, run): Framed[] => [
    { pixels: enlarge(seeds.subarray(0, coarsest ** 2), coarsest, size), colour: "green", text: String(coarsest) },
    ...layers.slice(0, -1).map((layer): Framed => ({
      pixels: enlarge(layer.images.subarray(run * layer.size ** 2, (run + 1) * layer.size ** 2), layer.size, size),
      colour: "grey",
      text: String(layer.size),
    })),
    { pixels, colour: "blue", text: String(size) },
  ]);
  return picture({
    number,
    caption:
      "Different runs from the same seed image (green), one per row, layer by layer to the result (blue); side lengths below.",
    groups: rows,
    size,
    alt: "rows of images growing sharper",
  });
}

/** Figure 6: the same seed images through the model of all classes together and through that of their own class. */
export function allClassesFigure(experiment: Experiment, rows: readonly SeededImage[]): Figure {
  const { sides: [size] } = experiment, numbers = rows.map((_, i) => FIGURE_NUMBERS + 700 + i);
  const all = experiment.synthesizeSeeds(undefined, numbers, experiment.seeds(rows.map(({ test }) => test))).images;
  const groups = rows.map(({ label, test }, i): Framed[] => {
    const { images: [own] } = experiment.synthesizeSeeds(label, [numbers[i]], experiment.seeds([test]));
    return [
      { pixels: experiment.testImage(test), colour: "green" },
      { pixels: all[i].pixels, colour: "blue" },
      { pixels: own.pixels, colour: "grey" },
    ];
  });
  return picture({
    number: "6",
    caption:
      "The model of all digits together (blue) beside the model of the digit's own class (grey), from the seed image of the same test image (green). Without the class, parts of different digits may merge into one that is none.",
    groups,
    size,
    columns: 4,
    alt: "triples of framed images",
  });
}

/** Figure 14: the five training images that contributed most to an image, and the parts that they contributed. */
export function stitchingFigure(
  experiment: Experiment,
  number: string,
  caption: string,
  { label, test }: SeededImage,
): Figure {
  return stitchedPicture(experiment, number, caption, { label, test, number: FIGURE_NUMBERS + 900 });
}

/** Synthesizes an image and draws the training images that contributed most to it above the parts that they contributed. */
export function stitchedPicture(
  experiment: Experiment,
  number: string,
  caption: string,
  { number: key, label, test }: SeededImage,
): Figure {
  const { sides: [size] } = experiment, training = trainingOf(experiment, label);
  const { images: [{ pixels, provenance, nearest }] } = experiment.synthesizeSeeds(
    label,
    [key],
    experiment.seeds([test]),
  );
  const top = contributors(provenance).slice(0, 5);
  const parts = top.map(() => new Uint8Array(size * size).fill(128)), sum = new Uint8Array(size * size).fill(128);
  for (let p = 0; p < size * size; p++) {
    for (const { image } of pixelSources(provenance, Math.floor(p / size), p % size)) {
      const at = top.findIndex((one) => one.image === image);
      if (at >= 0) parts[at][p] = sum[p] = pixels[p];
    }
  }
  const groups: Framed[][] = [
    [
      ...top.map(({ image, share }): Framed => ({
        pixels: experiment.trainingImage(training[image]),
        colour: "red",
        text: share.toFixed(3),
      })),
      { pixels: experiment.trainingImage(training[nearest!.image]), colour: "red" },
      { pixels, colour: "blue" },
    ],
    [
      ...parts.map((part): Framed => ({ pixels: part, colour: "grey" })),
      { pixels: sum, colour: "grey" },
      { pixels, colour: "blue" },
    ],
  ];
  return picture({
    number,
    caption,
    groups,
    size,
    alt: "training images above, the parts that they contributed below",
  });
}
