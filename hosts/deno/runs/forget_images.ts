/** Makes those images of a run anew that depend on training images which are taken away. The others stay as they are. */
import { join } from "node:path";
import type { ClassGroup } from "../../../datasets/groups.ts";
import { imagesFromIdx } from "../../../datasets/formats/idx.ts";
import { imagesFromNpy } from "../../../datasets/formats/npy.ts";
import { namesOfClass, trainingCount } from "../../../datasets/left_out.ts";
import { lengthOf } from "../../../core/shape.ts";
import type { Runner } from "../../../pipelines/run/runner.ts";
import { DEPENDENCIES, lineageInClass, readDependencies } from "../../../pipelines/synthesis/dependency_file.ts";
import { measureNearness } from "../../../pipelines/synthesis/nearness.ts";
import type { ClassChange } from "../../../pipelines/synthesis/dependents.ts";
import { isChanged } from "../../../pipelines/synthesis/dependents.ts";
import type { Lineage } from "../../../pipelines/run/image_bits.ts";
import { describeSources, type SynthesisRun } from "../../../pipelines/synthesis/run_record.ts";
import type { GroupImage } from "../../../pipelines/run/synthesized_image.ts";
import {
  onlyImages,
  prepareSynthesis,
  type SynthesisInput,
  synthesizeImages,
} from "../../../pipelines/synthesis/synthesize_images.ts";
import { sha256 } from "../system/hashes.ts";
import { readModule } from "../system/kernels_file.ts";
import { PROGRAM, readRecord } from "../folders/folder_record.ts";
import type { RunRecord } from "./repeat_run.ts";
import type { RecordedRequest } from "./synthesis_request.ts";
import { openResults } from "./synthesis_results.ts";

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

/** An image as `run.json` describes it, as far as it is needed to describe it again. */
interface ImageEntry {
  readonly number: number;
  readonly nearest?: { readonly image: number; readonly distance: number };
  /** Null: Infinity. */
  readonly trainingDistance?: number | null;
  readonly contributors: readonly { readonly image: number | null; readonly share: number }[];
  readonly correction: number;
  readonly tries?: number;
  readonly ll?: number;
}

/** The record of a run in one piece. */
export type WholeRecord = RunRecord & { readonly images: readonly ImageEntry[] };

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
  if (!isDescribed(record, forgetting.before.count)) {
    throw new Error(`Cannot forget in ${forgetting.folder}: run.json does not describe its images as synth does`);
  }
  await checkProgram(forgetting.folder, record);
  await checkFiles(forgetting.folder, record);
  const rows = await readRows(forgetting, record.images.length), { changes } = forgetting;
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

/** Whether a record describes its images: each number once, below `count`. */
function isDescribed({ images }: Partial<WholeRecord>, count: number): boolean {
  const isNumber = (number: unknown) => Number.isInteger(number) && Number(number) >= 0 && Number(number) < count;
  return Array.isArray(images) && new Set(images.map((image) => image?.number)).size === images.length &&
    images.every((image) =>
      isNumber(image?.number) && Array.isArray(image.contributors) && typeof image.correction === "number"
    );
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

/** Checks that a run was made by this program: otherwise the images that stay might be others in a new run. */
async function checkProgram(folder: string, { program, kernels }: RunRecord): Promise<void> {
  const sums = await Promise.all([true, false].map(async (shared) => (await readModule(shared)).sha256));
  if (program === PROGRAM && sums.includes(kernels.sha256)) return;
  throw new Error(
    `Cannot forget in ${folder}: expected a run of ${PROGRAM} with its kernels, got one of ${program}; ` +
      `synth --run ${folder} --out ${folder} brings it up to date`,
  );
}

/** Checks that the files of a folder are as they were written. */
async function checkFiles(folder: string, { files }: RunRecord): Promise<void> {
  for (const [name, sum] of Object.entries(files)) {
    const bytes = await Deno.readFile(join(folder, name)).catch(() => undefined);
    if (bytes && await sha256(bytes) === sum) continue;
    throw new Error(`Cannot forget in ${folder}: ${name} is missing or was changed since it was written`);
  }
}

/** Reads which training images are behind each image, in the order of `run.json`; undefined if the run did not record it. */
async function readRows({ folder, before }: Forgetting, images: number): Promise<Lineage[] | undefined> {
  if (!before.dependencies) return undefined;
  const path = join(folder, DEPENDENCIES);
  return readDependencies(
    await Deno.readFile(path).catch(() => new Uint8Array()),
    images,
    trainingCount(before.data),
    path,
  );
}

/** Reads the images that stay as they are, with training images named by their places without those that are taken away. */
async function keptImages(
  forgetting: Forgetting,
  record: WholeRecord,
  groups: readonly ClassGroup[],
  changed: ReadonlySet<number>,
): Promise<GroupImage[]> {
  const { folder, after, after: { classes, data, size, plan: { channels } } } = forgetting;
  const rows = await readRows(forgetting, record.images.length), length = lengthOf({ ...size, channels });
  const together = join(folder, channels === 1 ? "images.idx3-ubyte" : "images.npy");
  const bytes = await Deno.readFile(together);
  const { pixels } = channels === 1 ? imagesFromIdx(bytes, together) : imagesFromNpy(bytes, together).images;
  const byClass = new Map(groups.map(({ label }, group) => {
    return [label, { group, placeOf: placesOf(after, label), inClass: lineageInClass(data, label) }];
  }));
  if (pixels.length !== record.images.length * length) {
    throw new Error(`Cannot forget in ${folder}: ${together} has other images than run.json`);
  }
  return record.images.flatMap((entry, i): GroupImage[] => {
    const { number, nearest, trainingDistance, contributors, correction, tries, ll } = entry;
    if (changed.has(number)) return [];
    const { group, placeOf, inClass } = byClass.get(classes[number % classes.length])!;
    return [{
      number,
      group,
      pixels: pixels.slice(i * length, (i + 1) * length),
      nearest: nearest && {
        image: placeOf(nearest.image),
        distance: nearest.distance,
        trainingDistance: trainingDistance ?? Infinity,
        other: -1,
      },
      contributors: contributors.map(({ image, share }) => ({ image: placeOf(image), share })),
      correction,
      ...tries !== undefined && { tries },
      ...ll !== undefined && { ll },
      ...rows && { lineage: inClass(rows[i]) },
    }];
  });
}

/** Finds the place in a class of a training image by its number in the data; -1: no image. */
function placesOf({ data }: SynthesisInput, label: number | undefined): (number: number | null) => number {
  const nameOf = namesOfClass(data, label), places = new Map<number | null, number>();
  for (let place = 0, { image } = nameOf(0); image !== null; { image } = nameOf(++place)) places.set(image, place);
  return (number) => places.get(number) ?? -1;
}
