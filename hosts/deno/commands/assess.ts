/** `deno task assess`: scores any images, ours or another system's, against training images. */
import { optionValues, suggestion } from "../../../core/options.ts";
import { plan } from "../../../core/plan.ts";
import { resizedProfile } from "../../../core/resized_profile.ts";
import { shapeText, type Size } from "../../../core/shape.ts";
import { paddedToBorder } from "../../../datasets/border.ts";
import { classText, labelsAmong } from "../../../datasets/groups.ts";
import { assess, assessedClasses, type AssessmentRequest } from "../../../pipelines/assessment/assessment.ts";
import { assessmentTable } from "../../../pipelines/assessment/assessment_results.ts";
import { classify } from "../../../pipelines/assessment/classify.ts";
import { warningLines } from "../../../pipelines/assessment/metric_score.ts";
import { type ChosenMetric, metricOf } from "../../../pipelines/assessment/run_metrics.ts";
import type { Runner } from "../../../pipelines/run/runner.ts";
import { commandLine } from "../system/command_line.ts";
import {
  checkClass,
  forceFlag,
  pluginFlags,
  quietFlag,
  readClass,
  readFlagsOnly,
  readThreads,
  sayer,
  sizeFlag,
  threadsFlag,
} from "./flags/common_flags.ts";
import { asUsage, UsageError } from "./flags/flags.ts";
import { print } from "../system/printable.ts";
import { stoppable, stopSignals } from "../system/stop_signals.ts";
import { findData } from "../data/find_data.ts";
import { type ImageSet, readImageSet } from "../data/read_image_set.ts";
import { readProfile, sizedProfile } from "../data/read_profile.ts";
import { openOutFolder } from "../folders/out_folder.ts";
import { assessmentFiles, mainFile, writeAssessment } from "../assessments/write_assessment.ts";
import { openPlugins } from "../plugins/open_plugins.ts";
import type { Plugins } from "../plugins/plugins.ts";
import { denoRunner } from "../workers/deno_runner.ts";

const FLAGS = {
  profile: {
    value: "NAME|FILE",
    about:
      "what the images are: digits, faces, colour-faces, objects, sprites, digits-paper, faces-paper, a profile.json of your own, or a pack",
  },
  images: {
    value: "PATH",
    about: "the images: a picture, a folder of pictures, a folder that synth wrote, an IDX file, an NPY file",
  },
  labels: {
    value: "FILE",
    about: "classes of the images: an IDX file (the labels beside the file of images, if there are any)",
  },
  ...sizeFlag,
  class: {
    value: "NAME|all",
    about:
      "one class only, by its number or name; images without labels count as it; all: all classes together (class by class)",
  },
  data: {
    value: "PATH",
    about: "training images: IDX files, a folder of pictures, or a pack, which has no held-out images",
  },
  metric: {
    value: "NAME",
    many: true,
    about:
      "a metric to measure; several times for more; all: all metrics, which takes longer (the paper's three, and those that show defects and copies)",
  },
  set: { value: "METRIC.OPTION=VALUE", many: true, about: "change an option of a metric: spread.perplexity=30" },
  ...pluginFlags,
  report: {
    about: "also write one HTML file with tables, plots, a t-SNE map, the best and worst images",
  },
  out: { value: "DIR", about: "where report.html, scores.json and images.csv go (out/assess)" },
  ...threadsFlag("numbers"),
  ...forceFlag,
  json: { about: "print scores.json to the standard output instead of the table" },
  ...quietFlag,
} as const;

/** The command as its help, completions and `main.ts` know it. */
export const COMMAND = {
  name: "assess",
  about: "Scores images by likelihood, originality, spread, a judge and more against training images.",
  flags: FLAGS,
  examples: [
    "deno task assess --profile digits --images out/digits",
    "deno task assess --profile digits --images folder-of-28x28-pictures --report",
    "deno task assess --profile digits --images samples.npy --metric originality --metric precision",
  ],
  run: assessCommand,
} as const;

/** What is measured unless asked otherwise: the three metrics of the paper, then those that show defects and copies. */
const USUAL = [
  "likelihood",
  "originality",
  "spread",
  "judge",
  "closest-correlation",
  "structure",
  "contrast",
  "sharpness",
  "symmetry",
];

/** Runs `assess`; returns the exit code. */
export async function assessCommand(args: string[]): Promise<number> {
  const given = readFlagsOnly(args, COMMAND);
  if (!given) return 0;
  const started = performance.now(), folder = given.out ?? "out/assess", say = sayer(given.quiet);
  const plugins = await openPlugins(given.plugin, given.sandbox, say), { registry } = plugins;
  const { profile: own, path, data: packed } = await readProfile("assess", given.profile);
  const asGiven = asUsage(() => plan(sizedProfile(own, given.size, registry), registry));
  if (given.images === undefined) {
    throw new UsageError("assess needs --images: a picture, a folder of pictures, an IDX file or an NPY file");
  }
  const metrics = chooseMetrics(given.metric, given.set, plugins);
  const threads = readThreads(given.threads);

  const { aligned, channels } = asGiven;
  if (!aligned) {
    throw new UsageError(`Cannot assess with profile "${own.name}": expected a profile of aligned images`);
  }
  const read = await readImageSet(given.images, given.labels, { channels });
  // Pixel art has the size of the pictures, as in synth.
  const ownSize = given.size === undefined && asGiven.pixelArt;
  const planned = ownSize ? plan(resizedProfile(own, read.images), registry) : asGiven, { sizes: [size] } = planned;
  const data = await findData(planned.profile.dataset, given.data ?? packed, undefined, {
    channels,
    size,
    quiet: given.quiet,
  });
  const only = given.class === undefined || given.class === "all" ? given.class : readClass(given.class, data);
  const labels = data.train.labels && labelsAmong(read, data.classes, given.images);
  const set = { ...read, images: paddedToBorder(read.images, size), labels: labels ?? read.labels };
  checkSize(set, given.images, size);
  checkSize(data.train, data.name, size);
  const { count } = set.images;
  say(
    `Images: ${count} of ${shapeText(set.images)} from ${given.images}${
      [set.scaled, ...set.notes ?? []].filter(Boolean).map((n) => `, ${n}`).join("")
    }`,
  );
  say(`Data: ${data.origin}`);
  await using out = await openOutFolder(folder, {
    command: "assess",
    planned: assessmentFiles(given.report),
    force: given.force,
    inputs: [path, data, read],
  });
  using signals = stopSignals();
  const runner = denoRunner({ threads, plugins, quiet: given.quiet, signal: signals.signal });
  const unlabelled = { plan: planned, data, path: given.images, set, classes: [] };
  const { request, found } = await stoppable(signals, () => `${folder} is unchanged`, async () => {
    const request = await labelledRequest(runner, unlabelled, only, say);
    // Metrics of labels need given labels, not those that the classification above guessed.
    const hasLabels = request.set.labels && data.train.labels && request.classified === undefined;
    const chosen = hasLabels || given.metric.length > 0 && !given.metric.includes("all")
      ? metrics
      : metrics.filter((metric) => !metricOf(registry, metric).together);
    return { request, found: await assess(runner, request, chosen) };
  });
  const assessment = { ...request, ...found, seconds: (performance.now() - started) / 1000 };
  const target = { folder, report: given.report, command: commandLine("deno task assess", args) };
  const record = await writeAssessment(assessment, target, out);
  say(`Written: ${mainFile(target)}`);
  print(given.json ? JSON.stringify(record, null, 2) : assessmentTable(assessment));
  for (const line of warningLines(found.scores)) say(line);
  return 0;
}

function checkSize({ images: { width, height } }: Pick<ImageSet, "images">, path: string, size: Size): void {
  if (width <= size.width && height <= size.height) return;
  throw new Error(
    `Cannot assess with ${path}: expected images of up to ${shapeText(size)}, got ${shapeText({ width, height })} ` +
      `(--size ${width}x${height}, if they were made with it)`,
  );
}

/**
 * Returns the images with their classes. Images without labels are taken for the given class, or classified if the profile
 * separates classes.
 */
async function labelledRequest(
  runner: Runner,
  request: AssessmentRequest,
  only: number | "all" | undefined,
  say: (text: string) => void,
): Promise<AssessmentRequest> {
  const { plan, data, set } = request;
  if (typeof only === "number") {
    const { name, train, classes } = data;
    checkClass(only, { name, labels: train.labels, classes });
    if (set.labels) checkClass(only, { name: request.path, labels: set.labels, classes });
  }
  const withClasses = (labels: Uint8Array | undefined, classified?: number): AssessmentRequest => {
    const labelled = { ...set, labels };
    return { ...request, set: labelled, classified, classes: assessedClasses(plan, data, labelled, only) };
  };
  if (set.labels) return withClasses(set.labels);
  if (typeof only === "number") {
    say(`The images have no labels: all are taken for class ${classText(data.classes, only)}`);
    return withClasses(new Uint8Array(set.images.count).fill(only));
  }
  if (only === "all" || !plan.profile.classwise || !data.train.labels) return withClasses(undefined);
  if (data.test.images.count === 0) {
    throw new UsageError(
      `Cannot classify images by ${data.name}, which has no held-out images to check it on: expected --labels or --class`,
    );
  }
  const { labels, accuracy } = await classify(runner, data, set.images, plan), percent = (100 * accuracy).toFixed(1);
  say(`The images have no labels: classified by nearest neighbours (right for ${percent} % of held-out images)`);
  return withClasses(labels, accuracy);
}

/**
 * Returns the metrics to run, with the options that --set gives them.
 *
 * @throws {UsageError} if a name or a value is wrong
 */
function chooseMetrics(
  given: readonly string[],
  settings: readonly string[],
  { registry }: Plugins,
): ChosenMetric[] {
  const known = registry.plugins.filter(({ kind }) => kind === "metric").map(({ name }) => name);
  const names = given.includes("all") ? known : given.length > 0 ? [...new Set(given)] : USUAL;
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
