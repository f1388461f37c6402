/** The flags of commands that measure a profile on training images: `compare`, `ablate`, `tune`, `worth` and `restore`. */
import { forceFlag, pluginFlags, quietFlag, threadsFlag } from "./common_flags.ts";
import { type Given, outFolder } from "./flags.ts";

/** `--data` of commands that hold images out of the training images. */
export const heldOutData = {
  value: "PATH",
  about: "training images: IDX files, a folder of pictures, or a pack; test images are left out",
} as const;

/** How much work they do: `--seed` and `--threads`. What `same` names does not depend on the threads. */
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

/** Returns the folder of the results: that of `--out`, or one named by command and profile. */
export function experimentFolder(
  { out }: Pick<Given<ReturnType<typeof resultFlags>>, "out">,
  command: string,
  profile: { readonly name: string },
): string {
  return out ?? outFolder(command, profile.name, `${command}-`);
}
