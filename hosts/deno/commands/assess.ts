/** `deno task assess`: scores any images, ours or another system's, against training images. */
import { type Plan, plan, squareSides } from "../../../core/plan.ts";
import { optionValues, suggestion } from "../../../core/options.ts";
import type { DataSet, LabelledImages } from "../../../datasets/data_set.ts";
import { classify } from "../workers/classify.ts";
import { counted } from "../../../pipelines/report/counted.ts";
import { findData } from "../data/find_data.ts";
import { asUsage, readFlags, UsageError, wholeNumber } from "../cli/flags.ts";
import { chosenBy } from "../../../datasets/groups.ts";
import { type AssessmentInput, type ChosenMetric, metricOf, runMetrics } from "../workers/run_metrics.ts";
import { openPlugins, PLUGIN_ABOUT, type Plugins, SANDBOX_ABOUT } from "../plugins/load_plugins.ts";
import { progress } from "../cli/progress.ts";
import { readProfile } from "../data/read_profile.ts";
import { type ImageSet, readImageSet } from "../data/read_image_set.ts";
import { type Assessment, significant } from "../output/assessment.ts";
import { openFolder, writeAssessment } from "../output/write_assessment.ts";

const FLAGS = {
  profile: { value: "NAME|FILE.json", about: "what the images are: digits, faces, or a profile of your own" },
  images: {
    value: "PATH",
    about: "the images: PNGs (one, or a folder), a folder that synth wrote, an IDX file, an NPY file",
  },
  labels: { value: "FILE", about: "their classes: an IDX file (found beside the images by its name)" },
  class: {
    value: "N|all",
    about: "one class only (images without labels are taken for it); all: all classes together (class by class)",
  },
  data: {
    value: "PATH",
    about: "training images: IDX files, a folder of PNGs, or a pack (which has no held-out images)",
  },
  metric: { value: "NAME", many: true, about: "these metrics only (likelihood, originality, spread)" },
  set: { value: "METRIC.OPTION=VALUE", many: true, about: "an option of a metric: spread.perplexity=30" },
  plugin: { value: "SPEC", many: true, about: PLUGIN_ABOUT },
  sandbox: { about: SANDBOX_ABOUT },
  report: { about: "all metrics, and one HTML file with tables, plots, the t-SNE map, best and worst images" },
  out: { value: "DIR", about: "where report.html, scores.json and images.csv go (out/assess)" },
  threads: { value: "N", about: "workers; the numbers do not depend on it (all cores)" },
  json: { about: "print scores.json to the standard output instead of the table" },
  quiet: { about: "no progress" },
} as const;

const COMMAND = {
  name: "assess",
  about: "Scores images by likelihood, originality, spread and more against training images.",
  flags: FLAGS,
  examples: [
    "deno task assess --profile digits --images out/digits",
    "deno task assess --profile digits --images folder-of-28x28-pngs --report",
    "deno task assess --profile digits --images samples.npy --metric originality --metric precision",
  ],
} as const;

/** The paper's three. */
const PAPER = ["likelihood", "originality", "spread"];

/** Runs `assess`; the exit code. */
export async function assessCommand(args: string[]): Promise<number> {
  const read = readFlags(args, COMMAND);
  if (read === "helped") return 0;
  const { given } = read, started = performance.now();
  const folder = given.out ?? "out/assess", say = (text: string) => given.quiet || console.error(text);
  if (read.rest.length > 0) throw new UsageError(`assess takes flags only, got "${read.rest[0]}" (see --help)`);
  const plugins = await openPlugins(given.plugin, given.sandbox, say);
  const { profile, data: packed } = await readProfile("assess", given.profile);
  const planned = asUsage(() => plan(profile, plugins.registry));
  if (given.images === undefined) {
    throw new UsageError("assess needs --images: a folder, a PNG, an IDX file or an NPY file");
  }
  let metrics = chooseMetrics(given.metric, given.set, given.report, plugins);
  const only = given.class === undefined || given.class === "all"
    ? undefined
    : wholeNumber("class", given.class, 0, 255);
  const threads = wholeNumber("threads", given.threads ?? String(Math.min(navigator.hardwareConcurrency, 64)), 1, 64);

  const [side] = squareSides(planned);
  let set: ImageSet = await readImageSet(given.images, given.labels);
  const data = await findData(planned.profile.dataset, given.data ?? packed);
  for (
    const { images, what } of [{ images: set.images, what: given.images }, {
      images: data.train.images,
      what: data.name,
    }]
  ) {
    if (images.width > side || images.height > side) {
      throw new Error(
        `${what} has images of ${images.width}x${images.height}: expected up to ${side}x${side}`,
      );
    }
  }
  say(
    `Images: ${set.images.count} of ${set.images.width}x${set.images.height} from ${given.images}${
      set.scaled ? `, ${set.scaled}` : ""
    }`,
  );
  say(`Data: ${data.origin}`);
  if (only !== undefined && !data.train.labels) {
    throw new UsageError(`Cannot use --class ${only}: the images of ${data.name} have no labels`);
  }
  const bar = progress("Assessing", given.quiet);
  let classified: number | undefined;
  if (planned.profile.classwise && data.train.labels && !set.labels && given.class === undefined) {
    if (data.test.images.count === 0) {
      throw new UsageError(
        `Cannot classify images by ${data.name}, which has no held-out images to try it on: give --labels or --class`,
      );
    }
    const found = await classify(data, set.images, planned);
    set = { ...set, labels: found.labels };
    classified = found.accuracy;
    say(
      `The images have no labels: classified by nearest neighbours (right for ${
        (100 * classified).toFixed(1)
      } % of held-out images)`,
    );
  }
  if (only !== undefined && !set.labels) {
    set = { ...set, labels: new Uint8Array(set.images.count).fill(only) };
    say(`The images have no labels: all are taken for class ${only}`);
  }
  const classes = classesOf(planned, data, set, given.class === "all" ? "all" : only);
  // Metrics that judge labels have nothing to say where there are none, nor where they are a guess of our own.
  const hasClasses = set.labels && data.train.labels && classified === undefined;
  if (!hasClasses && given.metric.length === 0) {
    metrics = metrics.filter(({ name }) => !metricOf(plugins, name).together);
  }
  await openFolder(folder);
  const held = data.test.images.count > 0 ? data.test : undefined;
  const subject: AssessmentInput = { plan: planned, generated: set, training: data.train, heldOut: held, classes };
  const heldOut = sameSize(data.test, set, classes);
  // The same metrics on held-out images cost as much again; where those are the very images to judge they would say nothing new.
  const withBaseline = heldOut && !isSame(heldOut, set);
  const measured = await runMetrics(
    subject,
    metrics,
    threads,
    (done) => bar.update(withBaseline ? done / 2 : done),
    plugins,
  );
  const baseline = withBaseline
    ? await runMetrics(
      { ...subject, generated: heldOut },
      metrics,
      threads,
      (done) => bar.update(0.5 + done / 2),
      plugins,
    )
    : undefined;
  const seconds = (performance.now() - started) / 1000;
  const assessment = { plan: planned, data, path: given.images, set, classified, classes, measured, baseline, seconds };
  const command = `deno task assess ${args.join(" ")}`;
  const summary = await writeAssessment(assessment, {
    folder,
    report: given.report,
    command,
    say,
    bar,
  });
  bar.end();
  console.log(given.json ? JSON.stringify(summary, null, 2) : table(assessment));
  for (const { metric, warnings } of measured) for (const warning of warnings) say(`${metric}: ${warning}`);
  return 0;
}

function chooseMetrics(
  wanted: readonly string[],
  settings: readonly string[],
  all: boolean,
  { registry }: Plugins,
): ChosenMetric[] {
  const known = registry.plugins.filter(({ kind }) => kind === "metric").map(({ name }) => name);
  const names = wanted.length > 0 ? [...new Set(wanted)] : all ? known : PAPER;
  const options: Record<string, Record<string, number | string>> = {};
  try {
    for (const setting of settings) {
      const [, metric, option, value] = /^([^.=]+)\.([^=]+)=(.*)$/.exec(setting) ?? [];
      if (metric === undefined) throw new Error(`Cannot set "${setting}": expected METRIC.OPTION=VALUE`);
      if (known.includes(metric) && !names.includes(metric)) {
        throw new Error(`Cannot set "${setting}": ${metric} is not measured (add --metric ${metric})`);
      }
      if (!names.includes(metric)) {
        throw new Error(`Cannot set "${setting}": there is no metric "${metric}"${suggestion(metric, known)}`);
      }
      (options[metric] ??= {})[option] = value.trim() !== "" && !Number.isNaN(Number(value)) ? Number(value) : value;
    }
    return names.map((name) => {
      optionValues(registry.find("metric", name), options[name] ?? {});
      return { name, options: options[name] ?? {} };
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function classesOf(
  planned: Plan,
  data: DataSet,
  set: LabelledImages,
  given: number | "all" | undefined,
): (number | undefined)[] {
  const byClass = given !== "all" && (given !== undefined || planned.profile.classwise);
  if (!byClass || !data.train.labels || !set.labels) return [undefined];
  const known = [...new Set(data.train.labels)].sort((a, b) => a - b),
    used = [...new Set(set.labels)].sort((a, b) => a - b);
  if (given !== undefined && !used.includes(given)) {
    throw new UsageError(`There are no images of class ${given} (classes: ${used.join(", ")})`);
  }
  const judged = given === undefined ? used : [given], alien = judged.find((label) => !known.includes(label));
  if (alien !== undefined) {
    throw new Error(`There are images of class ${alien}, but no training images (classes: ${known.join(", ")})`);
  }
  return judged;
}

/** As many held-out images of each class as there are images to judge, as far as there are. */
function sameSize(
  test: LabelledImages,
  set: LabelledImages,
  classes: readonly (number | undefined)[],
): LabelledImages | undefined {
  const chosen = classes.flatMap((label) => {
    const wanted = chosenBy(set.labels, label, set.images.count).length;
    return [...chosenBy(test.labels, label, test.images.count).subarray(0, wanted)];
  }).sort((a, b) => a - b);
  if (chosen.length === 0) return undefined;
  const { height, width, pixels } = test.images, area = height * width;
  const kept = new Uint8Array(chosen.length * area);
  chosen.forEach((index, i) => kept.set(pixels.subarray(index * area, (index + 1) * area), i * area));
  return {
    images: { count: chosen.length, height, width, pixels: kept },
    labels: test.labels && Uint8Array.from(chosen, (index) => test.labels![index]),
  };
}

function isSame({ images: a }: LabelledImages, { images: b }: LabelledImages): boolean {
  return a.pixels.length === b.pixels.length && a.pixels.every((value, i) => value === b.pixels[i]);
}

function table({ measured, baseline, seconds, set }: Assessment): string {
  const head = ["metric", "score", "95 % interval", "held-out", "of all images", "settings"];
  const rows = measured.map(({ metric, score, interval, pooled, settings }, i) => [
    metric,
    significant(score),
    `${significant(interval[0])} .. ${significant(interval[1])}`,
    baseline ? significant(baseline[i].score) : "-",
    significant(pooled),
    Object.entries(settings).map(([name, value]) => `${name} ${typeof value === "number" ? significant(value) : value}`)
      .join(", "),
  ]);
  const widths = head.map((title, c) => Math.max(title.length, ...rows.map((row) => row[c].length)));
  const lines = [head, ...rows].map((row) => row.map((cell, c) => cell.padEnd(widths[c])).join("  ").trimEnd());
  const byClass = measured.filter(({ groups }) => groups.length > 1).map(({ metric, groups }) =>
    `${metric} by class: ${groups.map(({ label, score }) => `${label}: ${significant(score)}`).join("  ")}`
  );
  return [
    ...lines,
    "",
    ...byClass,
    `${counted(set.images.count, "image")} in ${seconds.toFixed(1)} s`,
  ].join("\n");
}
