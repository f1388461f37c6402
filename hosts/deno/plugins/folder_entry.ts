/** Finds the module that a folder is a plugin of. */
import { isAbsolute, join, relative } from "node:path";

/** The files that name a folder's module; the first that exists counts. */
const CONFIGURATIONS = ["deno.json", "package.json"];
/** The most bytes of such a file. */
const MAX_BYTES = 2 ** 20;

/**
 * Returns the path of a folder's module: what `exports` of its `deno.json` or `package.json` names; without them the one module
 * that has its test beside it.
 *
 * @throws {Error} if there is none, or if `exports` names a file that is not there or not in the folder
 */
export function folderEntry(folder: string): string {
  const cannot = `Cannot load the plugin ${folder}`, inside = folder.replace(/[/\\]+$/, "");
  const isFile = (name: string) => {
    try {
      return Deno.statSync(join(folder, name)).isFile;
    } catch {
      return false;
    }
  };
  for (const file of CONFIGURATIONS.filter(isFile)) {
    const named = exported(join(folder, file), `${cannot}: its ${file}`);
    if (named === undefined) continue;
    const path = relative(folder, join(folder, named));
    const isInside = !isAbsolute(path) && !path.startsWith("..");
    if (isInside && isFile(path)) return `${inside}/${path}`;
    throw new Error(`${cannot}: its ${file} exports ${named}, which is no file in it`);
  }
  let names: string[];
  try {
    names = [...Deno.readDirSync(folder)].map(({ name }) => name);
  } catch (cause) {
    throw new Error(`${cannot}: its folder cannot be read`, { cause });
  }
  const tests = names.filter((name) => name.endsWith(".test.ts"));
  const tested = tests.map((test) => test.replace(/\.test\.ts$/, ".ts")).filter((name) => names.includes(name));
  if (tested.length === 1) return `${inside}/${tested[0]}`;
  throw new Error(`${cannot}: ${FOLDER}`);
}

/** The reason that a folder cannot be loaded. */
export const FOLDER = "it is a folder: name the plugin's file in it";

/** Reads what a configuration exports under "."; undefined if nothing. Conditions are tried in the order of Deno's. */
function exported(path: string, its: string): string | undefined {
  let text: string, read: unknown;
  try {
    if (Deno.statSync(path).size > MAX_BYTES) throw new RangeError();
    text = Deno.readTextFileSync(path);
  } catch (cause) {
    throw new Error(`${its} cannot be read: expected a file of at most ${MAX_BYTES} bytes`, { cause });
  }
  try {
    read = JSON.parse(text);
  } catch (cause) {
    throw new Error(`${its} cannot be read: expected JSON`, { cause });
  }
  const entry = (value: unknown, name: string) => {
    return typeof value === "object" && value !== null && Object.hasOwn(value, name)
      ? (value as Record<string, unknown>)[name]
      : undefined;
  };
  let target = entry(read, "exports");
  if (entry(target, ".") !== undefined) target = entry(target, ".");
  if (typeof target === "object") {
    target = ["deno", "import", "default"].map((one) => entry(target, one)).find((one) => one);
  }
  return typeof target === "string" ? target : undefined;
}
