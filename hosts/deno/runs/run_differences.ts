/** Says in what two runs differ, in the words of the command line. */
import { isObject } from "../../../core/options.ts";
import { commandLine } from "../system/command_line.ts";

/** What a run depends on: the settings of a run in parts, or the same of one of single pictures. */
type Basis = object;

/** How a sentence names what no flag sets, or what several do. */
const NAMES: Readonly<Record<string, string>> = {
  patchloom: "the version of Patchloom",
  kernels: "the kernels",
  code: "the program's code",
  plugins: "the code of plugins",
  data: "the training images",
  seedImages: "the seed images of --from",
  classes: "--class",
  classNames: "the names of the classes",
  shape: "--size",
  profile: "the profile",
  layers: "the layers",
  denoiser: "the denoiser",
};
/** What `--run` does not bring back: it is not in the record, but around it. */
const AROUND = ["patchloom", "kernels", "code", "plugins", "data", "seedImages"].map((key) => NAMES[key]);
/** What follows from settings that are named one by one. */
const WHOLE = ["profile", "layers", "denoiser"].map((key) => NAMES[key]);
/** Entries that hold others, which flags set. */
const OF_FLAGS: readonly string[] = ["request", "reading", "limits"];
/** Named differences, at most. */
const MOST = 6;

/** The names of what differs between two runs, each with both values if they are short; empty if nothing does. */
export function runDifferences(there: Basis, here: Basis): string[] {
  const [one, other] = [named(there), named(here)];
  const names = [...new Set([...one.keys(), ...other.keys()])].filter((name) => {
    return JSON.stringify(one.get(name)) !== JSON.stringify(other.get(name));
  });
  const isProfile = names.includes("--profile"), ofProfile = /^--(set |prior|context|z-step)/;
  const kept = names.filter((name) => {
    const limit = /^--set .*\.(minOriginality|maxStructure)$/.exec(name)?.[1];
    const isSaid = isProfile && ofProfile.test(name) || limit !== undefined && names.includes(flagOf(limit));
    return !WHOLE.includes(name) && !isSaid;
  });
  const all = (kept.length > 0 ? kept : names).map((name) => {
    const values = [one, other].map((basis) => valueText(basis.get(name)));
    const isShort = values.every((value) => value !== undefined && value.length <= 30);
    return isShort ? `${name} (there ${values[0]}, here ${values[1]})` : name;
  });
  return all.length > MOST ? [...all.slice(0, MOST), `${all.length - MOST} more`] : all;
}

/**
 * Says why a run cannot go on in a folder, and what to do; undefined if nothing differs.
 *
 * @param there the run of the folder, which differs from that which was asked for
 */
export function resumeText(folder: string, there: Basis, here: Basis): string | undefined {
  const names = runDifferences(there, here), replaced = "without --resume its images are replaced";
  if (names.length === 0) return undefined;
  const differs = `its run differs in ${names.join(", ")}`;
  if (names.length === 1 && names[0].startsWith("--count")) {
    return `${differs}; ${replaced}; --shard FIRST-LAST with another --out makes more images like these`;
  }
  if (AROUND.some((name) => names.some((one) => one.startsWith(name)))) return `${differs}; ${replaced}`;
  const again = commandLine("deno task synth", ["--run", folder, "--resume", "--out", folder]);
  return `${differs}; ${again} goes on, ${replaced}`;
}

/** All that a run depends on, by the names that sentences give it. */
function named(basis: Basis): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const [key, value] of Object.entries(basis)) {
    if (OF_FLAGS.includes(key)) { for (const [name, one] of Object.entries(value ?? {})) found.set(flagOf(name), one); }
    else if (key === "prior") addChoice(found, "prior", value);
    else if (key === "contexts" && Array.isArray(value) && value.every(isObject)) {
      const choices = value as readonly { readonly name?: string }[];
      found.set("--context", choices.map(({ name }) => name));
      for (const choice of choices) addChoice(found, `${choice.name}`, choice);
    } else if (key === "shape" && Array.isArray(value)) {
      const [width, height, channels] = value;
      found.set("--size", `${width}x${height}${channels === 1 ? "" : ` of ${channels} channels`}`);
    } else found.set(NAMES[key] ?? flagOf(key), value);
    if (key === "profile") addEntries(found, "", value);
  }
  return found;
}

/** Adds a plugin and its options as settings name them. */
function addChoice(found: Map<string, unknown>, name: string, choice: unknown): void {
  for (const [option, value] of Object.entries(choice ?? {})) {
    if (option !== "name") found.set(`--set ${name}.${option}`, value);
    else if (name === "prior") found.set("--prior", value);
  }
}

/** Adds the entries of a profile but those of which the plan says more. */
function addEntries(found: Map<string, unknown>, path: string, value: unknown): void {
  const isList = Array.isArray(value) && value.length > 0 && value.every(isObject);
  if (!isObject(value) && !isList) found.set(path === "name" ? "--profile" : `--set ${path}`, value);
  else {
    for (const [key, one] of Object.entries(value as object)) {
      if (path !== "" || !["prior", "contexts", "zStep", "about"].includes(key)) {
        addEntries(found, path === "" ? key : `${path}.${key}`, one);
      }
    }
  }
}

/** The flag of an entry: `minLl` is set by --min-ll. */
function flagOf(entry: string): string {
  return `--${entry.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** A value as a flag takes it; undefined if it is no such value. */
function valueText(value: unknown): string | undefined {
  if (value === undefined || value === false) return "none";
  if (value === null) return "all";
  if (value === true) return "given";
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return /^[0-9a-f]{64}$/.test(value) ? undefined : value;
  if (!Array.isArray(value)) return undefined;
  const texts = value.map(valueText);
  return texts.includes(undefined) ? undefined : texts.join(",") || "none";
}
