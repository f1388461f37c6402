/** `deno task tune`: searches the settings of a profile on seed images of held-out training images. */
import { join } from "@std/path";
import type { Profile } from "../../../core/profile.ts";
import type { Registry } from "../../../core/registry.ts";
import { counted } from "../../../pipelines/report/counted.ts";
import { toHtml } from "../../../pipelines/report/html.ts";
import type { Experiment } from "../../../pipelines/reproduction/experiment.ts";
import { enoughForSpread } from "../../../pipelines/reproduction/measure_images.ts";
import { codesOf } from "../../../pipelines/synthesis/run_record.ts";
import { heldOutSeeds } from "../../../pipelines/tuning/held_out.ts";
import { type Objective, readObjective } from "../../../pipelines/tuning/objectives.ts";
import { readVaried, usualSpace, type Varied } from "../../../pipelines/tuning/search_space.ts";
import { ROUNDS, tune, type TuningRequest } from "../../../pipelines/tuning/tune.ts";
import {
  tunedFile,
  tunedProfile,
  tuningRecord,
  tuningReport,
  tuningTable,
} from "../../../pipelines/tuning/tuning_report.ts";
import { commandLine } from "../system/command_line.ts";
import { readFlagsOnly } from "./flags/common_flags.ts";
import { experimentFlags, experimentFolder, heldOutData } from "./flags/experiment_flags.ts";
import { asUsage, UsageError, wholeNumber } from "./flags/flags.ts";
import { print } from "../system/printable.ts";
import { stoppable } from "../system/stop_signals.ts";
import { openGivenExperiment, readExperiment } from "../experiments/read_experiment.ts";
import { keeping, openResumable, openStore } from "../experiments/reproduction_store.ts";
import { kernelsSha256 } from "../system/kernels_file.ts";

const FLAGS = {
  profile: {
    value: "NAME|FILE",
    about:
      "whose settings to search: digits, faces, colour-faces, objects, digits-paper, faces-paper, or a profile of your own",
  },
  trials: { value: "N", about: "how many random settings to try (24)" },
  count: {
    value: "N",
    about: `images of a trial in the last of ${ROUNDS} rounds; in each round before, half as many (128 for each class)`,
  },
  objective: {
    value: "METRIC",
    many: true,
    about:
      "a score to improve, also METRIC.least or METRIC.greatest of an image; several times for more (likelihood, originality, judge, and spread from 1000 images of a class on)",
  },
  vary: {
    value: "NAME=RANGE",
    many: true,
    about:
      "a value of the profile to vary: prior.neighbours=5..30, layers.*.feather=0,2,4; several times for more (those that matter most for the profile's prior)",
  },
  resume: { about: "resume an interrupted search: keep what it measured" },
  data: heldOutData,
  ...experimentFlags("tune", "random seed of settings and images (1)"),
} as const;

/** The command as its help, completions and `main.ts` know it. */
export const COMMAND = {
  name: "tune",
  about: "Searches settings of a profile and writes the best as profiles: the Pareto front of several scores.",
  flags: FLAGS,
  examples: [
    "deno task tune --profile faces --trials 24",
    "deno task tune --profile digits --class 3 --vary prior.neighbours=20..400 --vary seedNoise=0..0.06",
    "deno task tune --profile faces --objective judge --objective originality.least --resume",
  ],
  run: tuneCommand,
} as const;

/** The least images of a class in the first round: the judge needs as many. */
const MIN_IMAGES = 10;

/** Runs `tune`; returns the exit code. */
export async function tuneCommand(args: string[]): Promise<number> {
  const given = readFlagsOnly(args, COMMAND);
  if (!given) return 0;
  const read = await readExperiment("tune", given), { profile, plugins: { registry }, seed, say } = read;
  const trials = wholeNumber("trials", given.trials ?? "24", 1, 10_000);
  const space = readSpace(profile, given.vary, registry);
  const folder = experimentFolder(given, "tune", profile);

  using opened = await openGivenExperiment(read, given, "held-out images");
  const { experiment, data, only, signals } = opened, { runner } = experiment, started = runner.now();
  const images = heldOutSeeds(experiment, readCount(given.count, only, experiment), only);
  const objectives = readObjectives(given.objective, images, registry);
  say(`Data: ${data.origin}`);
  const request: TuningRequest = { trials, space, objectives, images };
  const { files } = data, plugins = codesOf(read.plan);
  const kernels = await kernelsSha256();
  const work = { profile, plugins, files, seed, trials, space, objectives, images: images.length, only, kernels };
  // Which trials are the best is known at the end.
  const tuned = Array.from({ length: trials }, (_, i) => tunedFile({ number: i + 1 }));
  const options = { command: "tune", planned: ["report.html", "tune.json", ...tuned], work, resume: given.resume };
  await using out = await openResumable(folder, { ...options, force: given.force, inputs: [read.path, data] });
  const store = await openStore(out, "parts", say);

  const kept = () => {
    return out.isBegun ? `what was measured is kept in ${folder}; go on with --resume` : `${folder} is unchanged`;
  };
  const tuning = await stoppable(signals, kept, () => {
    return keeping(out, work, signals.signal, () => tune(experiment, request, store));
  });
  const command = commandLine("deno task tune", args), seconds = (runner.now() - started) / 1000;
  const record = {
    command,
    profile: profile.name,
    seed,
    origin: data.origin,
    files: data.files,
    ...tuningRecord(tuning),
  };
  const best = tuning.trials.filter((trial) => trial.best && trial.number > 0);
  await out.finish({ work }, [
    ...best.map((trial) => [tunedFile(trial), JSON.stringify(tunedProfile(trial), null, 2) + "\n"] as const),
    ["report.html", toHtml(await tuningReport(experiment, tuning, { command, images: images.length, seconds }))],
    ["tune.json", JSON.stringify(record, null, 2) + "\n"],
  ]);
  print(given.json ? JSON.stringify(record, null, 2) : tuningTable(tuning).join("\n"));
  const fronts = `${counted(best.length, "profile")} of the front in ${join(folder, "profiles")}`;
  say(`Written in ${seconds.toFixed(0)} s: ${join(folder, "report.html")}, and ${fronts}`);
  return 0;
}

function readSpace(profile: Profile, given: readonly string[], registry: Registry): Varied[] {
  const texts = given.length > 0 ? given : usualSpace(profile, registry);
  if (texts.length === 0) {
    throw new UsageError("tune needs --vary for this prior, such as --vary prior.neighbours=5..30");
  }
  const space = asUsage(() => texts.map((text) => readVaried(profile, text, registry)));
  const twice = space.find(({ name }, i) => space.findIndex((other) => other.name === name) < i);
  if (twice) throw new UsageError(`Cannot vary ${twice.name} twice`);
  return space;
}

/** Reads the images of a trial in the last round. */
function readCount(
  given: string | undefined,
  only: number | undefined,
  { labels }: Experiment,
): number {
  const classes = only === undefined ? labels.length : 1, least = MIN_IMAGES * 2 ** (ROUNDS - 1) * classes;
  const count = wholeNumber("count", given ?? String(128 * classes), 1, 100_000);
  if (count >= least) return count;
  const first = `the first of ${ROUNDS} rounds has one in ${2 ** (ROUNDS - 1)} of them`;
  const judged = `${MIN_IMAGES} of each class are the fewest that can be judged${
    classes > 1 ? `, and there are ${classes} classes` : ""
  }`;
  throw new UsageError(`Cannot use --count ${given}: expected ${least} or more, because ${first}, and ${judged}`);
}

function readObjectives(
  given: readonly string[],
  images: Parameters<typeof enoughForSpread>[0],
  registry: Registry,
): Objective[] {
  const usual = ["likelihood", "originality", "judge", ...enoughForSpread(images) ? ["spread"] : []];
  const names = given.length > 0 ? [...new Set(given)] : usual;
  return asUsage(() => names.map((name) => readObjective(name, registry)));
}
