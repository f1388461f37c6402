/** Synthesizes images and writes them to a folder, as pictures or in parts. */
import { join } from "node:path";
import type { totalsOf } from "../../../pipelines/shards/manifest.ts";
import type { Runner } from "../../../pipelines/run/runner.ts";
import { counted } from "../../../core/counted.ts";
import { edgeEnergy, edgeText, meanEdgeEnergy } from "../../../pipelines/synthesis/edge_energy.ts";
import { dependsOnAll } from "../../../pipelines/synthesis/dependencies.ts";
import {
  equalHint,
  exemplarHint,
  limitHints,
  mixedHint,
  nearnessHint,
  neighboursHint,
  shareHint,
  smallestCount,
  tilingHint,
} from "../../../pipelines/synthesis/hints.ts";
import { measureNearness, type NearnessAhead, nearnessAhead } from "../../../pipelines/synthesis/nearness.ts";
import { realImages } from "../../../datasets/left_out.ts";
import { windowsText } from "../../../pipelines/synthesis/noise_text.ts";
import { periodsOf } from "../../../pipelines/quilting/structure_length.ts";
import {
  onlyImages,
  type PreparedSynthesis,
  prepareSynthesis,
  type SynthesizedImages,
  synthesizeImages,
} from "../../../pipelines/synthesis/synthesize_images.ts";
import { measuredOf, missedHint, statedLimits, unmetHint } from "../../../pipelines/run/finished_limits.ts";
import { synthesisProgram } from "../../../pipelines/run/synthesis_program.ts";
import { nearCopies } from "../../../pipelines/run/near_copies.ts";
import { comparedOf, type GroupImage } from "../../../pipelines/run/synthesized_image.ts";
import { needed } from "../system/needed.ts";
import { messagePrinter, printJson } from "../system/printable.ts";
import { progress } from "../system/progress.ts";
import { RequestError } from "../system/request_error.ts";
import { type StopSignals, stopSignals } from "../system/stop_signals.ts";
import { alignHint } from "../data/align_hint.ts";
import { BUILT_IN, sayData } from "../data/find_data.ts";
import { followingPictures } from "../data/picture_kind.ts";
import { withPluginsOfProfile } from "../data/read_profile.ts";
import { readSynthesis } from "./read_synthesis.ts";
import { sizeUnit } from "./request_plan.ts";
import { outFolder } from "../folders/result_names.ts";
import { programCode } from "../folders/program_code.ts";
import { isInParts, partsOf, USUAL_COUNT } from "./counted_parts.ts";
import { recordedRequest, type RunRequest } from "./run_request.ts";
import { comparedWith, type RunRecord } from "./repeat_run.ts";
import { finishedImages, imagesBefore } from "./resume_pictures.ts";
import { openResults, type Results } from "./synthesis_results.ts";
import type { PartsProgress, PartsRequest, WrittenParts } from "./write_parts.ts";
import { SYNTH_USES, unusedPlugins } from "../plugins/unused_plugins.ts";
import { openBesideEngine, openPlugins } from "../plugins/open_plugins.ts";
import type { Plugins } from "../plugins/plugins.ts";
import { denoRunner } from "../workers/deno_runner.ts";

/** How a run is made, and what becomes of it. */
export interface SynthesisOptions {
  readonly request: RunRequest;
  /** The run whose images are made again. */
  readonly repeated?: RunRecord;
  readonly threads: number;
  /** The folder of the results; by default one named by the profile. */
  readonly out?: string;
  /** Whether to keep the parts that are there, and to replace files that Patchloom did not write. */
  readonly resume: boolean;
  readonly force: boolean;
  /** Whether to print the record; with parts, a line after each of them. */
  readonly json: boolean;
  readonly quiet: boolean;
  /** Has workers of a queue make the parts, in place of this process. */
  readonly queue?: (request: PartsRequest, watch: Watch) => Promise<WrittenParts>;
}

/** What is known of parts that workers of a queue make. */
export interface Watch {
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
  /** Is called when parts were made. */
  readonly made: (progress: PartsProgress) => void;
}

/** A run, ready to begin. */
interface Prepared extends Awaited<ReturnType<typeof readSynthesis>> {
  readonly options: SynthesisOptions;
  readonly plugins: Plugins;
  readonly runner: Runner;
  readonly signals: StopSignals;
  /** The folder of the results. */
  readonly out: string;
  say(text: string): void;
}

/** Synthesizes images, and writes them to a folder. */
export async function runSynth(given: SynthesisOptions): Promise<void> {
  const { repeated, threads, quiet, queue } = given, request = await completeRequest(given);
  const options = { ...given, request }, { plugin, sandbox } = request;
  const started = performance.now(), say = messagePrinter(quiet);
  const plugins = queue ? await openBesideEngine(plugin, say) : await openPlugins(plugin, sandbox, say);
  using signals = stopSignals();
  // Parts are made one after another.
  using runner = denoRunner({ threads, plugins, quiet, signal: signals.signal, stay: true });
  // Before data is read, which takes as long as to start.
  if (!queue && !isInParts(request)) {
    runner.warmUp(synthesisProgram.name, request.perClass ?? request.count ?? USUAL_COUNT);
  }
  const read = await readSynthesis(request, plugins.registry, { threads, quiet, signal: signals.signal }, repeated);
  const { input } = read, { plan, data, classes, count } = input, parts = partsOf(request, count, queue !== undefined);
  if (input.maps?.length && (parts || options.resume)) {
    throw new RequestError("Cannot use --map with --resume, with parts or with an engine: expected single pictures");
  }
  if (request.sheet && parts && !repeated) {
    throw new RequestError(
      "Cannot use --sheet with parts or with an engine, which write no sheet: expected single pictures",
    );
  }
  const out = options.out ?? outFolder("synth", plan.profile.name);
  for (const unused of unusedPlugins(plan, plugins, SYNTH_USES)) say(unused);
  if (read.hint) say(read.hint);
  const unaligned = await alignHint(plan.profile.dataset, request.data);
  if (unaligned) say(unaligned);

  const onAll = input.dependencies && dependsOnAll(input, data.train.images, data.train.images.count);
  if (onAll) {
    say(`Every image depends on all training images${classes[0] === undefined ? "" : " of its class"}: ${onAll}`);
  }
  const run = { ...read, options, plugins, runner, signals, out, say };
  const record = parts ? await synthesizeParts(run, parts) : await synthesizeWhole(run, started);
  if (repeated) say(comparedWith(repeated, record as RunRecord));
}

/** Adds to a request what follows from its pictures, and the plugins that its profile names: a run that is made again has recorded both. */
async function completeRequest({ request, repeated }: Pick<SynthesisOptions, "request" | "repeated">) {
  const asked = repeated ? request : await followingPictures(request),
    { profile, plugin = [], sandbox = false } = asked;
  return { ...asked, ...await withPluginsOfProfile("synth", profile, plugin, sandbox) };
}

/** Writes a run in parts, made here or by workers of a queue. Returns the content of `run.json`. */
async function synthesizeParts(
  { options, plugins, input, from, inputs, runner, signals, out, say }: Prepared,
  parts: NonNullable<ReturnType<typeof partsOf>>,
): Promise<object> {
  const { writeParts } = await needed<typeof import("./write_parts.ts")>("runs/write_parts.ts");
  signals.listen();
  sayData(input.data, say);
  const { repeated, threads, resume, force, json, quiet, queue } = options, recorded = recordedRequest(options.request);
  const request = { input, ...parts, from, plugins, threads, out, inputs, resume, force, repeated, recorded, say };
  return await makeParts(request, json, say, async (written) => {
    if (!queue) return await writeParts(runner, request, ({ first, count }, now) => written(now, { first, count }));
    const bar = progress("Synthesizing", quiet);
    const made = (now: PartsProgress) => {
      bar.update(now.done / now.wanted);
      written(now);
    };
    return await queue(request, { signal: signals.signal, say, made }).finally(bar.end);
  });
}

/** Writes a run as single pictures. Returns the content of `run.json`. */
async function synthesizeWhole(
  { options, plugins, input, from, inputs, runner, signals, out, say }: Prepared,
  started: number,
): Promise<object> {
  const { request, threads, force, json, resume } = options, recorded = recordedRequest(request);
  const { count } = input;
  const prepared = await prepareSynthesis(runner, input);
  const before = resume ? await imagesBefore(out, { ...prepared, from }, recorded) : [];
  const earlier = new Set(before.map(({ file }) => file));
  await using results = await openResults(out, prepared.input, {
    force,
    inputs,
    say,
    keep: (name) => earlier.has(name),
  });
  const intact = before.filter(({ file }) => results.kept.has(file));
  const kept = await finishedImages(intact, prepared, results.read);
  const loaded = performance.now();
  signals.listen(); // until the results are written
  sayData(input.data, say);
  for (const hint of hintsBefore(input, request)) say(hint);

  const { synthesized, nearness } = await synthesizeCompared(runner, prepared, kept, results);
  const finished = synthesized.done.length, seconds = synthesized.times.synthesis / 1000;
  if (finished === 0) throw new Error(`Stopped before the first image was finished: ${out} is unchanged`);
  const windows = windowsText(synthesized.noise, prepared.groups.map(({ label }) => label), input.data.classes);
  if (windows) say(windows);
  const circumstances = { threads, load: loaded - started, recorded };
  const record = await results.finish({ ...prepared, ...synthesized, ...nearness, from, plugins }, circumstances);
  if (json) printJson(record, 2);
  if (finished < count) {
    throw new Error(`Stopped: ${finished} of ${count} images were finished and are in ${out}; --resume goes on`);
  }
  const there = kept.length > 0 ? `; ${kept.length} were there` : "", pace = paceText((count - kept.length) / seconds);
  const how = kept.length < count ? ` in ${seconds.toFixed(1)} s (${pace})` : "";
  say(`${counted(count, "image")}${how}${there}: ${join(out, "sheet.png")}`);
  for (const hint of hintsAfter(prepared, synthesized.done, nearness, request)) say(hint);
  for (const text of tilingTexts(input, synthesized.done, join(out, "tiled.png"))) say(text);
  return record;
}

/** What to say of the data before its images are made. */
function hintsBefore({ plan, size, data, classes }: Prepared["input"], request: RunRequest): string[] {
  // The built-in digits stand in for MNIST, which has 15 times as many.
  const hasData = request.data !== undefined && request.data !== BUILT_IN;
  const hints = plan.aligned
    ? [hasData ? neighboursHint(plan, data, classes) : undefined]
    : [exemplarHint(data, size), mixedHint(data)];
  return hints.filter((hint) => hint !== undefined);
}

/** What to say of all images of a run: the limits that they missed, and the images that they equal or are near to. */
function hintsAfter(
  { input: { plan, data, minLl }, job }: PreparedSynthesis,
  done: SynthesizedImages["done"],
  nearness: Awaited<ReturnType<typeof measureNearness>>,
  request: RunRequest,
): string[] {
  const measured = nearness?.done ?? done;
  const missed = missedHint(statedLimits(plan, minLl), measured.map(measuredOf), request);
  const smallest = Math.min(...job.groups.map(({ training }) => training.count));
  const hints = [
    ...limitHints(plan, missed, nearCopies(done.map(comparedOf)), done.length, smallest),
    equalHint(done),
    nearness && nearnessHint(plan, nearness, realImages(data).train.images.count),
  ];
  return hints.filter((hint) => hint !== undefined);
}

/** How seamless images that tile are, which the picture at `path` shows, and which other size would repeat with their exemplar. */
function tilingTexts(
  { plan, size, data }: Prepared["input"],
  done: SynthesizedImages["done"],
  path: string,
): string[] {
  const { tile } = plan;
  if (!tile) return [];
  const energies = done.map(({ pixels }) => edgeEnergy(size, pixels, tile));
  const other = tilingHint(periodsOf(data.train.images), size, tile, sizeUnit(plan));
  return [edgeText(meanEdgeEnergy(energies), path), ...other ? [`Hint: ${other}`] : []];
}

/**
 * Synthesizes as `synthesizeMissing`, and measures how near all images stand to training images. What the end of a run would have to do
 * alone is done while threads make images, as far as it is known then: what fails here is done, or fails, at the end.
 */
async function synthesizeCompared(
  runner: Runner,
  prepared: PreparedSynthesis,
  kept: readonly GroupImage[],
  results: Pick<Results, "images" | "describe">,
) {
  let ahead: Promise<NearnessAhead | undefined> | undefined;
  const begun = () => {
    if (ahead) return;
    ahead = nearnessAhead(runner, prepared).catch(() => undefined);
    programCode().catch(() => {}); // for the record
  };
  const finished: Parameters<typeof synthesizeImages>[2] = async (image, shape) => {
    await results.images([image], shape);
    ahead?.then((ready) => {
      if (ready) results.describe(prepared, ready.measure(image));
    }).catch(() => {});
  };
  const synthesized = await synthesizeMissing(runner, prepared, kept, finished, begun);
  return { synthesized, nearness: await measureNearness(runner, prepared, synthesized.done, await ahead) };
}

/** Synthesizes the images of a run but those that are there already. Returns all in the order of their numbers. */
async function synthesizeMissing(
  runner: Runner,
  prepared: PreparedSynthesis,
  kept: readonly GroupImage[],
  finished: Parameters<typeof synthesizeImages>[2],
  begun: () => void,
): Promise<SynthesizedImages> {
  if (kept.length === 0) return await synthesizeImages(runner, prepared, finished, begun);
  const numbers = new Set(kept.map(({ number }) => number));
  const missing = onlyImages(prepared, (number) => !numbers.has(number));
  const { done, ...rest } = await synthesizeImages(runner, missing, finished, begun);
  return { done: [...kept, ...done].sort((a, b) => a.number - b.number), ...rest };
}

/** Returns the speed in words: images a second, or seconds for each image where that is less than one. */
export function paceText(rate: number): string {
  return rate >= 1 ? `${rate.toFixed(1)} a second` : `${(1 / rate).toFixed(1)} s each`;
}

/** Makes parts and prints the progress: with `json` in lines of JSON. Returns the content of `run.json`. */
async function makeParts(
  { out, input }: PartsRequest,
  json: boolean,
  say: (text: string) => void,
  write: (written: (now: PartsProgress, part?: object) => void) => Promise<WrittenParts>,
): Promise<object> {
  const line = (value: object) => json && printJson(value);
  const written = await write(({ done, wanted, rate }, part) => {
    line({ ...part, done, wanted, rate: rounded(rate), secondsLeft: rounded((wanted - done) / rate) });
  });
  const { done, wanted, kept, rate, seconds, windows, aside, record } = written;
  if (windows) say(windows);
  line({ done, wanted, kept, seconds: rounded(seconds), rate: rounded(rate), out });
  if (aside.length > 0) {
    const { asideText } = await needed<typeof import("../folders/set_aside.ts")>("folders/set_aside.ts");
    say(asideText(out, aside));
  }
  if (done < wanted) {
    throw new Error(`Stopped: ${done} of ${wanted} images were finished and are in ${out}; --resume goes on`);
  }
  const before = kept > 0 ? `; ${kept} were there` : "";
  const how = kept < done ? ` in ${seconds.toFixed(1)} s (${paceText(rate)})` : "";
  say(`${counted(done, "image")}${how}${before}: ${out}`);
  for (const warning of warningsOfParts(input, record, done)) say(warning);
  return record;
}

/** What to say of images of parts: what the entries of the parts count. */
function warningsOfParts({ plan, data }: PartsRequest["input"], record: object, count: number): string[] {
  const { acceptance, copies } = record as ReturnType<typeof totalsOf>;
  return [
    ...limitHints(plan, unmetHint(acceptance?.unmet ?? 0, count), copies, count, smallestCount(plan.profile, data)),
    shareHint(plan, copies, count),
  ].filter((warning) => warning !== undefined);
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
