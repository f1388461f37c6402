/** The report of a reproduction: every table and figure of the paper, in the paper's order, with its number. */
import type { Figure, Report, Section } from "../../../pipelines/report/report.ts";
import { seedImages } from "../../../core/pyramid.ts";
import type { LabelledImages } from "../../../datasets/data_set.ts";
import { seedLikelihood } from "../../../plugins/metrics/seed_likelihood.ts";
import { chosenBy } from "../../../datasets/groups.ts";
import type { GroupImage } from "../../../pipelines/synthesis/synthesis_tasks.ts";
import type { MetricScore } from "../../../pipelines/assessment/metric_score.ts";
import { valuesByImage } from "../../../pipelines/assessment/values_by_image.ts";
import * as curves from "./curves.ts";
import * as maps from "./maps.ts";
import * as pictures from "./pictures.ts";
import * as tables from "./tables.ts";
import type { Experiment, Label } from "./world.ts";

/** What a reproduction has made and measured. */
export interface Reproduction {
  readonly world: Experiment;
  /** digits or faces. */
  readonly name: string;
  /** For each image its number, its test image and its class. */
  readonly all: readonly { readonly number: number; readonly test: number; readonly label: Label }[];
  readonly finished: readonly GroupImage[];
  readonly generated: LabelledImages;
  readonly test: LabelledImages;
  /** Likelihood, originality, spread. */
  readonly scores: { readonly generated: readonly MetricScore[]; readonly test: readonly MetricScore[] };
  readonly command: string;
  readonly progress: (done: number) => void;
  readonly seconds: () => number;
}

/** The values of each image, by its number. */
export interface ByImage {
  readonly likelihood: Float64Array;
  readonly originality: Float64Array;
  readonly dG: Float64Array;
  readonly dT: Float64Array;
}

/** Makes all tables and figures. */
export async function reproductionReport(reproduction: Reproduction): Promise<Report> {
  const { world, name, finished, test, scores, command } = reproduction;
  const generatedBy = byImage(scores.generated, finished.length), testBy = byImage(scores.test, test.images.count);
  const parts = name === "digits" ? digitSections : faceSections;
  const steps = parts(reproduction, generatedBy, testBy), sections: Section[] = [];
  let done = 0;
  const count = steps.reduce((sum, section) => sum + section.figures.length, 0);
  for (const { title, text, figures } of steps) {
    const made: Figure[] = [];
    for (const make of figures) {
      made.push(...[await make()].flat());
      reproduction.progress(++done / count);
    }
    if (made.length > 0) sections.push({ title, text, figures: made });
  }
  const { plan, data, seed, threads } = world;
  return {
    title: `Example-based image synthesis via randomized patch-matching: the ${name}, reproduced`,
    lead:
      `${finished.length} images synthesized from ${test.images.count} seed images, with the tables and figures of Ren, Romano and Elad (2016). Figures carry the paper's numbers; values that are quoted from the paper are marked.`,
    command,
    settings: [
      ["Data", data.origin],
      ["Profile", `${plan.profile.name}: ${plan.profile.about}`],
      ["Prior", `${plan.prior.plugin.name} ${JSON.stringify(plan.prior.values)}`],
      [
        "Contexts",
        plan.contexts.map(({ plugin, values }) => `${plugin.name} ${JSON.stringify(values)}`).join(", ") || "none",
      ],
      ["Random seed", String(seed)],
      ["Time", `${reproduction.seconds().toFixed(0)} s on ${threads} threads`],
      ["Deno", Deno.version.deno],
    ],
    sections,
  };
}

type Make = () => Promise<Figure | Figure[]> | Figure | Figure[];
interface Part {
  readonly title: string;
  readonly text?: string;
  readonly figures: readonly Make[];
}

function digitSections(r: Reproduction, generated: ByImage, test: ByImage): Part[] {
  const { world, all } = r, [lowHalf, highHalf] = [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]];
  const firstOf = (label: number, from = 0) => all.filter((one) => one.label === label)[from] ?? all[0];
  const rows = (labels: number[]) => labels.flatMap((label) => [firstOf(label), firstOf(label, 1)]);
  const order = sorted(generated.likelihood), testOrder = sorted(test.likelihood);
  const scored = (i: number) => ({ image: r.finished[i], label: all[i].label, likelihood: generated.likelihood[i] });
  const [highSeed, lowSeed] = seedsOfEight(r);
  return [
    methodSection(r, firstOf(5)),
    {
      title: "Synthesized digits",
      figures: [
        () => tables.parameters(world.plan, "1"),
        () => pictures.seedFigure(world),
        () => pictures.gridFigure(world, "8", gridCaption("Digits 0 to 4"), rows(lowHalf), 3),
        () => pictures.gridFigure(world, "9", gridCaption("Digits 5 to 9"), rows(highHalf), 3),
        () => pictures.branchFigure(world, "10", firstOf(5).label, firstOf(5).test),
        () =>
          pictures.scoredFigure(
            world,
            "11",
            "The synthesized images of the lowest log-likelihood, where failures are found; LL below.",
            order.slice(0, 16).map(scored),
          ),
        () =>
          pictures.allClassesFigure(world, [
            ...all.filter((one) => one.label === 8).slice(0, 4),
            ...all.filter((one) => one.label === 3).slice(0, 4),
          ]),
      ],
    },
    {
      title: "Log-likelihood",
      figures: [
        () => tables.testLikelihoods(r.scores.test[0].score, "3"),
        () =>
          pictures.scoredFigure(
            world,
            "15a",
            "Synthesized images of low log-likelihood, evenly from the lowest tenth.",
            spacedFrom(order, 16).map(scored),
          ),
        () =>
          pictures.scoredTestFigure(
            world,
            "15b",
            "Test images of low log-likelihood: unique rather than wrong.",
            testOrder.slice(0, 16).map((i) => ({ test: i, likelihood: test.likelihood[i] })),
          ),
        () => curves.likelihoodHistogram("16", generated.likelihood, test.likelihood),
        () => seedFigures(r, highSeed, lowSeed),
        () => curves.sigmaCurves(r),
      ],
    },
    {
      title: "Originality and spread",
      figures: [
        () => tables.scores(r, "4"),
        () => curves.originalityScatter("18", generated, test),
        () => maps.maps(r, generated, ["19", "20", "21", "22"]),
      ],
    },
  ];
}

function faceSections(r: Reproduction, generated: ByImage, test: ByImage): Part[] {
  const { world, all } = r, order = sorted(generated.originality);
  return [
    methodSection(r, all[0]),
    {
      title: "Synthesized faces",
      figures: [
        () => tables.parameters(world.plan, "2"),
        () => pictures.seedFigure(world),
        () => pictures.gridFigure(world, "12", gridCaption("Faces"), all.slice(0, 8), 2),
        () => pictures.branchFigure(world, "13", undefined, all[Math.min(4, all.length - 1)].test),
        () =>
          pictures.stitchingFigure(
            world,
            "14",
            "A synthesized face (blue) as a stitching. Above: the five training images that gave most of it, with their shares, then its nearest training image. Below: the parts that each gave, and their sum.",
            undefined,
            all[0].test,
          ),
      ],
    },
    {
      title: "Assessment",
      figures: [
        () => tables.scores(r, "5"),
        () => curves.likelihoodHistogram("16, for faces", generated.likelihood, test.likelihood),
        () => curves.originalityScatter("23", generated, test),
        () => {
          const least = order[0], { label, test } = all[least];
          return pictures.leastOriginalFigure(
            world,
            "24",
            r.finished[least],
            label,
            test,
            generated.originality[least],
          );
        },
        () => maps.maps(r, generated, ["25", "26", "27"]),
      ],
    },
  ];
}

function methodSection({ world }: Reproduction, one: { test: number; label: Label }): Part {
  return {
    title: "The method",
    text:
      "Every layer doubles the size of the image: it is interpolated, and patches that are drawn at random from examples of the same place are merged into it, again and again.",
    figures: [
      () => pictures.pyramidFigure(world),
      () => pictures.pairFigure(world),
      () => pictures.candidatesFigure(world, "3a", one.label, one.test, 0),
      () => pictures.candidatesFigure(world, "3b", one.label, one.test, world.plan.layers[0].iterations.length - 2),
      () => pictures.cycleSpinningFigure(world),
      () => pictures.contextFigure(world),
    ],
  };
}

function gridCaption(what: string): string {
  return `${what}. Green: the test image that the seed image was made from. Blue: different results from that seed image. Red: the training image nearest to the one on its left. Below blue: distance to the nearest training image; below red: distance from that one to its own nearest.`;
}

/** The test eights whose seed images have the highest and the lowest likelihood among those at hand. */
function seedsOfEight({ world, all }: Reproduction): { test: number; likelihood: number; mean: number }[] {
  const { data, kernels, plan: { sizes } } = world, pixels = world.sides.at(-1)! ** 2;
  const tests = all.filter((one) => one.label === 8).map((one) => one.test);
  if (tests.length < 2) return [];
  const train = seedImages(kernels, data.train.images, sizes, chosenBy(data.train.labels, 8, data.train.images.count));
  const values = seedLikelihood(world.seeds(tests), train, pixels), order = sorted(values);
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  return [order.at(-1)!, order[0]].map((i) => ({ test: tests[i], likelihood: values[i], mean }));
}

function seedFigures(
  r: Reproduction,
  high?: { test: number; likelihood: number; mean: number },
  low?: typeof high,
): Figure[] {
  if (!high || !low) return [];
  return [high, low].map(({ test, likelihood, mean }, i) =>
    pictures.likelihoodFigure(
      r.world,
      `17${"ab"[i]}`,
      `Results from the seed image of an 8 of ${
        i === 0 ? "high" : "low"
      } likelihood, by falling LL (below): LL of the seed image ${likelihood.toFixed(3)}, mean of all ${
        mean.toFixed(3)
      }. ${
        i === 0
          ? "An ordinary seed gives good results."
          : "From a seed unlike all others moderate failures are more frequent."
      }`,
      8,
      test,
    )
  );
}

function byImage(measured: readonly MetricScore[], count: number): ByImage {
  const values = new Map(valuesByImage(measured, count).map(({ name, values }) => [name, values]));
  const of = (name: string) => values.get(name)!;
  return {
    likelihood: of("likelihood"),
    originality: of("originality"),
    dG: of("originality dG"),
    dT: of("originality dT"),
  };
}

/** Indices in ascending order of the values; what is not a number is left out. */
function sorted(values: Float64Array): number[] {
  return [...values.keys()].filter((i) => !Number.isNaN(values[i])).sort((a, b) => values[a] - values[b]);
}

/** `count` of the lowest tenth, evenly spaced. */
function spacedFrom(order: readonly number[], count: number): number[] {
  const tenth = order.slice(0, Math.max(count, Math.ceil(order.length / 10)));
  return Array.from({ length: Math.min(count, tenth.length) }, (_, i) => tenth[Math.floor(i * tenth.length / count)]);
}
