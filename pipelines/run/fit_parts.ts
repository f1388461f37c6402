/** Fits a prior that is fitted in parts, once for all tasks of a job: on all threads, with progress, and kept for later runs. */
import { cacheKey, decodeArrays, encodeArrays, postable } from "../../core/array_bytes.ts";
import type { Kernels } from "../../core/kernels.ts";
import { type FittedParts, fitText, priorParts, trainingLayers } from "../../core/model.ts";
import type { Plan } from "../../core/plan.ts";
import { during, nameOf } from "../../core/plugin_error.ts";
import type { TrainingPyramid } from "../../core/pyramid.ts";
import { lengthOf, shapeText } from "../../core/shape.ts";
import { shown } from "../../core/shown.ts";
import type { LayerData } from "../../core/types.ts";
import { runKept } from "./kept_tasks.ts";
import type { KeptParts, Program } from "./runner.ts";
import type { FittedEvent, ProgressEvent } from "./events.ts";
import { type OpenJob, posted, type PostedJob, received } from "./job.ts";
import { fitsThirdParty, hasThirdParty } from "./third_party.ts";

/** A part of the fit to a layer of a training pyramid; without a number, the task is to count the parts. */
interface FitTask {
  readonly group: number;
  readonly layer: number;
  readonly part?: number;
}

/** Fits single parts, or counts them. The training layers, which all parts of a group share, are prepared once. */
export const fitProgram: Program<PostedJob, FitTask, Uint8Array | number> = {
  name: "fit",
  prepare(thread, setUp) {
    const { kernels } = thread, { plan, groups, batch } = received(setUp, thread.plugins);
    const partsOfLayers = priorParts(plan);
    const layers = new Map<number, LayerData[]>();
    // deno-lint-ignore require-yield
    return function* ({ group, layer, part }) {
      const parts = partsOfLayers[layer];
      if (!parts) return 0;
      const data = layers.get(group) ??
        trainingLayers(kernels, plan, groups[group].training, batch).map(({ data }) => data);
      layers.set(group, data);
      const { plugin } = plan.layers[layer].prior;
      return during(plugin, () => `fit, layer ${layer}`, () => {
        return part === undefined ? parts.count(data[layer]) : parts.fit(data[layer], part);
      });
    };
  },
};

/**
 * Fits the priors of a job that are fitted in parts, with progress, and yields the job with its fits last. Fits are kept in the
 * runner's cache and taken from there if all code that they depend on is built in: changes of other code are not known here. If the
 * runner's signal aborts, the iteration ends early.
 */
export async function* fitParts(given: OpenJob): AsyncGenerator<FittedEvent | ProgressEvent> {
  const { job, runner, kernels } = given;
  const { plan, groups } = job, isOwn = !fitsThirdParty(plan), cache = isOwn ? runner.cache : undefined;
  const first = priorParts(plan).findIndex((parts) => parts);
  if (first < 0 || groups.every(({ fitted }) => fitted)) return yield { type: "fitted", job };
  const { name } = plan.layers[first].prior.plugin;
  const keys = groups.map(({ training }) => keyOf(kernels, plan, training));
  const fits = await Promise.all(keys.map(async (key) => {
    const kept = await cache?.read(name, key);
    return kept && decode(kept, kernels);
  }));
  const counts = isOwn || !runner.isolated ? countParts(given) : await countOnThreads(given);
  if (!counts) return;
  const begun = await Promise.all(keys.map((key, group) => fits[group] ? undefined : cache?.parts?.(name, key)));
  const open = counts.map((layers, group) => fits[group] ? layers.map(() => 0) : layers);
  const parts = yield* fitOnThreads(given, open, begun);
  if (!parts) return;
  const fitted = await Promise.all(groups.map(async (_, group) => {
    if (fits[group]) return fits[group];
    const bytes = encode(parts[group]);
    await cache?.write(name, keys[group], bytes);
    return decode(bytes, kernels);
  }));
  yield { type: "fitted", job: { ...job, groups: groups.map((group, g) => ({ ...group, fitted: fitted[g] })) } };
}

/** Fits the given numbers of parts of each group and layer, but those of the groups' parts that are kept. Undefined if it was stopped. */
async function* fitOnThreads(
  { job, runner, kernels }: OpenJob,
  counts: readonly (readonly number[])[],
  begun: readonly (KeptParts | undefined)[],
): AsyncGenerator<ProgressEvent, Uint8Array[][][] | undefined> {
  const tasks: Required<FitTask>[] = counts.flatMap((layers, group) => {
    return layers.flatMap((count, layer) => Array.from({ length: count }, (_, part) => ({ group, layer, part })));
  });
  const parts = counts.map((layers) => layers.map((count) => new Array<Uint8Array>(count)));
  let done = 0;
  const work = { setUp: posted(job), tasks, kernels, thirdParty: hasThirdParty(job.plan) };
  const places = tasks.map(({ group, layer, part }) => {
    const before = counts[group].slice(0, layer).reduce((sum, count) => sum + count, 0);
    return { parts: begun[group], number: before + part };
  });
  const same = { encode: (bytes: Uint8Array | number) => bytes as Uint8Array, decode: (bytes: Uint8Array) => bytes };
  for await (const event of runKept(runner, fitProgram, work, { places, ...same })) {
    if (event.type !== "result") continue;
    const { group, layer, part } = tasks[event.task], bytes = event.result;
    if (!(bytes instanceof Uint8Array)) throw wrongPart(job.plan, layer, "a part as Uint8Array", bytes);
    parts[group][layer][part] = bytes;
    yield { type: "progress", phase: "fit", done: ++done / tasks.length };
  }
  return done === tasks.length ? parts : undefined;
}

/** Counts the parts of every group and layer. */
function countParts({ kernels, job: { plan, groups, batch } }: OpenJob): number[][] {
  const partsOfLayers = priorParts(plan);
  return groups.map(({ training }) => {
    return trainingLayers(kernels, plan, training, batch).map(({ data }, l) => partsOfLayers[l]?.count(data) ?? 0);
  });
}

/** The most parts of a fit to a layer: more would take longer to hand out than to fit. */
const MAX_PARTS = 10_000;

/** Counts the parts of every group and layer on threads, if only these can call the prior; undefined if it was stopped. */
async function countOnThreads({ job, runner, kernels }: OpenJob): Promise<number[][] | undefined> {
  const { plan, groups } = job, counts = groups.map(() => new Array<number>(plan.layers.length));
  const tasks: FitTask[] = groups.flatMap((_, group) => plan.layers.map((_, layer) => ({ group, layer })));
  let counted = 0;
  const work = { setUp: posted(job), tasks, kernels, thirdParty: hasThirdParty(job.plan) };
  for await (const event of runner.run(fitProgram, work)) {
    if (event.type !== "result") continue;
    const { group, layer } = tasks[event.task], count = event.result;
    const isCount = typeof count === "number" && Number.isInteger(count) && count >= 0 && count <= MAX_PARTS;
    if (!isCount) throw wrongPart(plan, layer, `0 to ${MAX_PARTS} parts`, count);
    counts[group][layer] = count;
    counted++;
  }
  return counted === tasks.length ? counts : undefined;
}

function wrongPart({ layers }: Plan, layer: number, wanted: string, found: unknown): Error {
  return new Error(
    `${nameOf(layers[layer].prior.plugin)} failed in fit, layer ${layer}: expected ${wanted}, got ${shown(found)}`,
  );
}

/** Returns everything that a fit depends on, except the code: the plan and the training images. */
function keyOf(kernels: Kernels, plan: Plan, { hr: [hr] }: TrainingPyramid): Uint8Array {
  return cacheKey(`${fitText(plan)} ${hr.count} of ${shapeText(hr)}`, kernels.u8(hr.at, hr.count * lengthOf(hr)));
}

/** Writes the parts as bytes, with their number in each layer. */
function encode(parts: FittedParts): Uint8Array {
  return encodeArrays(parts.map(({ length }) => length), parts.flat());
}

/** Reads what `encode` wrote. */
function decode(bytes: Uint8Array, kernels: Kernels): FittedParts {
  const { head, arrays } = decodeArrays(postable(kernels, bytes));
  let at = 0;
  return (head as number[]).map((count) => arrays.slice(at, at += count));
}
