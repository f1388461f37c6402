/** Takes training images out of a finished run, as if they had never been there. */
import { leftOut } from "../../../datasets/left_out.ts";
import { classText } from "../../../datasets/groups.ts";
import { counted } from "../../../core/counted.ts";
import { type ClassChange, classChanges } from "../../../pipelines/synthesis/dependents.ts";
import type { SynthesisInput } from "../../../pipelines/synthesis/synthesize_images.ts";
import { dataFolder, environment } from "../system/environment.ts";
import { messagePrinter, print } from "../system/printable.ts";
import { stopSignals } from "../system/stop_signals.ts";
import { recordedRequest, requestAgain, type RunRequest } from "./run_request.ts";
import { readSynthesis } from "./read_synthesis.ts";
import { forgetImages, type Forgetting, forgottenImages } from "./forget_images.ts";
import { checkFolder, readRecord, RECORD, withoutRecord } from "../folders/folder_record.ts";
import { filesBelow } from "../folders/files_below.ts";
import { forgetAgain, resumeCommand } from "./resume_command.ts";
import { forgetParts, type ForgettingRecord, forgottenParts } from "./forget_parts.ts";
import { isPartsRecord } from "./inspect_folder.ts";
import { proveForgotten } from "./prove_forgotten.ts";
import { readRun, type RunRecord } from "./repeat_run.ts";
import type { WholeRecord } from "./resume_pictures.ts";
import { openPlugins } from "../plugins/open_plugins.ts";
import { isOwnProcess } from "../plugins/own_process.ts";
import { denoRunner } from "../workers/deno_runner.ts";
import { keptFits, removeFits } from "../workers/fit_cache.ts";

/** What is asked for. */
export interface ForgetRequest {
  /** The folder of a run. */
  readonly folder: string;
  /** Training images, by number or file: each text is a list with commas. */
  readonly ids: readonly string[];
  /** The path of all training images; by default where they were. */
  readonly data?: string;
  readonly plugin: readonly string[];
  readonly sandbox: boolean;
  /** Whether to print which images change, and to change nothing. */
  readonly dryRun: boolean;
  /** Whether to compare with the whole run made anew. */
  readonly prove: boolean;
  /** Whether kept fits stay, which may hold the training images. */
  readonly keepFits: boolean;
  readonly threads: number;
  readonly quiet: boolean;
}

/** Makes the images of a run anew that depend on training images, without these. */
export async function forget(request: ForgetRequest): Promise<void> {
  const { folder } = request, say = messagePrinter(request.quiet), record = await readRecorded(folder);
  using signals = stopSignals();
  const cache = dataFolder(environment()), fits = cache === undefined ? [] : await keptFits(cache);
  const removeKept = () => forgetFits(request, fits, say);
  // A process with plugins may not write to the folder of fits: the one that started it removes them.
  const afterPlugins = async (isDone: boolean) => {
    if (isDone || await hasForgotten(folder, record)) await removeKept();
  };
  const { forgetting, runner } = await readForgetting(request, record, say, signals.signal, afterPlugins);
  signals.listen();
  for (const line of reasons(forgetting)) say(line);
  const { numbers, changed, forgetChanged } = await changedImages(forgetting, record);
  if (request.dryRun) {
    for (const number of changed) print(String(number));
    say(`${changed.length} of ${counted(numbers, "image")} change`);
    return;
  }
  await forgetChanged(runner);
  say(`${changed.length} of ${counted(numbers, "image")} were made anew, the others are as they were: ${folder}`);
  if (!isOwnProcess()) await removeKept();
  const { files } = (await readRecord(folder))!;
  const others = (await filesBelow(folder)).filter((name) => name !== RECORD && !Object.hasOwn(files, name));
  if (others.length > 0) say(`Left as they are, because they are not of the run: ${listed(others)}`);
  if (!request.prove) return;
  if (others.length > 0) {
    throw new Error(
      `Cannot prove it of ${folder}: files that do not belong to the run may hold earlier images, such as ${
        others[0]
      }: ` +
        "move them to another folder",
    );
  }
  const compared = await proveForgotten(runner, forgetting);
  say(`Proved: all ${compared} files are those of a new run without the training images, byte for byte`);
}

/**
 * Removes fits that were kept before: morphs and structure are pictures of training images, and nothing tells of which. Those that
 * are kept from now on are of the other training images.
 */
async function forgetFits(
  { keepFits, dryRun }: ForgetRequest,
  fits: readonly string[],
  say: (text: string) => void,
): Promise<void> {
  if (fits.length === 0 || dryRun) return;
  if (keepFits) return say("Kept fits were left, which may hold pictures of the training images (--keep-fits)");
  await removeFits(fits);
  say(`Removed ${counted(fits.length, "kept fit")}, which may have held pictures of the training images`);
}

/** How many files a sentence names. */
const NAMED = 3;

/** Names the first of some files, and says how many more there are. */
function listed(names: readonly string[]): string {
  const more = names.length - NAMED;
  return names.slice(0, NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** The record of a folder; `forgetting` is there if a run before was killed while it forgot. */
type RecordedRun = RunRecord & Pick<ForgettingRecord, "forgetting">;

/** Reads the record of a run that can forget. */
async function readRecorded(folder: string): Promise<RecordedRun> {
  await checkFolder(folder);
  if (!await readRecord(folder)) {
    const got = await withoutRecord(folder);
    throw new Error(`Cannot forget in ${folder}: expected a folder of synth or merge, got ${got}`);
  }
  const record = await readRun(folder);
  if ("link" in record || !("files" in record)) {
    throw new Error(`Cannot forget in ${folder}: expected a folder of synth or merge, got a run of the page`);
  }
  const isParts = isPartsRecord(record), forgetting = forgetAgain(folder, record);
  if (record.state !== "running" || isParts && forgetting !== undefined) return record as RecordedRun;
  const what = isParts ? "is running or was killed" : "was killed while it forgot";
  const command = forgetting ?? resumeCommand(folder, record);
  throw new Error(`Cannot forget in ${folder}: its run ${what}; ${command} makes it whole`);
}

/** Whether another process has forgotten in a folder, and failed only then, such as at the proof: its new record says so. */
async function hasForgotten(folder: string, { digest }: RecordedRun): Promise<boolean> {
  const record = await readRecord(folder);
  return record !== undefined && record.state !== "running" && record.digest !== digest;
}

/** Reads the run of a folder, and the same run without the training images. */
async function readForgetting(
  { folder, ids, data, plugin, sandbox, threads, quiet }: ForgetRequest,
  record: RecordedRun,
  say: (text: string) => void,
  signal: AbortSignal,
  afterwards: (isDone: boolean) => Promise<void>,
) {
  const places = {
    ...data !== undefined && { data },
    ...plugin.length > 0 && { plugin },
    ...sandbox && { sandbox },
  };
  const first: RunRequest = requestAgain((record.forgetting ?? record).request, places);
  const { without = [] } = record.request;
  const plugins = await openPlugins(first.plugin ?? [], first.sandbox ?? false, say, afterwards);
  const how = { threads, quiet, signal };
  const { input: before, from } = await readSynthesis(first, plugins.registry, how, record);
  const wanted: RunRequest = { ...first, without: [...without, ...ids] };
  const { input: after } = await readSynthesis(wanted, plugins.registry, how, record);
  const recorded = recordedRequest({ ...wanted, without: [leftOut(after.data).join(",")] });
  const changes = classChanges(before, after);
  const forgetting: Forgetting = { folder, before, after, changes, from, plugins, recorded, threads };
  return { forgetting, runner: denoRunner({ ...how, plugins }) };
}

/** Finds the images that change, and returns what makes them anew. */
async function changedImages(forgetting: Forgetting, record: RunRecord) {
  if (!isPartsRecord(record)) {
    const wholeRecord = record as WholeRecord, found = await forgottenImages(forgetting, wholeRecord);
    return {
      numbers: found.numbers.length,
      changed: [...found.changed],
      forgetChanged: (runner: ReturnType<typeof denoRunner>) => forgetImages(runner, forgetting, wholeRecord, found),
    };
  }
  const found = await forgottenParts(forgetting, record), { open, finished } = found;
  return {
    numbers: [...open.map(({ entry }) => entry), ...finished].reduce((sum, { count }) => sum + count, 0),
    changed: open.flatMap(({ changed }) => [...changed]),
    forgetChanged: (runner: ReturnType<typeof denoRunner>) => forgetParts(runner, forgetting, record, found),
  };
}

/** Says of which classes all images are made anew, and why: one line for each reason. */
function reasons({ before: { classes, data }, changes }: Forgetting): string[] {
  const byReason = new Map<string, (number | undefined)[]>();
  changes.forEach(({ all }: ClassChange, turn) => {
    if (all !== undefined) byReason.set(all, [...byReason.get(all) ?? [], classes[turn]]);
  });
  return [...byReason].map(([why, labels]) => `All images${ofClasses(labels, data)} change: ${why}`);
}

function ofClasses(labels: readonly (number | undefined)[], { classes }: SynthesisInput["data"]): string {
  const names = labels.flatMap((label) => label === undefined ? [] : [classText(classes, label)]);
  return names.length === 0 ? "" : ` of class ${names.join(", ")}`;
}
