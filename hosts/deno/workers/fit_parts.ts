/** Fits a prior that is fitted in parts, once for all jobs: spread over workers, shown as progress, kept for the next run. */
import { type FittedParts, trainingLayers } from "../../../core/model.ts";
import { during } from "../../../core/plugin_error.ts";
import type { LayerData } from "../../../core/types.ts";
import { type FitCache, fitCache } from "../data/fit_cache.ts";
import type { Work } from "./job.ts";
import { breathe, runOnThreads } from "./run_jobs.ts";

/** A part of the fit to a layer of a training pyramid. */
export interface FitTask {
  readonly group: number;
  readonly layer: number;
  readonly part: number;
}

/** What `fitParts` is told and calls while it works. */
export interface FitWatch {
  /** Part of the fit that is done, 0..1. */
  progress(done: number): void;
  stopped(): boolean;
}

/** Fits single parts; what they have in common is prepared once. */
export function partFitter({ kernels, plan, trainings, batch }: Work): (task: FitTask) => Uint8Array {
  const { plugin, values } = plan.prior, { parts } = during(plugin, "create", () => plugin.create(values));
  const layers = new Map<number, LayerData[]>();
  return ({ group, layer, part }) => {
    const own = layers.get(group) ?? trainingLayers(kernels, plan, trainings[group], batch).map(({ data }) => data);
    layers.set(group, own);
    return during(plugin, () => `fit, layer ${layer}`, () => parts!.fit(own[layer], part));
  };
}

/**
 * The work with its prior fitted, where that is done in parts; otherwise the work as it is. With more than one thread the
 * work's memory must be shared. What is found is kept in `folder` and taken from there. Returns undefined where it was stopped.
 */
export async function fitParts(
  work: Work,
  module: WebAssembly.Module,
  threads: number,
  folder: string | undefined,
  watch: FitWatch,
): Promise<Work | undefined> {
  const { kernels, plan, trainings, batch, plugins } = work, { plugin, values } = plan.prior;
  const { parts } = during(plugin, "create", () => plugin.create(values));
  // What is in a sandbox cannot be asked from here: then every job fits for itself.
  if (!parts || plugins?.sandbox) return work;
  const cache: FitCache = await fitCache(folder, work), fitted: (FittedParts | undefined)[] = [];
  for (const group of trainings.keys()) fitted[group] = await cache.read(group);

  const counts = trainings.map((training) => {
    return trainingLayers(kernels, plan, training, batch).map(({ data }) => parts.count(data));
  });
  const tasks: FitTask[] = trainings.flatMap((_, group) =>
    fitted[group] ? [] : counts[group].flatMap((count, layer) => {
      return Array.from({ length: count }, (_, part) => ({ group, layer, part }));
    })
  );
  const found = counts.map((layers) => layers.map((count) => new Array<Uint8Array>(count)));
  let done = 0;
  const take = (bytes: Uint8Array, { group, layer, part }: FitTask) => {
    found[group][layer][part] = bytes;
    watch.progress(++done / tasks.length);
  };
  const workers = Math.min(threads, tasks.length);
  if (workers > 1) {
    await runOnThreads(work, module, tasks.map((fit) => ({ fit })), workers, {
      step: () => {},
      stopped: watch.stopped,
      result: (result, task) => "part" in result ? take(result.part, tasks[task]) : undefined,
    });
  } else {
    const fit = partFitter(work);
    for (const task of tasks) {
      if (watch.stopped()) break;
      take(fit(task), task);
      await breathe();
    }
  }
  if (done < tasks.length) return undefined;
  for (const group of trainings.keys()) fitted[group] ??= await cache.keep(group, found[group]);
  return { ...work, fitted };
}
