/** The HTML report of `assess`. */
import { toHtml } from "../../../pipelines/report/html.ts";
import type { Figure, Report, Section } from "../../../pipelines/report/report.ts";
import { pad, range } from "../../../core/pyramid.ts";
import { type Framed, sheet } from "../../../pipelines/report/sheet.ts";
import type { Images } from "../../../core/types.ts";
import { squareSides } from "../../../core/plan.ts";
import { squareOf } from "../../../core/shape.ts";
import { type Assessment, significant } from "./assessment.ts";
import { histogram, map, scatter } from "../../../pipelines/report/charts.ts";
import { counted } from "../../../pipelines/report/counted.ts";
import { embed } from "../../../pipelines/report/embed.ts";
import { chosenBy } from "../../../datasets/groups.ts";
import { type MetricScore, take, vectors } from "../workers/run_metrics.ts";
import { png } from "../../../datasets/formats/write_png.ts";
import { valuesByImage } from "./write_assessment.ts";

/** Images shown as best, worst and beside their nearest. */
const SHOWN = 12;
/** Images of each set on the t-SNE map. */
const ON_MAP = 1000;

/** Makes the report, with the figures that the metrics at hand allow. */
export async function assessmentReport(assessment: Assessment, command: string): Promise<string> {
  const { plan, data, path, set, classified, seconds } = assessment;
  const columns = new Map(
    valuesByImage(assessment.measured, set.images.count).map(({ name, values }) => [name, values]),
  );
  const baseline = new Map(
    assessment.baseline
      ? valuesByImage(assessment.baseline, set.images.count).map(({ name, values }) => [name, values])
      : [],
  );
  const labels = !set.labels
    ? "none: all images are judged together"
    : classified === undefined
    ? "given"
    : `by nearest neighbours, right for ${(100 * classified).toFixed(1)} % of held-out images`;
  const sections: Section[] = [
    { title: "Scores", figures: [scoreTable(assessment), ...classTables(assessment), ...settingsTable(assessment)] },
    {
      title: "Likelihood",
      text: "How plausible the patches of an image are under the training patches of the same place.",
      figures: await likelihoodFigures(assessment, columns.get("likelihood"), baseline.get("likelihood")),
    },
    {
      title: "Originality",
      text: "How far an image is from the nearest training image, against that one's distance to its own nearest.",
      figures: await originalityFigures(assessment, columns, baseline),
    },
    {
      title: "Spread",
      text: "Whether the images cover the training images evenly.",
      figures: await mapFigures(assessment, columns),
    },
  ];
  const report: Report = {
    title: `Assessment of ${counted(set.images.count, "image")}`,
    lead: `The images of ${path}, judged against the training images of ${data.name}.`,
    command,
    settings: [
      [
        "Images",
        `${path}, ${set.images.count} of ${set.images.width}x${set.images.height}${
          set.scaled ? `, ${set.scaled}` : ""
        }`,
      ],
      ["Data", data.origin],
      ["Profile", `${plan.profile.name}: ${plan.profile.about}`],
      ["Classes", labels],
      ["Time", `${seconds.toFixed(1)} s`],
    ],
    sections: sections.filter(({ figures }) => figures.length > 0),
  };
  return toHtml(report);
}

function scoreTable({ measured, baseline }: Assessment): Figure {
  return {
    kind: "table",
    caption:
      "Scores with 95 % bootstrap intervals; scores of classes are averaged. Held-out: the same measure on as many held-out images, which is what a score is read against.",
    columns: ["measure", "score", "95 % interval", ...(baseline ? ["held-out"] : []), "what it says"],
    rows: measured.map(({ metric, score, interval, about }, i) => [
      metric,
      significant(score),
      `${significant(interval[0])} to ${significant(interval[1])}`,
      ...(baseline ? [significant(baseline[i].score)] : []),
      about,
    ]),
  };
}

function classTables({ measured }: Assessment): Figure[] {
  const byClass = measured.filter(({ groups }) => groups.length > 1);
  if (byClass.length === 0) return [];
  const labels = byClass[0].groups.map(({ label }) => label);
  return [{
    kind: "table",
    caption: "Scores of each class.",
    columns: ["class", "images", ...byClass.map(({ metric }) => metric)],
    rows: labels.map((
      label,
      g,
    ) => [String(label), byClass[0].images[g].length, ...byClass.map(({ groups }) => significant(groups[g].score))]),
  }];
}

function settingsTable({ measured }: Assessment): Figure[] {
  return [{
    kind: "table",
    caption: "What the measures depend on, and what makes them less than they seem.",
    columns: ["measure", "settings", "remarks"],
    rows: measured.map(({ metric, settings, warnings }) => [
      metric,
      Object.entries(settings).map(([name, value]) =>
        `${name} ${typeof value === "number" ? significant(value) : value}`
      )
        .join(", "),
      warnings.join(". ") || "none",
    ]),
  }];
}

async function likelihoodFigures(
  assessment: Assessment,
  values?: Float64Array,
  heldOut?: Float64Array,
): Promise<Figure[]> {
  if (!values) return [];
  const order = [...values.keys()].filter((i) => Number.isFinite(values[i])).sort((a, b) => values[a] - values[b]);
  const shown = (indices: readonly number[]): Framed[][] =>
    indices.map((
      i,
    ) => [{ pixels: padded(assessment, assessment.set.images, i), colour: "blue", text: values[i].toFixed(1) }]);
  const sets = [
    { name: "judged", values },
    ...(heldOut ? [{ name: "held-out", values: heldOut.filter((value) => !Number.isNaN(value)) }] : []),
  ];
  return [
    { kind: "chart", caption: "Histogram of the log-likelihood.", svg: await histogram(sets, { x: "LL" }) },
    picture(
      assessment,
      "The images of the lowest log-likelihood, where failures are found; LL below.",
      shown(order.slice(0, SHOWN)),
      6,
    ),
    picture(assessment, "The images of the highest log-likelihood.", shown(order.slice(-SHOWN).toReversed()), 6),
  ];
}

async function originalityFigures(
  assessment: Assessment,
  columns: ReadonlyMap<string, Float64Array>,
  heldOut: ReadonlyMap<string, Float64Array>,
): Promise<Figure[]> {
  const values = columns.get("originality"), dG = columns.get("originality dG"), dT = columns.get("originality dT");
  if (!values || !dG || !dT) return [];
  const sets = [{ name: "judged", x: dG, y: dT }];
  const heldOutG = heldOut.get("originality dG"), heldOutT = heldOut.get("originality dT");
  if (heldOutG && heldOutT) sets.push({ name: "held-out", x: heldOutG, y: heldOutT });
  const originality = assessment.measured.find(({ metric }) => metric === "originality")!;
  const order = [...values.keys()].filter((i) => !Number.isNaN(values[i])).sort((a, b) => values[a] - values[b]);
  return [
    {
      kind: "chart",
      caption:
        "Each image by its distance to the nearest training image (d_G) and that one's distance to its own nearest (d_T). On the diagonal or below it an image is as new as training images are to each other; copies lie at the left edge.",
      svg: await scatter(sets, { x: "d_G", y: "d_T", diagonal: true }),
    },
    picture(
      assessment,
      "The least original images (blue), their nearest training images (red), the originality below.",
      order.slice(0, SHOWN).map((i) => withNearest(assessment, originality, i, values[i])),
      6,
    ),
  ];
}

function withNearest(assessment: Assessment, { images, results }: MetricScore, index: number, value: number): Framed[] {
  const group = images.findIndex((of) => of.includes(index)), i = images[group].indexOf(index);
  const { train } = assessment.data, training = chosenBy(train.labels, results[group].label, train.images.count);
  const nearest = training[results[group].result.series.nearest[i]];
  return [
    { pixels: padded(assessment, assessment.set.images, index), colour: "blue", text: value.toFixed(3) },
    { pixels: padded(assessment, train.images, nearest), colour: "red" },
  ];
}

async function mapFigures(
  { plan, data: { train }, set, classes }: Assessment,
  columns: ReadonlyMap<string, Float64Array>,
): Promise<Figure[]> {
  const [size] = squareSides(plan),
    among = classes.flatMap((label) => [...chosenBy(train.labels, label, train.images.count)]);
  const every = (of: ArrayLike<number>) => {
    const taken = Math.min(ON_MAP, of.length);
    return Uint32Array.from({ length: taken }, (_, i) => of[Math.floor(i * of.length / taken)]);
  };
  const mine = every(range(set.images.count)), theirs = every(among);
  const { x, y, notes } = await embed([...vectors(take(set, mine, size)), ...vectors(take(train, theirs, size))], {
    limit: 2 * ON_MAP,
  });
  const points = { x, y }, none = new Array(theirs.length).fill(NaN);
  const figure = async (caption: string, by: string): Promise<Figure[]> => {
    const values = columns.get(by);
    if (!values) return [];
    return [{
      kind: "chart",
      caption,
      svg: await map(points, { by: "number", title: by, values: [...Array.from(mine, (i) => values[i]), ...none] }),
    }];
  };
  const sets = [...new Array(mine.length).fill("judged"), ...new Array(theirs.length).fill("training")];
  const sampled =
    `${mine.length} of ${set.images.count} judged and ${theirs.length} of ${among.length} training images, taken evenly, by t-SNE. ${
      notes.join(" ")
    }`;
  return [
    { kind: "chart", caption: sampled.trim(), svg: await map(points, { by: "set", values: sets }) },
    ...await figure("The judged images of the same map by their log-likelihood.", "likelihood"),
    ...await figure("The judged images of the same map by their originality.", "originality"),
  ];
}

function padded({ plan }: Assessment, images: Images, index: number): Uint8Array {
  return pad(images, index, plan.sizes[0]);
}

function picture(
  { plan }: Assessment,
  caption: string,
  groups: readonly (readonly Framed[])[],
  columns: number,
): Figure {
  const [size] = squareSides(plan), scale = Math.max(1, Math.floor(64 / size));
  return {
    kind: "picture",
    caption,
    alt: "framed images with numbers below",
    png: png(sheet(groups, squareOf(size), columns, scale)),
    pixelated: size <= 64,
  };
}
