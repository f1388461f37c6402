/** `deno task reproduce`: runs the paper's experiment and writes one HTML report. */
import { join } from "@std/path";
import { profiles } from "../../../datasets/profiles/mod.ts";
import { type MetricScore, warningLines } from "../../../pipelines/assessment/metric_score.ts";
import { counted } from "../../../pipelines/report/counted.ts";
import { toHtml } from "../../../pipelines/report/html.ts";
import { openExperiment } from "../../../pipelines/reproduction/experiment.ts";
import { reproduce, RUNS } from "../../../pipelines/reproduction/reproduction.ts";
import { reproductionReport } from "../../../pipelines/reproduction/reproduction_report.ts";
import { commandLine } from "../system/command_line.ts";
import { forceFlag, quietFlag, readSeed, readThreads, sayer, threadsFlag } from "./flags/common_flags.ts";
import { oneOf, readFlags, UsageError, wholeNumber } from "./flags/flags.ts";
import { print } from "../system/printable.ts";
import { stoppable, stopSignals } from "../system/stop_signals.ts";
import { findData } from "../data/find_data.ts";
import { keeping, openResumable, openStore } from "../experiments/reproduction_store.ts";
import { denoRunner } from "../workers/deno_runner.ts";
import { kernelsSha256 } from "../system/kernels_file.ts";

const FLAGS = {
  limit: { value: "N", about: "only the first N seed images, for a quick look" },
  data: { value: "PATH", about: "training and test images: IDX files, or a folder of pictures" },
  seed: { value: "N", about: "random seed (1)" },
  resume: { about: "resume an interrupted run: keep the images and scores that it finished" },
  out: { value: "DIR", about: "where report.html goes (out/reproduce-PROFILE)" },
  ...forceFlag,
  ...threadsFlag("numbers"),
  ...quietFlag,
} as const;

/** The command as its help, completions and `main.ts` know it. */
export const COMMAND = {
  name: "reproduce",
  about: "Runs the paper's experiment on digits or faces and writes its tables and figures as one HTML report.",
  flags: FLAGS,
  examples: [
    "deno task reproduce digits --limit 200",
    "deno task reproduce faces --resume",
  ],
  words: [Object.keys(RUNS)],
  run: reproduceCommand,
} as const;

/** Runs `reproduce`; returns the exit code. */
export async function reproduceCommand(args: string[]): Promise<number> {
  const read = readFlags(args, COMMAND);
  if (read === "helped") return 0;
  const { given, rest: [name, ...more] } = read, names = Object.keys(RUNS);
  if (name === undefined || more.length > 0) throw new UsageError(`reproduce takes one profile: ${names.join(" or ")}`);
  oneOf("experiment", name, names);
  const threads = readThreads(given.threads);
  const seed = readSeed(given.seed);
  const limit = given.limit === undefined ? Infinity : wholeNumber("limit", given.limit, 1, 1e6);
  const say = sayer(given.quiet);

  using signals = stopSignals();
  const runner = denoRunner({ threads, quiet: given.quiet, signal: signals.signal }), started = runner.now();
  const profile = profiles[`${name}-paper`],
    data = await findData(profile.dataset, given.data, undefined, { quiet: given.quiet });
  const experiment = await openExperiment(runner, profile, data, seed);
  const seeds = Math.min(limit, data.test.images.count), folder = given.out ?? join("out", `reproduce-${name}`);
  say(`Data: ${data.origin}`);
  const work = { profile, present: profiles[name], files: data.files, seed, seeds, kernels: await kernelsSha256() };
  await using out = await openResumable(folder, {
    command: "reproduce",
    planned: ["report.html"],
    work,
    resume: given.resume,
    force: given.force,
    inputs: [data],
  });
  const ours = profiles[name], store = await openStore(out, "parts", say);
  const present = { profile: ours, store: await openStore(out, `parts/${name}`, say) };
  const kept = () => {
    const count = store.finished.size + present.store.finished.size, all = seeds * (RUNS[name] + 1);
    return out.isBegun
      ? `${count} of ${all} images are kept in ${folder}; go on with --resume`
      : `${folder} is unchanged`;
  };
  const command = commandLine("deno task reproduce", args), runtime = ["Deno", Deno.version.deno] as const;
  const { finished, scores, present: { scores: oursScores } } = await stoppable(signals, kept, () => {
    return keeping(out, work, signals.signal, async () => {
      const reproduction = await reproduce(experiment, name, seeds, store, present);
      const report = await reproductionReport(reproduction, { command, started, runtime });
      await out.finish({ work }, [["report.html", toHtml(report)]]);
      return reproduction;
    });
  });
  print(scoresLine(counted(finished.length, "generated image"), scores.generated));
  print(scoresLine(`${counted(seeds, "image")} of profile ${name}`, oursScores));
  print(scoresLine(counted(seeds, "test image"), scores.test));
  for (const line of warningLines(scores.generated)) say(line);
  say(`${((runner.now() - started) / 1000).toFixed(0)} s: ${join(folder, "report.html")}`);
  return 0;
}

/** Writes the scores of a set of images in one line. */
function scoresLine(images: string, scores: readonly MetricScore[]): string {
  const texts = scores.map(({ metric, score }) => {
    if (!Number.isFinite(score)) return `${metric} of too few images`;
    return metric === "likelihood" ? `LL ${score.toFixed(2)}` : `${metric} ${score.toFixed(3)}`;
  });
  return `${images}: ${texts.join(", ")}`;
}
