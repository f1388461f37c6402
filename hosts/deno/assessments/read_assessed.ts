/** Reads what is assessed: images of any system, their training images, and the classes of both. */
import { plan } from "../../../core/plan.ts";
import type { Profile } from "../../../core/profile.ts";
import { resizedProfile } from "../../../core/resized_profile.ts";
import { shapeText, type Size } from "../../../core/shape.ts";
import { paddedWithBorderColour } from "../../../datasets/border.ts";
import { isColourful, withChannels } from "../../../datasets/channels.ts";
import { darkText } from "../../../datasets/dark.ts";
import { isMuchSmaller } from "../../../datasets/fit_to_profile.ts";
import { classText, labelsAmong } from "../../../datasets/groups.ts";
import { objects } from "../../../datasets/profiles/mod.ts";
import { assessedClasses, type AssessmentRequest } from "../../../pipelines/assessment/assessment.ts";
import { classify } from "../../../pipelines/assessment/classify.ts";
import type { ChosenMetric } from "../../../pipelines/assessment/run_metrics.ts";
import type { Runner } from "../../../pipelines/run/runner.ts";
import { checkClass, readClass } from "../data/classes.ts";
import { findData, sayData } from "../data/find_data.ts";
import { type ImageSet, readImageSet } from "../data/read_image_set.ts";
import { readProfile, sizedProfile, withPluginsOfProfile } from "../data/read_profile.ts";
import type { Input } from "../folders/out_place.ts";
import { openPlugins } from "../plugins/open_plugins.ts";
import type { Plugins } from "../plugins/plugins.ts";
import { asRequest, RequestError } from "../system/request_error.ts";
import { chooseMetrics } from "./choose_metrics.ts";

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
/** Measured, too, where a record beside the images says what they were made of. */
const OF_SOURCES = "share";
/** Measured, too, of other images: it sees copies that were moved, which images of `synth` are not. */
const OF_OTHERS = "novelty";

/** What is asked of an assessment, as far as it says what is read. */
export interface AssessedRequest {
  /** The name or path of the profile of the images. */
  readonly profile: string | undefined;
  /** The paths of the images, and of their labels. */
  readonly images: string | undefined;
  readonly labels?: string;
  /** The size of the images; by default that of the profile. */
  readonly size?: Size;
  /** One class only, by its number or name; "all": all classes together. */
  readonly class?: string;
  /** The path of the training images; by default the data set of the profile. */
  readonly data?: string;
  /** The names of metrics, and their options as METRIC.OPTION=VALUE. */
  readonly metrics: readonly string[];
  readonly settings: readonly string[];
  readonly plugin: readonly string[];
  readonly sandbox: boolean;
  readonly quiet: boolean;
}

/** The images, their training images, and the metrics. */
export interface Assessed extends Omit<AssessmentRequest, "classes"> {
  readonly plugins: Plugins;
  readonly metrics: readonly ChosenMetric[];
  /** The images before they were padded to the size of the profile. */
  readonly asRead: ImageSet;
  /** The one class that is asked for. */
  readonly only: number | "all" | undefined;
  /** What was read. */
  readonly inputs: readonly Input[];
}

/** Reads what is assessed, and checks that it fits the profile. */
export async function readAssessed(asked: AssessedRequest, say: (text: string) => void): Promise<Assessed> {
  const asksFor = await withPluginsOfProfile("assess", asked.profile, asked.plugin, asked.sandbox);
  const plugins = await openPlugins(asksFor.plugin, asksFor.sandbox, say), { registry } = plugins;
  const { profile: named, path: profilePath, data: packed } = await readProfile("assess", asked.profile, registry);
  const asGiven = asRequest(() => plan(sizedProfile(named, asked.size, registry), registry));
  const { images: path } = asked, { aligned } = asGiven;
  if (path === undefined) {
    throw new RequestError(
      "assess needs --images: a picture, a folder of pictures, or a file of images (IDX, NPY, NPZ, Parquet, WebDataset)",
    );
  }
  if (!aligned) {
    throw new RequestError(`Cannot assess with profile "${named.name}": expected a profile of aligned images`);
  }
  chooseMetrics(asked.metrics, asked.settings, plugins, USUAL); // wrong names before images are read
  const read = await readKind(named, path, asked.labels, asGiven.channels);
  const channels = read.images.channels === 3 ? 3 : 1;
  const usual = [...USUAL, read.shares ? OF_SOURCES : OF_OTHERS];
  const metrics = chooseMetrics(asked.metrics, asked.settings, plugins, usual);
  // Pixel art has the size of the pictures, and so have objects that are much smaller than the profile's, as in synth.
  const isSmall = named === objects && isMuchSmaller(read.images, asGiven.sizes[0]);
  const hasOwnSize = asked.size === undefined && (asGiven.pixelArt || isSmall);
  const isAsPlanned = !hasOwnSize && channels === asGiven.channels;
  const sized = hasOwnSize ? resizedProfile(named, read.images) : asGiven.profile;
  const planned = isAsPlanned ? asGiven : asRequest(() => plan({ ...sized, channels }, registry));
  const { sizes: [size] } = planned;
  const data = await findData(planned.profile.dataset, asked.data ?? packed, undefined, {
    channels,
    size,
    quiet: asked.quiet,
  });
  const only = asked.class === undefined || asked.class === "all" ? asked.class : readClass(asked.class, data);
  const labels = data.train.labels && labelsAmong(read, data.classes, path);
  // Where the training images are padded, their border's colour is that of all.
  const images = paddedWithBorderColour(read.images, size, data.padding);
  const set = { ...read, images, labels: labels ?? read.labels };
  checkSize(set, path, size);
  checkSize(data.train, data.name, size);
  const all = [set.scaled, ...set.notes ?? [], ...paddedNotes(read.images, size, planned.profile)].filter(Boolean);
  say(
    `Images: ${read.images.count} of ${shapeText(read.images)} from ${path}${all.map((note) => `, ${note}`).join("")}`,
  );
  const dark = darkText(read.images, "the images");
  if (dark) say(dark);
  sayData(data, say);
  return { plugins, metrics, only, inputs: [profilePath, data, read], plan: planned, data, path, set, asRead: read };
}

/** Says in which size images of another size are measured; if they are much smaller, the profile may be another than was meant. */
function paddedNotes({ height, width }: Size, size: Size, { name }: Pick<Profile, "name">): string[] {
  if (height === size.height && width === size.width) return [];
  if (!isMuchSmaller({ height, width }, size)) return [`measured as ${shapeText(size)}`];
  const own = shapeText({ height, width });
  return [`padded to the ${shapeText(size)} pixels of profile ${name} (--size ${own} scores images of their own size)`];
}

/** Reads images in the channels of a profile; of objects in colour where they are, as in synth. */
async function readKind(
  profile: Profile,
  path: string,
  labels: string | undefined,
  channels: 1 | 3,
): Promise<ImageSet> {
  if (profile !== objects) return await readImageSet(path, labels, { channels });
  const read = await readImageSet(path, labels, { channels: 3 });
  return isColourful(read.images) ? read : { ...read, images: withChannels(read.images, 1) };
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
export async function labelledRequest(
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
    throw new RequestError(
      `Cannot classify images by ${data.name}, which has no held-out images to check it on: expected --labels or --class`,
    );
  }
  const { labels, accuracy } = await classify(runner, data, set.images, plan), percent = (100 * accuracy).toFixed(1);
  say(`The images have no labels: classified by nearest neighbours (right for ${percent} % of held-out images)`);
  return withClasses(labels, accuracy);
}
