/** `deno task reproduce`: the paper's experiment, whole, as one HTML report. */
import { join } from "@std/path";
import { toHtml } from "../../../pipelines/report/html.ts";
import { suggestion } from "../../../core/options.ts";
import { profiles } from "../../../datasets/profiles/mod.ts";
import type { LabelledImages } from "../../../datasets/data_set.ts";
import { counted } from "../../../pipelines/report/counted.ts";
import { sha256, writeAtomically } from "../data/data_folder.ts";
import { findData } from "../data/find_data.ts";
import { readFlags, UsageError, wholeNumber } from "../cli/flags.ts";
import type { MetricScore } from "../../../pipelines/assessment/metric_score.ts";
import { runMetrics } from "../../../pipelines/assessment/run_metrics.ts";
import { denoRunner } from "../workers/deno_runner.ts";
import { progress } from "../cli/progress.ts";
import { reproductionReport } from "../reproduce/report.ts";
import { openStore } from "../reproduce/store.ts";
import { type Label, openExperiment } from "../reproduce/world.ts";

const FLAGS = {
  limit: { value: "N", about: "only the first N seed images, for a quick look" },
  data: { value: "PATH", about: "training and test images: IDX files, or a folder of PNGs" },
  seed: { value: "N", about: "random seed (1)" },
  resume: { about: "go on with what an earlier run has finished" },
  out: { value: "DIR", about: "where report.html goes (out/reproduce-PROFILE)" },
  threads: { value: "N", about: "workers; the numbers do not depend on it (all cores)" },
  quiet: { about: "no progress" },
} as const;

const COMMAND = {
  name: "reproduce",
  about: "Runs the paper's experiment on digits or faces and writes its tables and figures as one HTML report.",
  flags: FLAGS,
  examples: [
    "deno task reproduce digits --limit 200",
    "deno task reproduce faces --resume",
  ],
} as const;

/** Images made for each seed image, as the paper has it: 10000 digits, 1000 faces of 500 seeds. */
const RUNS: Readonly<Record<string, number>> = { digits: 1, faces: 2 };
const METRICS = ["likelihood", "originality", "spread"];

/** Runs `reproduce`; the exit code. */
export async function reproduceCommand(args: string[]): Promise<number> {
  const read = readFlags(args, COMMAND);
  if (read === "helped") return 0;
  const { given, rest: [name, ...more] } = read, started = performance.now(), names = Object.keys(RUNS);
  if (name === undefined || more.length > 0) throw new UsageError(`reproduce takes one profile: ${names.join(" or ")}`);
  if (!names.includes(name)) throw new UsageError(`There is no experiment "${name}"${suggestion(name, names)}`);
  const threads = wholeNumber("threads", given.threads ?? String(Math.min(navigator.hardwareConcurrency, 64)), 1, 64);
  const seed = wholeNumber("seed", given.seed ?? "1", 0, Number.MAX_SAFE_INTEGER);
  const limit = given.limit === undefined ? Infinity : wholeNumber("limit", given.limit, 1, 1e6);
  const say = (text: string) => given.quiet || console.error(text);

  const profile = profiles[name], data = await findData(profile.dataset, given.data);
  const world = await openExperiment(profile, data, seed, threads), { test } = data;
  const seeds = Math.min(limit, test.images.count), folder = given.out ?? join("out", `reproduce-${name}`);
  say(`Data: ${data.origin}`);
  const kernels = await sha256(await Deno.readFile(new URL("../../../assembly/kernels.wasm", import.meta.url)));
  const store = await openStore(
    join(folder, "parts"),
    { profile, files: data.files, seed, seeds, kernels },
    given.resume,
  );

  // Image i takes seed image i, around again.
  const labelOf = (of: number): Label => world.labels[0] === undefined ? undefined : test.labels![of];
  const all = Array.from(
    { length: seeds * RUNS[name] },
    (_, number) => ({ number, test: number % seeds, label: labelOf(number % seeds) }),
  );
  const missing = all.filter(({ number }) => !store.finished.has(number));
  const bar = progress(`Synthesizing ${counted(missing.length, "image")}`, given.quiet);
  await world.synthesizeTests(missing, store.add, bar.update);
  bar.end();

  const finished = all.map(({ number }) => store.finished.get(number)!), length = world.sides[0] ** 2;
  const pixels = new Uint8Array(finished.length * length);
  finished.forEach((image, i) => pixels.set(image.pixels, i * length));
  const [size] = world.sides;
  const generated: LabelledImages = {
    images: { count: finished.length, height: size, width: size, pixels },
    labels: test.labels && Uint8Array.from(all, (one) => test.labels![one.test]),
  };
  const first: LabelledImages = {
    images: {
      ...test.images,
      count: seeds,
      pixels: test.images.pixels.subarray(0, seeds * test.images.height * test.images.width),
    },
    labels: test.labels?.subarray(0, seeds),
  };
  const judge = async (name: string, set: LabelledImages): Promise<MetricScore[]> => {
    const bar = progress(`Assessing the ${name} images`, given.quiet);
    const classes = world.labels.filter((label) => label === undefined || set.labels?.includes(label));
    const subject = { plan: world.plan, generated: set, training: data.train, classes };
    const found = await store.measured(
      name,
      () => runMetrics(denoRunner({ threads }), subject, METRICS.map((name) => ({ name, options: {} })), bar.update),
    );
    bar.end();
    return found;
  };
  const scores = { generated: await judge("generated", generated), test: await judge("test", first) };
  const figures = progress("Drawing the figures", given.quiet);
  const report = await reproductionReport({
    world,
    name,
    all,
    finished,
    generated,
    test: first,
    scores,
    command: `deno task reproduce ${args.join(" ")}`,
    progress: figures.update,
    seconds: () => (performance.now() - started) / 1000,
  });
  figures.end();
  const path = join(folder, "report.html");
  await writeAtomically(path, new TextEncoder().encode(toHtml(report)));
  const line = (of: string, found: readonly MetricScore[]) => {
    const scores = found.map(({ metric, score }) => {
      if (!Number.isFinite(score)) return `${metric} of too few images`;
      return metric === "likelihood" ? `LL ${score.toFixed(2)}` : `${metric} ${score.toFixed(3)}`;
    });
    return `${of}: ${scores.join(", ")}`;
  };
  console.log(line(counted(finished.length, "generated image"), scores.generated));
  console.log(line(counted(seeds, "test image"), scores.test));
  say(`${((performance.now() - started) / 1000).toFixed(0)} s: ${path}`);
  return 0;
}
