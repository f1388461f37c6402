/** Which flags of `synth` a run.json records, and with which flags its images are made again. */
import { type Flag, type Given, UsageError } from "../commands/flags/flags.ts";
import type { RunRecord } from "./repeat_run.ts";

type Flags = Readonly<Record<string, Flag>>;

/** Flags whose values the profile of a run has. */
const IN_PROFILE: readonly string[] = ["profile", "prior", "context", "z-step", "set", "min-originality", "tile"];
/** Flags that change no byte of an image. */
const AROUND: readonly string[] = [
  "run",
  "out",
  "threads",
  "engine",
  "engine-ca",
  "pack-url",
  "force",
  "json",
  "quiet",
  "resume",
];
/** Flags of what may differ from the first run: where data and plugins are, and which images go into which files. */
const PLACES: readonly string[] = ["data", "plugin", "sandbox", "shard", "part"];

function isGiven(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
}

/** Returns the flags that `run.json` records: those that are given and are neither in the profile nor circumstances. */
export function recordedFlags<F extends Flags>(flags: F, given: Given<F>): RunRecord["flags"] {
  const { data, profile } = given as Readonly<Record<string, unknown>>;
  // A pack is a profile and the data.
  const own = { ...given, data: data ?? (String(profile).endsWith(".loom") ? profile : undefined) };
  const recorded = Object.entries(own).filter(([name, value]) => {
    return Object.hasOwn(flags, name) && ![...IN_PROFILE, ...AROUND].includes(name) && isGiven(value);
  });
  return Object.fromEntries(recorded) as RunRecord["flags"];
}

/**
 * Returns the flags of a run that is made again.
 *
 * @throws {UsageError} if a flag is given that would change the images
 */
export function repeatedFlags<F extends Flags>(flags: F, given: Given<F>, run: Pick<RunRecord, "flags">): Given<F> {
  const named = Object.entries(given).filter(([name, value]) => Object.hasOwn(flags, name) && isGiven(value));
  const other = named.find(([name]) => ![...AROUND, ...PLACES].includes(name));
  if (other) throw new UsageError(`Cannot use --${other[0]} with --run, which makes the images of a run again`);
  const recorded = Object.entries(run.flags).filter(([name, value]) => {
    if (!Object.hasOwn(flags, name) || [...AROUND, ...IN_PROFILE].includes(name)) return false;
    const { value: hasValue, many }: Flag = flags[name];
    if (many) return Array.isArray(value) && value.every((text) => typeof text === "string");
    return hasValue === undefined ? typeof value === "boolean" : typeof value === "string";
  });
  const places = named.filter(([name]) => PLACES.includes(name));
  return { ...given, ...Object.fromEntries(recorded), ...Object.fromEntries(places) };
}
