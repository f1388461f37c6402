/** The flags that several commands share, and how their values are read. */
import { LARGEST_SIDE, type Size } from "../../../../core/shape.ts";
import { UsageError, wholeNumber } from "./flags.ts";

/** `--plugin` and `--sandbox`. */
export const pluginFlags = {
  plugin: { value: "SPEC", many: true, about: "a plugin of your own: ./file.ts, npm:name@1, https://..." },
  sandbox: { about: "run plugins in workers that may only compute" },
} as const;

/** `--force`. */
export const forceFlag = {
  force: { about: "replace files in --out that Patchloom did not write, or results of another command" },
} as const;

/** `--quiet`. */
export const quietFlag = { quiet: { about: "print no progress" } } as const;

/** `--background`. */
export const backgroundFlag = {
  background: {
    value: "COLOUR",
    about: "colour behind transparent pixels of pictures: white, black or #rrggbb (white)",
  },
} as const;

/** `--threads`; its help says what does not depend on it. */
export function threadsFlag(same: "bytes" | "numbers" | "scores") {
  return { threads: { value: "N", about: `number of threads; the ${same} do not depend on it (all cores)` } } as const;
}

/** The most threads: no command gains from more. */
const MAX_THREADS = 64;

/** Reads the value of `--threads`; by default the number of the machine's cores. */
export function readThreads(given: string | undefined): number {
  const cores = Math.min(navigator.hardwareConcurrency, MAX_THREADS);
  return wholeNumber("threads", given ?? String(cores), 1, MAX_THREADS);
}

/** The flag of commands that look at images of another size than the profile's. */
export const sizeFlag = {
  size: { value: "WIDTHxHEIGHT", about: "size of the images, as given to synth (the profile's)" },
} as const;

/** Reads the value of `--size`: 256x192, or 256 for a square. */
export function readSize(given: string): Size {
  const sides = /^(\d{1,6})(?:x(\d{1,6}))?$/.exec(given);
  const width = Number(sides?.[1]), height = Number(sides?.[2] ?? width);
  if (sides && Math.min(width, height) >= 1 && Math.max(width, height) <= LARGEST_SIDE) return { height, width };
  throw new UsageError(
    `Cannot use --size ${given}: expected a width and a height from 1 to ${LARGEST_SIDE}, such as 256x192`,
  );
}

/** Reads the value of `--seed`; 1 by default. */
export function readSeed(given: string | undefined): number {
  return wholeNumber("seed", given ?? "1", 0, Number.MAX_SAFE_INTEGER);
}
