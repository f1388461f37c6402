/** Opens what commands need that measure a profile on training images, in the order in which their flags are checked. */
import { type Plan, plan } from "../../../core/plan.ts";
import type { Profile } from "../../../core/profile.ts";
import type { DataSet } from "../../../datasets/data_set.ts";
import { type Experiment, openExperiment } from "../../../pipelines/reproduction/experiment.ts";
import { holdOut } from "../../../pipelines/tuning/held_out.ts";
import { checkClass, readClass, readSeed, readThreads, sayer } from "../commands/flags/common_flags.ts";
import { asUsage, UsageError } from "../commands/flags/flags.ts";
import { type StopSignals, stopSignals } from "../system/stop_signals.ts";
import { openPlugins } from "../plugins/open_plugins.ts";
import type { Plugins } from "../plugins/plugins.ts";
import { denoRunner } from "../workers/deno_runner.ts";
import { findData } from "../data/find_data.ts";
import { readProfile, sizedProfile } from "../data/read_profile.ts";

/** The flags that are read here. */
interface GivenFlags {
  readonly profile: string | undefined;
  readonly size?: string | undefined;
  readonly seed: string | undefined;
  readonly threads: string | undefined;
  readonly plugin: readonly string[];
  readonly sandbox?: boolean;
  readonly quiet: boolean;
}

/** A profile, mostly of aligned images, with the plugins that it is planned with. */
export interface GivenExperiment {
  readonly profile: Profile;
  readonly plan: Plan;
  /** The path of the file that the profile was read from, if any. */
  readonly path?: string;
  /** The path of the pack that the profile came in, if any. */
  readonly packed?: string;
  readonly plugins: Plugins;
  readonly seed: number;
  readonly threads: number;
  readonly quiet: boolean;
  /** Prints news, unless the command is quiet. */
  say(text: string): void;
}

/**
 * Reads the profile in the size of `--size`, the plugins, the random seed and the threads.
 *
 * @param textures whether the profile may be one of textures
 * @throws {UsageError} if a flag is wrong, or if the profile's images are not aligned
 */
export async function readExperiment(
  command: string,
  given: GivenFlags,
  { textures = false } = {},
): Promise<GivenExperiment> {
  const { profile: own, path, data: packed } = await readProfile(command, given.profile), { quiet } = given;
  const say = sayer(quiet), seed = readSeed(given.seed), threads = readThreads(given.threads);
  const plugins = await openPlugins(given.plugin, given.sandbox ?? false, say), { registry } = plugins;
  const profile = sizedProfile(own, given.size, registry), planned = asUsage(() => plan(profile, registry));
  if (!planned.aligned && !textures) {
    throw new UsageError(`Cannot use ${command} with profile "${profile.name}": expected a profile of aligned images`);
  }
  return { profile, plan: planned, path, packed, plugins, seed, threads, quiet, say };
}

/** An experiment on the images of one or all classes. */
export interface OpenedExperiment extends Disposable {
  readonly experiment: Experiment;
  readonly data: DataSet;
  /** The class of `--class`. */
  readonly only?: number;
  readonly signals: StopSignals;
}

/**
 * Reads the data and opens an experiment. Its signals listen until it is disposed of.
 *
 * @param source which images are synthesized: from seed images of the test images, or of training images that are held out
 * @throws {UsageError} if there are no images of the class
 */
export async function openGivenExperiment(
  { profile, plan: { channels, sizes: [size] }, packed, plugins, seed, threads, quiet }: GivenExperiment,
  given: { readonly data: string | undefined; readonly class: string | undefined },
  source: "test images" | "held-out images",
): Promise<OpenedExperiment> {
  const read = await findData(profile.dataset, given.data ?? packed, undefined, { channels, size, quiet });
  const only = given.class === undefined ? undefined : readClass(given.class, read);
  const data = source === "test images" ? read : holdOut(read), signals = stopSignals();
  const runner = denoRunner({ threads, plugins, quiet, signal: signals.signal, stay: true });
  const experiment = await openExperiment(runner, profile, data, seed);
  if (only !== undefined) {
    const { name, test: { labels }, classes } = data;
    checkClass(only, { name, labels, classes });
    if (!profile.classwise) {
      throw new UsageError(`Cannot use --class with profile "${profile.name}": expected one that separates classes`);
    }
  }
  const dispose = () => {
    signals[Symbol.dispose]();
    runner[Symbol.dispose]();
  };
  return { experiment, data, only, signals, [Symbol.dispose]: dispose };
}
