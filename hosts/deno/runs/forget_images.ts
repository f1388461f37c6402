/** Makes those images of a run anew that depend on training images which are taken away. The others stay as they are. */
import { join } from "node:path";
import type { ClassGroup } from "../../../datasets/groups.ts";
import { trainingCount } from "../../../datasets/left_out.ts";
import { namesOfClass } from "../../../datasets/training_names.ts";
import { lengthOf } from "../../../core/shape.ts";
import type { Runner } from "../../../pipelines/run/runner.ts";
import { DEPENDENCIES, lineageInClass, readDependencies } from "../../../pipelines/synthesis/dependency_file.ts";
import { measureNearness } from "../../../pipelines/synthesis/nearness.ts";
import { type ClassChange, isChanged } from "../../../pipelines/synthesis/dependents.ts";
import type { Lineage } from "../../../pipelines/run/image_bits.ts";
import { describeSources, type SynthesisRun } from "../../../pipelines/synthesis/run_record.ts";
import type { GroupImage } from "../../../pipelines/run/synthesized_image.ts";
import {
  onlyImages,
  prepareSynthesis,
  type SynthesisInput,
  synthesizeImages,
} from "../../../pipelines/synthesis/synthesize_images.ts";
import { readRecord } from "../folders/folder_record.ts";
import { readRecorded } from "../folders/recorded_file.ts";
import type { RunRecord } from "./repeat_run.ts";
import { imageOfEntry, placesOf, type WholeRecord } from "./resume_pictures.ts";
import type { RecordedRequest } from "./run_request.ts";
import { openResults } from "./synthesis_results.ts";
import { checkWholeRun, readPixels } from "./whole_run.ts";

/** A run that forgets training images. */
export interface Forgetting extends Pick<SynthesisRun, "from" | "plugins"> {
  readonly folder: string;
  /** What the folder's run was made of, and what it is to be made of. */
  readonly before: SynthesisInput;
  readonly after: SynthesisInput;
  /** The change of each of the classes that take turns. */
  readonly changes: readonly ClassChange[];
  /** The request that `run.json` then records. */
  readonly recorded: RecordedRequest;
  readonly threads: number;
}

/** The images of a folder of results, and which of them change. */
export interface ForgottenImages {
  /** The numbers of all images. */
  readonly numbers: readonly number[];
  /** The numbers of those that change. */
  readonly changed: ReadonlySet<number>;
}

/**
 * Finds the images of a folder that change.
 *
 * @throws {Error} if the folder was made by another version, or if one of its files is missing or was changed
 */
export async function forgottenImages(forgetting: Forgetting, record: WholeRecord): Promise<ForgottenImages> {
  const { folder, before } = forgetting;
  await checkWholeRun(`Cannot forget in ${folder}`, folder, record, before);
  const rows = await readRows(forgetting, record), { changes } = forgetting;
  const numbers = record.images.map(({ number }) => number);
  const changed = numbers.filter((number, i) => isChanged(changes[number % changes.length], rows?.[i].dependsOn));
  return { numbers, changed: new Set(changed) };
}

/**
 * Makes the images that change anew and replaces them, file by file. If the runner is stopped before, the folder stays as it is.
 *
 * @throws {Error} if the folder cannot be written
 */
export async function forgetImages(
  runner: Runner,
  forgetting: Forgetting,
  record: WholeRecord,
  { changed }: ForgottenImages,
): Promise<void> {
  const { folder, after, from, plugins, recorded, threads } = forgetting, started = runner.now();
  const numbers = new Set(record.images.map(({ number }) => number));
  const prepared = await prepareSynthesis(runner, after), { kernelsSha256 } = prepared;
  const about = {
    request: recorded,
    ...describeSources({ input: after, from, plugins, kernelsSha256 }),
    forgetting: true,
  };
  await using results = await openResults(folder, after, { about });
  await checkUnchanged(folder, record);
  const kept = await keptImages(forgetting, record, prepared.groups, changed), load = runner.now() - started;
  const synthesized = await synthesizeImages(runner, onlyImages(prepared, (number) => changed.has(number)), () => {});
  if (kept.length + synthesized.done.length < numbers.size) throw new Error(`Stopped: ${folder} is unchanged`);
  const { size, plan: { channels } } = after;
  await results.images(synthesized.done, { ...size, channels });
  const done = [...kept, ...synthesized.done].sort((a, b) => a.number - b.number);
  // Images that stay have lost a training image that they were compared with.
  const nearness = await measureNearness(runner, prepared, done);
  await results.finish({ ...prepared, ...synthesized, done, ...nearness, from, plugins }, { threads, load, recorded });
}

/**
 * Checks that a folder is as it was when its record was read.
 *
 * @throws {Error} if another command has written to it since
 */
export async function checkUnchanged(folder: string, { files }: RunRecord): Promise<void> {
  if (JSON.stringify((await readRecord(folder))?.files) === JSON.stringify(files)) return;
  throw new Error(`Cannot forget in ${folder}: another command has written to it meanwhile; try again`);
}

/** Reads which training images are behind each image, in the order of `run.json`; undefined if the run did not record it. */
async function readRows(
  { folder, before }: Forgetting,
  { images, files }: WholeRecord,
): Promise<Lineage[] | undefined> {
  if (!before.dependencies) return undefined;
  const bytes = await readRecorded(`Cannot forget in ${folder}`, folder, DEPENDENCIES, files);
  return readDependencies(bytes, images.length, trainingCount(before.data), join(folder, DEPENDENCIES));
}

/** Reads the images that stay as they are, with training images named by their places without those that are taken away. */
async function keptImages(
  forgetting: Forgetting,
  record: WholeRecord,
  groups: readonly ClassGroup[],
  changed: ReadonlySet<number>,
): Promise<GroupImage[]> {
  const { folder, after, after: { classes, data, size, plan: { channels } } } = forgetting;
  const rows = await readRows(forgetting, record), length = lengthOf({ ...size, channels });
  const pixels = await readPixels(`Cannot forget in ${folder}`, folder, record, after);
  const byClass = new Map(groups.map(({ label }, group) => {
    const placeOf = placesOf(namesOfClass(data, label));
    return [label, { group, placeOf, inClass: lineageInClass(data, label) }];
  }));
  return record.images.flatMap((entry, i): GroupImage[] => {
    const { number } = entry;
    if (changed.has(number)) return [];
    const { group, placeOf, inClass } = byClass.get(classes[number % classes.length])!;
    const image = imageOfEntry(entry, { group, pixels: pixels.slice(i * length, (i + 1) * length), placeOf });
    return [{ ...image, ...rows && { lineage: inClass(rows[i]) } }];
  });
}
