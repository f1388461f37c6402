/** `deno task forget`: takes training images out of a finished run, as if they had never been there. */
import { leftOut } from "../../../datasets/left_out.ts";
import { classText } from "../../../datasets/groups.ts";
import { counted } from "../../../pipelines/report/counted.ts";
import { type ClassChange, classChanges } from "../../../pipelines/synthesis/dependents.ts";
import type { SynthesisInput } from "../../../pipelines/synthesis/synthesize_images.ts";
import { commandLine } from "../system/command_line.ts";
import { pluginFlags, quietFlag, readThreads, sayer, threadsFlag } from "./flags/common_flags.ts";
import { type Given, readFlags, UsageError } from "./flags/flags.ts";
import { print } from "../system/printable.ts";
import { stopSignals } from "../system/stop_signals.ts";
import { SYNTH_FLAGS, type SynthFlags } from "./flags/synth_flags.ts";
import { readSynthesis } from "../runs/read_synthesis.ts";
import { forgetImages, type Forgetting, forgottenImages, type WholeRecord } from "../runs/forget_images.ts";
import { readRecord } from "../folders/folder_record.ts";
import { forgetParts, type ForgettingRecord, forgottenParts } from "../runs/forget_parts.ts";
import { isPartsRecord } from "../runs/inspect_parts.ts";
import { proveForgotten } from "../runs/prove_forgotten.ts";
import { readRun, type RunRecord } from "../runs/repeat_run.ts";
import { recordedFlags, repeatedFlags } from "../runs/run_flags.ts";
import { openPlugins } from "../plugins/open_plugins.ts";
import { denoRunner } from "../workers/deno_runner.ts";

const FLAGS = {
  ids: {
    value: "ID,...",
    many: true,
    about: "training images to forget: their numbers, as run.json has them, or the names of their files",
  },
  data: { value: "PATH", about: "path of all training images, if they were moved (where they were)" },
  "dry-run": { about: "print the numbers of the images that change, one a line, and change nothing" },
  prove: { about: "make the whole run anew without the training images, too, and compare every file" },
  ...pluginFlags,
  ...threadsFlag("bytes"),
  ...quietFlag,
} as const;

/** The command as its help, completions and `main.ts` know it. */
export const COMMAND = {
  name: "forget",
  about:
    "Takes training images out of a finished run: forget DIR --ids ID,... makes anew the images of a folder that depend " +
    "on them, and keeps the others. The folder is then byte-identical to that of a run without these training images.",
  flags: FLAGS,
  examples: [
    "deno task forget out/digits-paper --ids 17,4051",
    "deno task forget out/mine --ids cats/tom.png --dry-run",
    "deno task forget out/digits-paper --ids 17 --prove",
  ],
  run: forgetCommand,
} as const;

/** Runs `forget`; returns the exit code. */
export async function forgetCommand(args: string[]): Promise<number> {
  const read = readFlags(args, COMMAND);
  if (read === "helped") return 0;
  const { given, rest: [folder, ...others] } = read;
  if (folder === undefined || others.length > 0 || given.ids.length === 0) {
    throw new UsageError("forget needs a folder and --ids: forget DIR --ids ID,...");
  }
  const say = sayer(given.quiet), record = await readRecorded(folder);
  using signals = stopSignals();
  const { forgetting, runner } = await open(folder, record, given, say, signals.signal);
  signals.listen();
  for (const line of reasons(forgetting)) say(line);
  const { numbers, changed, forget } = await find(forgetting, record);
  if (given["dry-run"]) {
    for (const number of changed) print(String(number));
    say(`${changed.length} of ${counted(numbers, "image")} change`);
    return 0;
  }
  await forget(runner);
  say(`${changed.length} of ${counted(numbers, "image")} were made anew, the others are as they were: ${folder}`);
  if (!given.prove) return 0;
  const compared = await proveForgotten(runner, forgetting);
  say(`Proved: all ${compared} files are those of a new run without the training images, byte for byte`);
  return 0;
}

/** The record of a folder; `forgetting` is there if a run before was killed while it forgot. */
type RecordedRun = RunRecord & Pick<ForgettingRecord, "forgetting">;

/** Reads the record of a run that can forget. */
async function readRecorded(folder: string): Promise<RecordedRun> {
  if (!await readRecord(folder)) {
    throw new Error(`Cannot forget in ${folder}: expected a folder of synth or merge, got one without its run.json`);
  }
  const record = await readRun(folder);
  if ("link" in record || !("files" in record)) {
    throw new Error(`Cannot forget in ${folder}: expected a folder of synth or merge, got a run of the page`);
  }
  const isKilled = record.state === "running" && !("forgetting" in record && isPartsRecord(record));
  if (!isKilled) return record as RecordedRun;
  const [resume, what] = isPartsRecord(record)
    ? [["--resume"], "is running or was killed"]
    : [[], "was killed while it forgot"];
  const command = commandLine("deno task synth", ["--run", folder, ...resume, "--out", folder]);
  throw new Error(`Cannot forget in ${folder}: its run ${what}; ${command} makes it whole`);
}

/** Reads the run of a folder, and the same run without the training images. */
async function open(
  folder: string,
  record: RecordedRun,
  given: Given<typeof FLAGS>,
  say: (text: string) => void,
  signal: AbortSignal,
) {
  const { data, plugin, sandbox, quiet } = given, threads = readThreads(given.threads);
  const here = { ...NO_FLAGS, data, plugin, sandbox };
  const flagsBefore = repeatedFlags(SYNTH_FLAGS, here, record.forgetting ?? record);
  const without = repeatedFlags(SYNTH_FLAGS, here, record).without;
  const plugins = await openPlugins(flagsBefore.plugin, flagsBefore.sandbox, say);
  const { input: before, from } = await readSynthesis(flagsBefore, plugins.registry, record);
  const wanted = { ...flagsBefore, without: [...without, ...given.ids] };
  const { input: after } = await readSynthesis(wanted, plugins.registry, record);
  const left = leftOut(after.data.kept), all = after.data.kept!.all;
  // Mirror images and deformed copies are numbered after the others; they go with them.
  const images = all / (wanted.mirror ? 2 : 1) / (1 + Number(wanted.warp ?? 0));
  const own = left.filter((number) => number < images);
  const flags = recordedFlags(SYNTH_FLAGS, { ...wanted, without: [own.join(",")] });
  const changes = classChanges(before, after);
  const forgetting: Forgetting = { folder, before, after, changes, from, plugins, flags, threads };
  return { forgetting, runner: denoRunner({ threads, plugins, quiet, signal }) };
}

/** The flags of `synth`, none of them given. */
const NO_FLAGS = Object.fromEntries(
  Object.entries(SYNTH_FLAGS).map(([name, flag]) => {
    return [name, "many" in flag ? [] : "value" in flag ? undefined : false];
  }),
) as unknown as SynthFlags;

/** Finds the images that change, and returns what makes them anew. */
async function find(forgetting: Forgetting, record: RunRecord) {
  if (!isPartsRecord(record)) {
    const whole = record as WholeRecord, found = await forgottenImages(forgetting, whole);
    return {
      numbers: found.numbers.length,
      changed: [...found.changed],
      forget: (runner: ReturnType<typeof denoRunner>) => forgetImages(runner, forgetting, whole, found),
    };
  }
  const found = await forgottenParts(forgetting, record), { open, finished } = found;
  return {
    numbers: [...open.map(({ entry }) => entry), ...finished].reduce((sum, { count }) => sum + count, 0),
    changed: open.flatMap(({ changed }) => [...changed]),
    forget: (runner: ReturnType<typeof denoRunner>) => forgetParts(runner, forgetting, record, found),
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
