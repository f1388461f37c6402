/** The flags of commands that measure a profile on training images: `compare`, `ablate`, `tune`, `worth` and `restore`. */
import { forceFlag, pluginFlags, quietFlag, readSeed, readSize, readThreads, threadsFlag } from "./common_flags.ts";

/** `--data` of commands that hold images out of the training images. */
export const heldOutData = {
  value: "PATH",
  about:
    "training images: IDX, NPY, NPZ, Parquet or WebDataset files, a folder of pictures, or a pack; test images are left out",
} as const;

/** `--seed` and `--threads`. `same` names what does not depend on the threads. */
export function computingFlags(same: "bytes" | "numbers", seed: string) {
  return { seed: { value: "N", about: seed }, ...threadsFlag(same) } as const;
}

/** Where the results go: `--out`, `--force`, `--json` and `--quiet`. */
export function resultFlags(folder: string, record: string) {
  return {
    out: { value: "DIR", about: `where the results go (${folder})` },
    ...forceFlag,
    json: { about: `print ${record} to the standard output instead of the table` },
    ...quietFlag,
  } as const;
}

/** The flags of commands that try many variants of a profile; `name` is the command's. */
export function experimentFlags(name: "compare" | "ablate" | "tune", seed = "random seed (1)") {
  return {
    class: { value: "NAME", about: "one class only, by its number or name" },
    plugin: pluginFlags.plugin,
    ...computingFlags("numbers", seed),
    ...resultFlags(`out/${name}-PROFILE`, `${name}.json`),
  } as const;
}

/** Reads the values of the flags that all experiments have. */
export function readExperimentFlags(
  { profile, size, seed, threads, plugin, sandbox, quiet }: {
    readonly profile: string | undefined;
    readonly size?: string;
    readonly seed: string | undefined;
    readonly threads: string | undefined;
    readonly plugin: readonly string[];
    readonly sandbox?: boolean;
    readonly quiet: boolean;
  },
) {
  return {
    profile,
    size: size === undefined ? undefined : readSize(size),
    seed: readSeed(seed),
    threads: readThreads(threads),
    plugin,
    sandbox,
    quiet,
  };
}

/** Reads the values of the flags that say where results go. */
export function readResultFlags(
  { out, force, json }: { readonly out: string | undefined; readonly force: boolean; readonly json: boolean },
  command: string,
) {
  return { out, force, json, command };
}
