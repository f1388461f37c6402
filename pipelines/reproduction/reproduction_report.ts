/** The report of a reproduction: every table and figure of the paper, in the paper's order and with its numbers. */
import { counted } from "../../core/counted.ts";
import { seedImages } from "../../core/pyramid.ts";
import { areaOf } from "../../core/shape.ts";
import { numbersOfClass } from "../../datasets/groups.ts";
import { seedLikelihood } from "../../plugins/metrics/seed_likelihood.ts";
import type { Figure, Report, Section } from "../report/report.ts";
import * as assessment from "./assessment_figures.ts";
import {
  digitsText,
  figure15Note,
  figure17Note,
  lowestCount,
  lowestTenth,
  lowestText,
  pluginText,
} from "./captions.ts";
import * as curves from "./curves.ts";
import type { SeededImage } from "./experiment.ts";
import * as maps from "./maps.ts";
import * as method from "./method_figures.ts";
import { type Reproduction, type ScoresByImage, scoresByImage, sortedIndices } from "./reproduction.ts";
import * as synthesis from "./synthesis_figures.ts";
import * as tables from "./tables.ts";

/** What the report says about the run. */
interface ReportedRun {
  /** The command that made the report. */
  readonly command: string;
  /** When the run started, on the clock of the runner. */
  readonly started: number;
  /** Name and version of the runtime. */
  readonly runtime: readonly [name: string, version: string];
}

/**
 * Makes all tables and figures.
 *
 * @throws {Error} if the runner was stopped
 */
export async function reproductionReport(reproduction: Reproduction, run: ReportedRun): Promise<Report> {
  const { experiment, name, finished, test, scores } = reproduction, { runner, plan, data, seed } = experiment;
  const generatedBy = scoresByImage(scores.generated, finished.length);
  const testBy = scoresByImage(scores.test, test.images.count);
  const parts = (name === "digits" ? digitSections : faceSections)(reproduction, generatedBy, testBy);
  const usual = FIGURE + PER_PIXEL * areaOf(plan.sizes[0]);
  const workOf = (figure: Make | maps.LongFigures) => typeof figure === "function" ? usual : figure.nanoseconds;
  const all = parts.flatMap(({ figures }) => figures).reduce((sum, figure) => sum + workOf(figure), 0);
  const bar = runner.progress("Drawing the figures"), sections: Section[] = [];
  let done = 0;
  try {
    for (const { title, text, figures } of parts) {
      const made: Figure[] = [];
      for (const figure of figures) {
        const work = workOf(figure), share = (part: number) => bar.update((done + part * work) / all);
        made.push(...[await (typeof figure === "function" ? figure() : figure.make(share))].flat());
        done += work;
        bar.update(Math.min(done / all, 1));
        await runner.pause();
        if (runner.signal.aborted) throw new Error("Stopped before all figures were drawn");
      }
      if (made.length > 0) sections.push({ title, text, figures: made });
    }
  } finally {
    bar.end();
  }
  return {
    title: `Example-based image synthesis via randomized patch-matching: the ${name}, reproduced`,
    lead:
      `${finished.length} images synthesized from ${test.images.count} seed images, with the tables and figures of Ren, Romano and Elad (2016). Figures have the paper's numbers; values quoted from the paper are marked.`,
    command: run.command,
    settings: [
      ["Data", data.origin],
      ["Profile", `${plan.profile.name}: ${plan.profile.about}`],
      ["Prior", pluginText(plan.prior)],
      ["Contexts", plan.contexts.map(pluginText).join("; ") || "none"],
      ["Random seed", String(seed)],
      ["Time", `${((runner.now() - run.started) / 1000).toFixed(0)} s on ${counted(runner.threads, "thread")}`],
      run.runtime,
    ],
    sections,
  };
}

/** Makes one or several figures. */
type Make = () => Promise<Figure | Figure[]> | Figure | Figure[];
/** Nanoseconds of one core that a figure takes, if it says no other time, and more for each pixel of an image: digits 0.1 s, faces 0.3 s. */
const FIGURE = 9e7, PER_PIXEL = 1.3e4;

/** A section whose figures are still to be made. */
interface Part {
  readonly title: string;
  readonly text?: string;
  readonly figures: readonly (Make | maps.LongFigures)[];
}

function digitSections(r: Reproduction, generated: ScoresByImage, test: ScoresByImage): Part[] {
  const order = sortedIndices(generated.likelihood);
  const [five = r.all[0]] = firstOf(r, [5]);
  return [
    methodSection(r, five),
    synthesizedDigits(r, generated, order, five),
    digitLikelihoods(r, generated, test, order),
    {
      title: "Originality and spread",
      figures: [
        () => tables.scores(r, "4"),
        () => synthesis.profilesFigure(r, "S1"),
        () => curves.originalityScatter("18", generated, test),
        maps.maps(r, generated, ["19", "20", "21", "22"]),
      ],
    },
  ];
}

/** The first images of each class, in the order of the classes. In a short run, a class may have none. */
function firstOf({ all }: Reproduction, labels: readonly number[], each = 2): SeededImage[] {
  return labels.flatMap((label) => all.filter((one) => one.label === label).slice(0, each));
}

/** Images of a set with their likelihoods. */
function scoredImages(indices: readonly number[], pixelsOf: (i: number) => Uint8Array, likelihoods: ArrayLike<number>) {
  return indices.map((i) => ({ pixels: pixelsOf(i), likelihood: likelihoods[i] }));
}

/** @param order the images, the least likely first */
function synthesizedDigits(
  r: Reproduction,
  generated: ScoresByImage,
  order: readonly number[],
  five: SeededImage,
): Part {
  const { experiment, finished } = r, shown = lowestCount(order.length);
  const grid = (number: string, labels: readonly number[]) => () => {
    const rows = firstOf(r, labels);
    if (rows.length === 0) return [];
    return synthesis.gridFigure(experiment, number, gridCaption(digitsText(rows)), rows, 3);
  };
  return {
    title: "Synthesized digits",
    figures: [
      () => tables.parameters(experiment.plan, "1"),
      () => {
        const rows = firstOf(r, [8, 3], 4);
        return rows.length > 0 ? synthesis.allClassesFigure(experiment, rows) : [];
      },
      () => method.seedFigure(experiment),
      grid("8", [0, 1, 2, 3, 4]),
      grid("9", [5, 6, 7, 8, 9]),
      () => synthesis.branchFigure(experiment, "10", five),
      () =>
        assessment.scoredFigure(
          experiment,
          "11",
          `${lowestText("synthesized images", shown, order.length)}, where failures would be; LL below.`,
          scoredImages(order.slice(0, shown), (i) => finished[i].pixels, generated.likelihood),
        ),
    ],
  };
}

/** @param order the images, the least likely first */
function digitLikelihoods(
  r: Reproduction,
  generated: ScoresByImage,
  test: ScoresByImage,
  order: readonly number[],
): Part {
  const { experiment, finished } = r, testOrder = sortedIndices(test.likelihood);
  const shown = lowestCount(testOrder.length), lowestOfTest = lowestText("test images", shown, testOrder.length);
  const notes = [figure15Note(order.length), figure17Note(testsOfEight(r).length)].filter((note) => note !== undefined);
  return {
    title: "Log-likelihood",
    ...notes.length > 0 && { text: notes.join(" ") },
    figures: [
      () => tables.testLikelihoods(r, "3"),
      () => {
        if (figure15Note(order.length)) return [];
        return assessment.scoredFigure(
          experiment,
          "15a",
          "Synthesized images of low log-likelihood, evenly from the lowest tenth; LL below.",
          scoredImages(lowestTenth(order, lowestCount(order.length)), (i) => finished[i].pixels, generated.likelihood),
        );
      },
      () =>
        assessment.scoredFigure(
          experiment,
          "15b",
          `${lowestOfTest}: unique rather than wrong; LL below.`,
          scoredImages(testOrder.slice(0, shown), (i) => experiment.testImage(i), test.likelihood),
          "green",
        ),
      () => curves.likelihoodHistogram("16", generated.likelihood, test.likelihood),
      () => seedFigures(r, seedsOfEight(r)),
      () => curves.sigmaCurves(r),
    ],
  };
}

function faceSections(r: Reproduction, generated: ScoresByImage, test: ScoresByImage): Part[] {
  const { experiment, all } = r, order = sortedIndices(generated.originality);
  return [
    methodSection(r, all[0]),
    {
      title: "Synthesized faces",
      figures: [
        () => tables.parameters(experiment.plan, "2"),
        () => method.seedFigure(experiment),
        () => synthesis.gridFigure(experiment, "12", gridCaption("Faces"), all.slice(0, 8), 2),
        () => synthesis.branchFigure(experiment, "13", all[Math.min(4, all.length - 1)]),
        () =>
          synthesis.stitchingFigure(
            experiment,
            "14",
            "A synthesized face (blue) as a stitching. Above: the five training images that contributed most to it, with their shares, then its nearest training image. Below: the part that each contributed, and the sum of the parts.",
            all[0],
          ),
      ],
    },
    {
      title: "Assessment",
      figures: [
        () => tables.scores(r, "5"),
        () => synthesis.profilesFigure(r, "S1"),
        () => curves.likelihoodHistogram("16, for faces", generated.likelihood, test.likelihood),
        () => curves.originalityScatter("23", generated, test),
        () => assessment.leastOriginalFigure(experiment, "24", all[order[0]], generated.originality[order[0]]),
        maps.maps(r, generated, ["25", "26", "27"]),
      ],
    },
  ];
}

function methodSection({ experiment }: Reproduction, one: SeededImage): Part {
  return {
    title: "The method",
    text:
      "Every layer doubles the size of the image: it interpolates the image, then merges patches into it again and again. The patches are drawn at random from examples at the same location.",
    figures: [
      () => method.pyramidFigure(experiment),
      () => method.pairFigure(experiment),
      () => method.candidatesFigure(experiment, "3a", one, 0),
      () => method.candidatesFigure(experiment, "3b", one, experiment.plan.layers[0].iterations.length - 2),
      () => method.cycleSpinningFigure(experiment),
      () => method.contextFigure(experiment),
    ],
  };
}

function gridCaption(what: string): string {
  return `${what}. Green: the test image that the seed image was made from. Blue: different results from that seed image. Red: the training image nearest to the blue one on its left. Below blue: distance to the nearest training image. Below red: distance of that one to its own nearest.`;
}

/** A test image, the likelihood of its seed image, and the mean likelihood of all seed images of its class. */
interface ScoredSeed {
  readonly test: number;
  readonly likelihood: number;
  readonly mean: number;
}

/** The numbers of the test images of eights. */
function testsOfEight({ all }: Pick<Reproduction, "all">): number[] {
  return all.filter(({ label }) => label === 8).map(({ test }) => test);
}

/** Returns the test eights whose seed images have the highest and the lowest likelihood; none if there are fewer than two. */
function seedsOfEight(r: Reproduction): ScoredSeed[] {
  const { data, kernels, plan: { sizes } } = r.experiment, pixels = r.experiment.sides.at(-1)! ** 2;
  const tests = testsOfEight(r), { experiment } = r;
  if (tests.length < 2) return [];
  const train = seedImages(
    kernels,
    data.train.images,
    sizes,
    numbersOfClass(data.train.labels, 8, data.train.images.count),
  );
  const values = seedLikelihood(experiment.seeds(tests), train, pixels), order = sortedIndices(values);
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  return [order.at(-1)!, order[0]].map((i) => ({ test: tests[i], likelihood: values[i], mean }));
}

/** Figure 17: results from a seed image of high and from one of low likelihood. */
function seedFigures({ experiment }: Reproduction, seeds: readonly ScoredSeed[]): Figure[] {
  return seeds.map(({ test, likelihood, mean }, i) =>
    assessment.likelihoodFigure(
      experiment,
      `17${"ab"[i]}`,
      `Results from the seed image of an 8 of ${
        i === 0 ? "high" : "low"
      } likelihood, by falling LL (below): LL of the seed image ${likelihood.toFixed(3)}, mean of all ${
        mean.toFixed(3)
      }. ${
        i === 0
          ? "An ordinary seed image gives good results."
          : "A seed image unlike all others gives moderate failures more often."
      }`,
      { label: 8, test },
    )
  );
}
