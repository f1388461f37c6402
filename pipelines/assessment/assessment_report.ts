/** The report of an assessment. */
import { evenlySpaced } from "../../core/numbers.ts";
import { pad } from "../../core/pyramid.ts";
import { shapeText } from "../../core/shape.ts";
import type { Images } from "../../core/types.ts";
import { numbersOfClass } from "../../datasets/groups.ts";
import { histogram, map, scatter, type Values } from "../report/charts.ts";
import { counted } from "../../core/counted.ts";
import { embed } from "../report/embed.ts";
import type { Figure, Report, Section } from "../report/report.ts";
import type { Framed } from "../report/sheet.ts";
import { sheetFigure } from "../report/sheet_figure.ts";
import { fixed } from "../report/numbers.ts";
import type { Assessment } from "./assessment.ts";
import type { MetricScore } from "./metric_score.ts";
import { paddedImages, reduced, unitVectors } from "./padded_images.ts";
import { scoreTables } from "./score_tables.ts";
import { valuesByImage } from "./values_by_image.ts";

/** Images shown in each picture: the likeliest, the least likely, the least original, the least real and so on. */
const SHOWN = 12;
/** Images of each set on the t-SNE map. */
const ON_MAP = 1000;
/** Images are reduced to this side for the map: neighbours in pixels hardly change, and of 128x128 images it takes a sixteenth. */
const MAP_SIDE = 32;

/** Makes the report, with the figures that the measured metrics allow. `command` is the command that made the assessment. */
export async function assessmentReport(assessment: Assessment, command: string): Promise<Report> {
  const { plan, data, path, set, seconds } = assessment;
  const columnsOf = (scores: readonly MetricScore[] = []) => {
    return new Map(valuesByImage(scores, set.images.count).map(({ name, values }) => [name, values]));
  };
  const columns = columnsOf(assessment.scores), baseline = columnsOf(assessment.baseline);
  const sections = await reportSections(assessment, columns, baseline);
  return {
    title: `Assessment of ${counted(set.images.count, "image")}`,
    lead: `The images of ${path}, compared with the training images of ${data.name}.`,
    command,
    settings: [
      [
        "Images",
        `${path}, ${set.images.count} of ${shapeText(set.images)}${set.scaled ? `, ${set.scaled}` : ""}`,
      ],
      ["Data", data.origin],
      ["Profile", `${plan.profile.name}: ${plan.profile.about}`],
      ["Classes", classesText(assessment)],
      ["Time", `${seconds.toFixed(1)} s`],
    ],
    sections: sections.filter(({ figures }) => figures.length > 0),
  };
}

/** Where the classes of the images come from. */
function classesText({ set, classified }: Assessment): string {
  if (!set.labels) return "none: all images are measured together";
  if (classified === undefined) return "given";
  return `by nearest neighbours, right for ${(100 * classified).toFixed(1)} % of held-out images`;
}

/** The values of each image by their names: of the images that were measured, and of the baseline. */
async function reportSections(
  assessment: Assessment,
  columns: ReadonlyMap<string, Float64Array>,
  baseline: ReadonlyMap<string, Float64Array>,
): Promise<Section[]> {
  return [
    {
      title: "Scores",
      figures: scoreTables(assessment),
    },
    {
      title: "Likelihood",
      text: "How plausible the patches of an image are, given the training patches at the same location.",
      figures: await likelihoodFigures(assessment, columns.get("likelihood"), baseline.get("likelihood")),
    },
    {
      title: "Originality",
      text:
        "The distance of an image to its nearest training image, divided by the distance of that one to its own nearest.",
      figures: await originalityFigures(assessment, columns, baseline),
    },
    {
      title: "Judge",
      text:
        "A classifier of edges and textures, which learned to tell the images from real ones, decides on images it has not seen.",
      figures: await judgeFigures(assessment, columns.get("judge decision"), baseline.get("judge decision")),
    },
    {
      title: "Spread",
      text: "Whether the images cover the training images evenly.",
      figures: await mapFigures(assessment, columns),
    },
  ];
}

async function likelihoodFigures(
  assessment: Assessment,
  values?: Float64Array,
  heldOut?: Float64Array,
): Promise<Figure[]> {
  if (!values) return [];
  return await valueFigures(assessment, values, besideHeldOut(values, heldOut), {
    x: "LL",
    decimals: 1,
    histogram: "Histogram of the log-likelihood.",
    lowest: "The images of the lowest log-likelihood, where failures would be; LL below.",
    highest: "The images of the highest log-likelihood.",
  });
}

async function judgeFigures(
  assessment: Assessment,
  decisions?: Float64Array,
  heldOut?: Float64Array,
): Promise<Figure[]> {
  if (!decisions) return [];
  const decided = decisions.filter((value) => !Number.isNaN(value));
  return await valueFigures(assessment, decisions, besideHeldOut(decided, heldOut), {
    x: "decision",
    decimals: 2,
    histogram: "Histogram of the decisions; larger: more like real images.",
    lowest: "The images that the judge finds least real, with its decisions below.",
    highest: "The images that the judge finds most real.",
  });
}

/** What is said of the values of images: the title of an axis, the decimals below images, and captions. */
interface ValueText {
  readonly x: string;
  readonly decimals: number;
  readonly histogram: string;
  readonly lowest: string;
  readonly highest: string;
}

/** Draws a histogram of some sets of values, and the images of the lowest and of the highest values. */
async function valueFigures(
  assessment: Assessment,
  values: Float64Array,
  sets: readonly Values[],
  { x, decimals, histogram: caption, lowest, highest }: ValueText,
): Promise<Figure[]> {
  const order = orderBy(values);
  if (order.length === 0) return [];
  const captioned = (indices: readonly number[]) => withValues(assessment, indices, values, decimals);
  return [
    { kind: "chart", caption, ...await histogram(sets, { x }) },
    picture(assessment, lowest, captioned(order.slice(0, SHOWN))),
    picture(assessment, highest, captioned(order.slice(-SHOWN).toReversed())),
  ];
}

/** The numbers of the images that have a value, the least value first. */
function orderBy(values: Float64Array): number[] {
  return [...values.keys()].filter((i) => Number.isFinite(values[i])).sort((a, b) => values[a] - values[b]);
}

function withValues(
  assessment: Assessment,
  indices: readonly number[],
  values: Float64Array,
  decimals: number,
): Framed[][] {
  return indices.map((i) => [
    { pixels: padded(assessment, assessment.set.images, i), colour: "blue", text: fixed(values[i], decimals) },
  ]);
}

function besideHeldOut(values: Float64Array, heldOut?: Float64Array): Values[] {
  const others = heldOut?.filter((value) => !Number.isNaN(value)) ?? new Float64Array();
  return [{ name: "assessed", values }, ...others.length > 0 ? [{ name: "held-out", values: others }] : []];
}

async function originalityFigures(
  assessment: Assessment,
  columns: ReadonlyMap<string, Float64Array>,
  heldOut: ReadonlyMap<string, Float64Array>,
): Promise<Figure[]> {
  const values = columns.get("originality"), dG = columns.get("originality dG"), dT = columns.get("originality dT");
  const correlated = [
    ...closestFigures(
      assessment,
      "closest-correlation",
      columns,
      "The images of the highest correlation with a training image (blue), with that below, and those training images (red).",
    ),
    ...closestFigures(
      assessment,
      "structure",
      columns,
      "The images whose local structure is nearest to a training image's (blue), with their correlation below, and those training images (red). Relit copies stand here.",
    ),
  ];
  if (!values || !dG || !dT) return correlated;
  const sets = [{ name: "assessed", x: dG, y: dT }];
  const heldOutG = heldOut.get("originality dG"), heldOutT = heldOut.get("originality dT");
  if (heldOutG && heldOutT) sets.push({ name: "held-out", x: heldOutG, y: heldOutT });
  const originality = assessment.scores.find(({ metric }) => metric === "originality")!;
  const order = orderBy(values);
  return [
    {
      kind: "chart",
      caption:
        "Each image by its distance to the nearest training image (d_G) and by the distance of that one to its own nearest (d_T). On or below the diagonal an image is as new as training images are to each other; copies lie at the left edge.",
      ...await scatter(sets, { x: "d_G", y: "d_T", diagonal: true }),
    },
    picture(
      assessment,
      "The least original images (blue), with their originality below, and their nearest training images (red).",
      order.slice(0, SHOWN).map((i) => withNearest(assessment, originality, i, values[i])),
    ),
    ...correlated,
  ];
}

/** Shows copies of another light or contrast than their original, which the originality does not find. */
function closestFigures(
  assessment: Assessment,
  metric: "closest-correlation" | "structure",
  columns: ReadonlyMap<string, Float64Array>,
  caption: string,
): Figure[] {
  const correlations = columns.get(metric);
  const order = correlations ? orderBy(correlations) : [];
  if (!correlations || order.length === 0) return [];
  const score = assessment.scores.find((one) => one.metric === metric)!;
  const closest = order.slice(-SHOWN).toReversed();
  return [picture(assessment, caption, closest.map((i) => withNearest(assessment, score, i, correlations[i])))];
}

function withNearest(assessment: Assessment, { images, results }: MetricScore, index: number, value: number): Framed[] {
  const group = images.findIndex((ofClass) => ofClass.includes(index)), i = images[group].indexOf(index);
  const { train } = assessment.data, training = numbersOfClass(train.labels, results[group].label, train.images.count);
  const nearest = training[results[group].result.series.nearest[i]];
  return [
    { pixels: padded(assessment, assessment.set.images, index), colour: "blue", text: fixed(value, 3) },
    { pixels: padded(assessment, train.images, nearest), colour: "red" },
  ];
}

async function mapFigures(
  { plan, data: { train }, set, classes }: Assessment,
  columns: ReadonlyMap<string, Float64Array>,
): Promise<Figure[]> {
  const [size] = plan.sizes,
    among = classes.flatMap((label) => [...numbersOfClass(train.labels, label, train.images.count)]);
  const assessed = evenlySpaced(set.images.count, ON_MAP);
  const training = evenlySpaced(among.length, ON_MAP).map((i) => among[i]);
  const vectors = ([[set, assessed], [train, training]] as const).flatMap(([images, chosen]) => {
    return unitVectors(reduced(paddedImages(images, chosen, size), MAP_SIDE));
  });
  const { x, y, notes } = await embed(vectors);
  const points = { x, y }, none = new Array(training.length).fill(NaN);
  const figure = async (caption: string, by: string): Promise<Figure[]> => {
    const values = columns.get(by);
    if (!values) return [];
    return [{
      kind: "chart",
      caption,
      ...await map(points, { by: "number", title: by, values: [...Array.from(assessed, (i) => values[i]), ...none] }),
    }];
  };
  const sets = [...new Array(assessed.length).fill("assessed"), ...new Array(training.length).fill("training")];
  const sampled =
    `${assessed.length} of ${set.images.count} assessed and ${training.length} of ${among.length} training images, taken evenly, by t-SNE. ${
      notes.join(" ")
    }`;
  return [
    { kind: "chart", caption: sampled.trim(), ...await map(points, { by: "set", values: sets }) },
    ...await figure("The assessed images of the same map by their log-likelihood.", "likelihood"),
    ...await figure("The assessed images of the same map by their originality.", "originality"),
  ];
}

function padded({ plan }: Assessment, images: Images, index: number): Uint8Array {
  return pad(images, index, plan.sizes[0]);
}

function picture({ plan }: Assessment, caption: string, groups: readonly (readonly Framed[])[]): Figure {
  return sheetFigure(groups, plan.sizes[0], { caption, alt: "framed images with numbers below" });
}
