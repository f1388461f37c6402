/** `deno task synth`: synthesizes images and writes them to a folder. */
import type { Plan } from "../../../core/plan.ts";
import type { Runner } from "../../../pipelines/run/runner.ts";
import { counted } from "../../../pipelines/report/counted.ts";
import { type EdgeEnergy, edgeEnergy, meanEdgeEnergy } from "../../../pipelines/synthesis/edge_energy.ts";
import { dependsOnAll } from "../../../pipelines/synthesis/dependencies.ts";
import { prepareSynthesis, synthesizeImages } from "../../../pipelines/synthesis/synthesize_images.ts";
import { copiesHint, exemplarHint, neighboursHint, tilingHint } from "../../../pipelines/synthesis/hints.ts";
import { periodsOf } from "../../../pipelines/synthesis/structure_length.ts";
import { readFlagsOnly, readThreads, sayer } from "./flags/common_flags.ts";
import { packOf, readSynthEngine } from "./flags/engine_flags.ts";
import { outFolder } from "./flags/flags.ts";
import { readParts } from "./flags/parts_flags.ts";
import { print } from "../system/printable.ts";
import { progress } from "../system/progress.ts";
import { type StopSignals, stopSignals } from "../system/stop_signals.ts";
import { SYNTH_FLAGS, type SynthFlags } from "./flags/synth_flags.ts";
import { BUILT_IN } from "../data/find_data.ts";
import { readSynthesis } from "../runs/read_synthesis.ts";
import type { EngineAddress } from "../queue/messages.ts";
import { writeByEngine } from "../queue/write_by_engine.ts";
import { comparedWith, readRun, type RunRecord } from "../runs/repeat_run.ts";
import { repeatPage } from "../runs/page_run.ts";
import { recordedFlags, repeatedFlags } from "../runs/run_flags.ts";
import { openResults } from "../runs/synthesis_results.ts";
import { type PartsProgress, type PartsRequest, writeParts, type WrittenParts } from "../runs/write_parts.ts";
import { openBesideEngine, openPlugins } from "../plugins/open_plugins.ts";
import type { Plugins } from "../plugins/plugins.ts";
import { denoRunner } from "../workers/deno_runner.ts";

/** The command as its help, completions and `main.ts` know it. */
export const COMMAND = {
  name: "synth",
  about: "Synthesizes images by randomized patch-matching.",
  flags: SYNTH_FLAGS,
  examples: [
    "deno task synth --profile faces",
    "deno task synth --profile digits --class 3 --count 64 --seed 7 --out threes",
    "deno task synth --profile texture --data brick.png --size 300x200 --count 1",
    "deno task synth --run out/faces --out again",
    "deno task synth --profile texture --data brick.png --tile both --count 1",
    "deno task synth --profile sprites --data my-sprites --count 100",
    "deno task synth --profile digits --set prior.neighbours=20 --context none",
  ],
  run: synthCommand,
} as const;

/** A run, ready to begin. */
interface Prepared extends Awaited<ReturnType<typeof readSynthesis>> {
  readonly given: SynthFlags;
  /** The run whose images are made again. */
  readonly repeated?: RunRecord;
  readonly plugins: Plugins;
  readonly threads: number;
  readonly runner: Runner;
  readonly signals: StopSignals;
  /** The folder of the results. */
  readonly out: string;
  say(text: string): void;
}

/** Runs `synth`; returns the exit code. */
export async function synthCommand(args: string[]): Promise<number> {
  const flags = readFlagsOnly(args, COMMAND);
  if (!flags) return 0;
  const repeated = flags.run === undefined ? undefined : await readRun(flags.run);
  if (repeated && "link" in repeated) {
    sayer(flags.quiet)(await repeatPage(repeated, flags.data, flags.out ?? "out/page", flags.force));
    return 0;
  }
  const given = repeated ? repeatedFlags(SYNTH_FLAGS, flags, repeated) : flags;
  const started = performance.now(), say = sayer(given.quiet);
  const threads = readThreads(given.threads), engine = await readSynthEngine(given);
  const plugins = engine
    ? await openBesideEngine(given.plugin, say)
    : await openPlugins(given.plugin, given.sandbox, say);
  const read = await readSynthesis(given, plugins.registry, repeated), { input } = read;
  const { plan, data, classes, count } = input, parts = readParts(given, count, engine !== undefined);
  const out = given.out ?? outFolder("synth", plan.profile.name);
  for (const idle of idlePlugins(plan, plugins)) say(idle);

  using signals = stopSignals();
  // Parts are made one after another.
  using runner = denoRunner({ threads, plugins, quiet: given.quiet, signal: signals.signal, stay: true });
  const onAll = input.dependencies && dependsOnAll(input, data.train.images, data.train.images.count);
  if (onAll) {
    say(`Every image depends on all training images${classes[0] === undefined ? "" : " of its class"}: ${onAll}`);
  }
  const run = { ...read, given, repeated, plugins, threads, runner, signals, out, say };
  const record = parts ? await synthesizeParts(run, parts, engine) : await synthesizeWhole(run, started);
  if (repeated) say(comparedWith(repeated, record as RunRecord));
  return 0;
}

/** Writes a run in parts, made here or by workers of an engine. Returns the content of `run.json`. */
async function synthesizeParts(
  { given, repeated, plugins, threads, input, from, inputs, runner, signals, out, say }: Prepared,
  parts: NonNullable<ReturnType<typeof readParts>>,
  engine: EngineAddress | undefined,
): Promise<object> {
  signals.listen();
  say(`Data: ${input.data.origin}`);
  const { resume, force, json, quiet } = given, flags = recordedFlags(SYNTH_FLAGS, given);
  const request = { input, ...parts, from, plugins, threads, out, inputs, resume, force, repeated, flags };
  return await makeParts(request, json, say, async (written) => {
    if (!engine) return await writeParts(runner, request, ({ first, count }, now) => written(now, { first, count }));
    const bar = progress("Synthesizing", quiet), watch = { signal: signals.signal, say };
    const made = (now: PartsProgress) => {
      bar.update(now.done / now.wanted);
      written(now);
    };
    // Without --shard, the format is what says that the run is in parts.
    const ours = {
      ...request,
      flags: { ...flags, format: parts.format },
      engine,
      pack: packOf(flags.data),
      packUrl: given["pack-url"],
    };
    return await writeByEngine(ours, { ...watch, made }).finally(bar.end);
  });
}

/** Writes a run as single pictures. Returns the content of `run.json`. */
async function synthesizeWhole(
  { given, plugins, threads, input, from, inputs, runner, signals, out, say }: Prepared,
  started: number,
): Promise<object> {
  const { plan, size, data, classes, count } = input, prepared = await prepareSynthesis(runner, input);
  await using results = await openResults(out, prepared.input, { force: given.force, inputs });
  const loaded = performance.now();
  signals.listen(); // until the results are written
  say(`Data: ${data.origin}`);
  // The built-in digits stand in for MNIST, which has 15 times as many.
  const own = given.data !== undefined && given.data !== BUILT_IN;
  const hint = plan.aligned ? own && neighboursHint(plan, data, classes) : exemplarHint(data, size);
  if (hint) say(hint);

  const synthesized = await synthesizeImages(runner, prepared, results.images);
  const finished = synthesized.done.length, seconds = synthesized.times.synthesis / 1000;
  if (finished === 0) throw new Error(`Stopped before the first image was finished: ${out} is unchanged`);
  const flags = recordedFlags(SYNTH_FLAGS, given), how = { threads, load: loaded - started, flags };
  const record = await results.finish({ ...prepared, ...synthesized, from, plugins }, how);
  if (given.json) print(JSON.stringify(record, null, 2));
  if (finished < count) throw new Error(`Stopped: ${finished} of ${count} images were finished and are in ${out}`);
  say(`${counted(count, "image")} in ${seconds.toFixed(1)} s (${paceText(count / seconds)}): ${out}/sheet.png`);
  const copies = copiesHint(
    plan,
    synthesized.done,
    Math.min(...prepared.job.groups.map(({ training }) => training.count)),
  );
  if (copies) say(copies);
  const { tile } = plan;
  if (tile) {
    say(edgeText(meanEdgeEnergy(synthesized.done.map(({ pixels }) => edgeEnergy(size, pixels, tile)))));
    const other = tilingHint(periodsOf(data.train.images), size, tile, 2 ** plan.layers.length);
    if (other) say(`Hint: ${other}`);
  }
  return record;
}

/** Says how fast images come: how many a second, or where that is less than one, the seconds of each. */
export function paceText(rate: number): string {
  return rate >= 1 ? `${rate.toFixed(1)} a second` : `${(1 / rate).toFixed(1)} s each`;
}

/** Makes parts and says what came of it: with `json` in lines of JSON. Returns the content of `run.json`. */
async function makeParts(
  { out }: PartsRequest,
  json: boolean,
  say: (text: string) => void,
  write: (written: (now: PartsProgress, part?: object) => void) => Promise<WrittenParts>,
): Promise<object> {
  const line = (value: object) => json && print(JSON.stringify(value));
  const made = await write(({ done, wanted, rate }, part) => {
    line({ ...part, done, wanted, rate: rounded(rate), secondsLeft: rounded((wanted - done) / rate) });
  });
  const { done, wanted, kept, rate, seconds } = made;
  line({ done, wanted, kept, seconds: rounded(seconds), rate: rounded(rate), out });
  if (done < wanted) {
    throw new Error(`Stopped: ${done} of ${wanted} images were finished and are in ${out}; --resume goes on`);
  }
  const before = kept > 0 ? `; ${kept} were there` : "";
  say(`${counted(done, "image")} in ${seconds.toFixed(1)} s (${paceText(rate)})${before}: ${out}`);
  return made.record;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Says how much more neighbouring pixels differ across the edges of images than inside. */
function edgeText({ x, mostX, y, mostY }: EdgeEnergy): string {
  const ratio = (name: string, edge?: number, most?: number) => {
    return edge === undefined ? [] : [`${edge.toFixed(2)} in ${name} (inside at most ${most!.toFixed(2)})`];
  };
  return `Edge energy ratio: ${[...ratio("x", x, mostX), ...ratio("y", y, mostY)].join(", ")}`;
}

/** Returns a sentence for each plugin that was loaded but is not used. */
function idlePlugins({ layers }: Plan, { registry }: Plugins): string[] {
  const used = layers.flatMap(({ prior, contexts }) => [prior, ...contexts]).map(({ plugin }) => plugin.name);
  const idle = registry.plugins.filter(({ from, kind, name }) => from && kind !== "metric" && !used.includes(name));
  return idle.map(({ kind, name }) => `The ${kind} "${name}" is loaded but not used (add --${kind} ${name})`);
}
