/** What a process with plugins may write to. */
import { join, resolve } from "node:path";
import { dataFolder, environment } from "../system/environment.ts";

/** The folder of results, unless a command line names another. */
const OUT = "out";

/**
 * The folders that a command line with plugins writes to: the one of its results, and that of built-in data, which is drawn once. What
 * is drawn is checked against sums in the program. The other files of the data folder could be poisoned: data and fits that later
 * commands use.
 *
 * @param args the command's name and its flags
 * @returns undefined if it may be any but the data folder
 */
export function writtenFolders([command, ...args]: readonly string[]): readonly string[] | undefined {
  if (command === "plugin") return [];
  if (command === "forget" && (args.includes("--prove") || args[0]?.startsWith("-"))) return undefined;
  const given = args.flatMap((arg, i) =>
    arg === "--out" ? args.slice(i + 1, i + 2) : /^--out=(.+)/.exec(arg)?.[1] ?? []
  );
  const result = command === "forget" ? args.slice(0, 1) : given.length > 0 ? given : [OUT];
  const data = dataFolder(environment());
  const folders = [...result, ...data === undefined ? [] : [join(data, "builtin")]].map((path) => resolve(path));
  return folders.some((path) => path.includes(",")) ? undefined : folders; // Deno's flag has a list with commas
}

/** The flags that let a process write for a command line with plugins. */
export function writeFlags(words: readonly string[]): readonly string[] {
  const folders = writtenFolders(words), data = dataFolder(environment());
  if (folders) return folders.length > 0 ? [`--allow-write=${folders.join(",")}`] : [];
  return ["--allow-write", ...data === undefined || data.includes(",") ? [] : [`--deny-write=${resolve(data)}`]];
}
