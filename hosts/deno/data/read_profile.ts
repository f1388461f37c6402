/** Reads profiles: built-in ones, files and packs. */
import { dirname, isAbsolute, relative, resolve } from "node:path";
import { DEEPEST, jsonDepth } from "../../../core/json_depth.ts";
import { plan } from "../../../core/plan.ts";
import type { Profile } from "../../../core/profile.ts";
import type { Registry } from "../../../core/registry.ts";
import { resizedProfile } from "../../../core/resized_profile.ts";
import type { Size } from "../../../core/shape.ts";
import { suggestion } from "../../../core/suggestion.ts";
import { readPack } from "../../../datasets/formats/pack.ts";
import { builtins } from "../../../plugins/mod.ts";
import { profiles } from "../../../datasets/profiles/mod.ts";
import { jsonFault } from "../system/json_faults.ts";
import { asRequest, RequestError } from "../system/request_error.ts";
import { isPackPath } from "../folders/result_names.ts";
import { readFile, textOf } from "./read_files.ts";

/** A profile, the path of the file that it was read from, that of the pack that it came in, and the plugins that it names. */
export interface GivenProfile {
  readonly profile: Profile;
  readonly path?: string;
  readonly data?: string;
  /** The plugins that the file names: paths from the working directory, or addresses. */
  readonly plugins?: readonly string[];
}

/**
 * Reads the profile that a request names: the name of a built-in profile, a JSON file, or a pack, which has data, too.
 *
 * @param command names the command in errors
 * @param plugins what a profile is checked against, so that its errors name the file; by default it is not checked
 * @param flag the name of the option
 * @throws {RequestError} if no profile has the name, or if the profile is wrong; another error if its file cannot be read
 */
export async function readProfile(
  command: string,
  given: string | undefined,
  plugins?: Registry,
  flag = "profile",
): Promise<GivenProfile> {
  const names = namesFor(command);
  if (given === undefined) {
    throw new RequestError(`${command} needs --${flag}: ${names.join(", ")}, a file.json or a pack.loom`);
  }
  if (Object.hasOwn(profiles, given)) return { profile: profiles[given] };
  if (!isJsonPath(given) && !isPackPath(given)) {
    const info = await Deno.stat(given).catch(() => undefined);
    if (info) {
      const got = info.isDirectory ? "a folder" : "another file";
      throw new RequestError(
        `Cannot use --${flag} ${given}: expected the name of a profile, a file.json or a pack.loom, got ${got}; --data takes pictures`,
      );
    }
    throw new RequestError(`There is no profile "${given}"${suggestion(given, names)}`);
  }
  const bytes = await readFile(given, `the profile ${given}`);
  if (isPackPath(given)) return { profile: readPack(bytes, given).profile, path: given, data: given };
  const read = parsedProfile(bytes, given);
  if (plugins === builtins && read.plugins && read.plugins.length > 0) {
    throw new RequestError(
      `Cannot use --${flag} ${given}: expected a profile of built-in plugins, as ${command} loads no others, got one that names ` +
        read.plugins.join(", "),
    );
  }
  if (plugins) checkProfile(read.profile, plugins, given);
  return read;
}

/** Whether a text is the path of a profile in JSON, by its ending. */
function isJsonPath(text: string | undefined): text is string {
  return text !== undefined && /\.json$/i.test(text);
}

/** The commands that take profiles of exemplars, too. */
const TAKE_EXEMPLARS: readonly string[] = ["synth", "pack", "profile"];

/** The built-in profiles that a command takes; `worth` measures classes. */
function namesFor(command: string): string[] {
  const all: readonly Profile[] = Object.values(profiles);
  return all.filter(({ aligned = true, classwise }) => {
    return (aligned || TAKE_EXEMPLARS.includes(command)) && (classwise || command !== "worth");
  }).map(({ name }) => name);
}

/** Reads the JSON of a profile. What is no object is returned as it is: `plan` says what is wrong. */
function parsedProfile(bytes: Uint8Array, file: string): GivenProfile {
  const read = parsedJson(bytes, file);
  if (typeof read !== "object" || read === null || Array.isArray(read)) return { profile: read as Profile, path: file };
  // `$schema` is for editors, `plugins` for what loads them.
  const { $schema: _, plugins, ...profile } = read as Record<string, unknown>;
  const named = plugins === undefined ? {} : { plugins: pluginsOf(plugins, file) };
  return { profile: profile as unknown as Profile, path: file, ...named };
}

/** Parses a file of JSON. */
function parsedJson(bytes: Uint8Array, file: string): unknown {
  const text = asRequest(() => textOf(bytes, `The profile ${file}`)), fault = jsonFault(text), depth = jsonDepth(text);
  if (depth > DEEPEST) {
    throw new RequestError(
      `Cannot use the profile ${file}: expected lists and objects at most ${DEEPEST} deep, got ${depth}`,
    );
  }
  try {
    const value = JSON.parse(text);
    if (fault === undefined) return value;
  } catch (error) {
    throw new RequestError(`The profile ${file} is not JSON: ${fault ?? (error as Error).message}`);
  }
  throw new RequestError(`Cannot use the profile ${file}: ${fault}`);
}

/** Checks a profile before a request changes it or shows it: its errors name its file. */
export function checkProfile(profile: Profile, plugins: Registry, file: string): void {
  try {
    asRequest(() => plan(profile, plugins));
  } catch (error) {
    throw new RequestError(`${file}: ${(error as Error).message}`);
  }
}

/** Reads the entry `plugins` of a profile: paths are relative to the profile's file. See `pluginsEntry`. */
function pluginsOf(plugins: unknown, file: string): string[] {
  if (!Array.isArray(plugins) || !plugins.every((one) => typeof one === "string")) {
    throw new RequestError(`The profile ${file}: expected "plugins" to be a list of texts such as "./my_prior.ts"`);
  }
  return plugins.map((one: string) => {
    if (!/^\.{1,2}[/\\]/.test(one)) return one;
    return relativePath(".", resolve(dirname(file), one));
  });
}

/**
 * Returns the entry `plugins` of a profile that is written to a file: {} if it was planned with built-in plugins alone. Paths are
 * relative to the file.
 *
 * @param sources where the plugins came from, as `openPlugins` found them
 */
export function pluginsEntry(
  sources: readonly { readonly specifier: string }[],
  file: string,
): { readonly plugins?: readonly string[] } {
  if (sources.length === 0) return {};
  const plugins = sources.map(({ specifier }) => {
    const isPath = /^\.{1,2}[/\\]/.test(specifier) || isAbsolute(specifier);
    return isPath ? relativePath(dirname(resolve(file)), resolve(specifier)) : specifier;
  });
  return { plugins };
}

/** The path from a folder to another, as specifiers of plugins are: it begins with `./` or `../`, where there is one. */
function relativePath(from: string, to: string): string {
  const path = relative(from, to).replaceAll("\\", "/");
  return /^\.\.\//.test(path) || isAbsolute(path) ? path : `./${path}`;
}

/**
 * Adds the plugins that a profile names to those of `--plugin`. Users of a profile seldom read the code of its plugins: so these run in a
 * sandbox, and with them all plugins of the command, unless `--plugin` names them, too.
 */
export async function withPluginsOfProfile(
  command: string,
  named: string | undefined,
  plugin: readonly string[],
  sandbox: boolean,
): Promise<{ readonly plugin: readonly string[]; readonly sandbox: boolean }> {
  if (!isJsonPath(named)) return { plugin, sandbox };
  const { plugins = [] } = await readProfile(command, named);
  const given = new Set(plugin.map((one) => resolve(one))), more = plugins.filter((one) => !given.has(resolve(one)));
  return { plugin: [...plugin, ...more], sandbox: sandbox || more.length > 0 };
}

/** Returns the profile for images of another size, or as it is without one. */
export function sizedProfile(profile: Profile, size: Size | undefined, plugins: Registry): Profile {
  if (size === undefined) return profile;
  return asRequest(() => {
    plan(profile, plugins); // only a profile without mistakes has a size
    return resizedProfile(profile, size);
  });
}
