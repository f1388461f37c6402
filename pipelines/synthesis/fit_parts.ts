/** Fits a prior that is fitted in parts, once for all tasks: on all threads, with progress, and kept for later runs. */
import type { Kernels } from "../../core/kernels.ts";
import { type FittedParts, fitText, priorParts, trainingLayers } from "../../core/model.ts";
import type { Plan } from "../../core/plan.ts";
import { during, nameOf } from "../../core/plugin_error.ts";
import type { TrainingPyramid } from "../../core/pyramid.ts";
import { lengthOf, shapeText } from "../../core/shape.ts";
import { shown } from "../../core/shown.ts";
import type { LayerData } from "../../core/types.ts";
import { builtins } from "../../plugins/mod.ts";
import type { Program, Runner } from "../runner.ts";
import { setUpOf, type SynthesisSetUp, type SynthesisWork, workOf } from "./synthesis_work.ts";

/** A part of the fit to a layer of a training pyramid; without a number, the task is to count the parts. */
export interface FitTask {
  readonly group: number;
  readonly layer: number;
  readonly part?: number;
}

/** Fits single parts, or counts them. The training layers, which all parts of a group share, are prepared once. */
export const fitProgram: Program<SynthesisSetUp, FitTask, Uint8Array | number> = {
  name: "fit",
  prepare(thread, setUp) {
    const { kernels, plan, trainings, batch } = workOf(thread, setUp), ofLayers = priorParts(plan);
    const layers = new Map<number, LayerData[]>();
    // deno-lint-ignore require-yield
    return function* ({ group, layer, part }) {
      const parts = ofLayers[layer];
      if (!parts) return 0;
      const own = layers.get(group) ?? trainingLayers(kernels, plan, trainings[group], batch).map(({ data }) => data);
      layers.set(group, own);
      const { plugin } = plan.layers[layer].prior;
      return during(plugin, () => `fit, layer ${layer}`, () => {
        return part === undefined ? parts.count(own[layer]) : parts.fit(own[layer], part);
      });
    };
  },
};

/**
 * Returns the work with its prior fitted, if the prior is fitted in parts; otherwise the work as it is. Fits are kept in the
 * runner's cache and taken from there if all code that they depend on is built in: changes of other code are not known here.
 *
 * @param progress takes the part of the fit that is done, 0..1; never called if there is nothing to fit
 * @returns undefined if the runner was stopped
 */
export async function fitParts(
  runner: Runner,
  work: SynthesisWork,
  progress: (done: number) => void,
): Promise<SynthesisWork | undefined> {
  const { kernels, plan, trainings } = work, isOwn = isBuiltin(plan), cache = isOwn ? runner.cache : undefined;
  const first = priorParts(plan).findIndex((parts) => parts);
  if (first < 0) return work;
  const { name } = plan.layers[first].prior.plugin, fitted: (FittedParts | undefined)[] = [];
  for (const [group, training] of trainings.entries()) {
    const kept = await cache?.read(name, keyOf(kernels, plan, training));
    fitted[group] = kept && decode(kept, kernels);
  }

  const counts = isOwn || !runner.isolated ? countParts(work) : await countOnThreads(runner, work);
  if (!counts) return undefined;
  const tasks: Required<FitTask>[] = trainings.flatMap((_, group) =>
    fitted[group] ? [] : counts[group].flatMap((count, layer) => {
      return Array.from({ length: count }, (_, part) => ({ group, layer, part }));
    })
  );
  const found = counts.map((layers) => layers.map((count) => new Array<Uint8Array>(count)));
  let done = 0;
  const finished = await runner.run(fitProgram, { setUp: setUpOf(work), tasks, kernels }, {
    result(bytes, task) {
      const { group, layer, part } = tasks[task];
      if (!(bytes instanceof Uint8Array)) throw wrongPart(plan, layer, "a part as Uint8Array", bytes);
      found[group][layer][part] = bytes;
      progress(++done / tasks.length);
    },
  });
  if (!finished) return undefined;
  for (const [group, training] of trainings.entries()) {
    if (fitted[group]) continue;
    const bytes = encode(found[group]);
    await cache?.write(name, keyOf(kernels, plan, training), bytes);
    fitted[group] = decode(bytes, kernels);
  }
  return { ...work, fitted };
}

/** Whether the priors and contexts of a plan came with the program. */
function isBuiltin({ layers }: Plan): boolean {
  const used = layers.flatMap(({ prior, contexts }): { readonly plugin: unknown }[] => [prior, ...contexts]);
  return used.every(({ plugin }) => builtins.plugins.some((own) => own === plugin));
}

/** Counts the parts of every group and layer. */
function countParts({ kernels, plan, trainings, batch }: SynthesisWork): number[][] {
  const ofLayers = priorParts(plan);
  return trainings.map((training) => {
    return trainingLayers(kernels, plan, training, batch).map(({ data }, l) => ofLayers[l]?.count(data) ?? 0);
  });
}

/** The most parts of a fit to a layer: what is more would cost more to hand out than to fit. */
const MAX_PARTS = 10_000;

/** Counts the parts of every group and layer on threads, if only these can call the prior; undefined if the runner was stopped. */
async function countOnThreads(runner: Runner, work: SynthesisWork): Promise<number[][] | undefined> {
  const { kernels, plan, trainings } = work, counts = trainings.map(() => new Array<number>(plan.layers.length));
  const tasks: FitTask[] = trainings.flatMap((_, group) => plan.layers.map((_, layer) => ({ group, layer })));
  const finished = await runner.run(fitProgram, { setUp: setUpOf(work), tasks, kernels }, {
    result(count, task) {
      const { group, layer } = tasks[task];
      const isCount = typeof count === "number" && Number.isInteger(count) && count >= 0 && count <= MAX_PARTS;
      if (!isCount) throw wrongPart(plan, layer, `0 to ${MAX_PARTS} parts`, count);
      counts[group][layer] = count;
    },
  });
  return finished ? counts : undefined;
}

function wrongPart({ layers }: Plan, layer: number, wanted: string, found: unknown): Error {
  return new Error(
    `${nameOf(layers[layer].prior.plugin)} failed in fit, layer ${layer}: expected ${wanted}, got ${shown(found)}`,
  );
}

/** Returns everything that a fit depends on, except the code: the plan and the training images. */
function keyOf(kernels: Kernels, plan: Plan, { hr: [hr] }: TrainingPyramid): Uint8Array {
  const text = new TextEncoder().encode(`${fitText(plan)} ${hr.count} of ${shapeText(hr)}`);
  const length = hr.count * lengthOf(hr), key = new Uint8Array(text.length + length);
  key.set(text);
  key.set(kernels.u8(hr.at, length), text.length);
  return key;
}

/** Writes u32 numbers, little-endian: the number of layers, of the parts of each, of the bytes of each part. Then the parts. */
function encode(parts: FittedParts): Uint8Array {
  const lengths = parts.flatMap((layer) => layer.map((bytes) => bytes.length));
  const head = [parts.length, ...parts.map((layer) => layer.length), ...lengths];
  const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + length, 4 * head.length));
  const view = new DataView(bytes.buffer);
  head.forEach((word, i) => view.setUint32(4 * i, word, true));
  let at = 4 * head.length;
  for (const part of parts.flat()) bytes.set(part, (at += part.length) - part.length);
  return bytes;
}

/** Reads what `encode` wrote. It goes into shared memory if the kernels' memory is shared: then posting it copies nothing. */
function decode(bytes: Uint8Array, { memory }: Kernels): FittedParts {
  const isShared = typeof SharedArrayBuffer !== "undefined" && memory.buffer instanceof SharedArrayBuffer;
  const own = new Uint8Array(isShared ? new SharedArrayBuffer(bytes.length) : new ArrayBuffer(bytes.length));
  own.set(bytes);
  const view = new DataView(own.buffer), word = (i: number) => view.getUint32(4 * i, true);
  const counts = Array.from({ length: word(0) }, (_, layer) => word(1 + layer));
  let next = 1 + counts.length, at = 4 * counts.reduce((sum, count) => sum + count, next);
  return counts.map((count) => {
    return Array.from({ length: count }, () => {
      const length = word(next++);
      return own.subarray(at, at += length);
    });
  });
}
