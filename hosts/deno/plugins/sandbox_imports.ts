/** What modules in a sandbox may import. */
import module from "node:module";
import { isSealed } from "./import_seal.ts";
import { checkFile, isNamed, isReached, unnamed } from "./sandbox_files.ts";
import { COMMON_JS, NODE_MODULES } from "./sandbox_lists.ts";
import { apply, encode, endsWith, indexOf, keysOf, quoted, slice, startsWith } from "./taken.ts";

const builtin = process.getBuiltinModule as (name: string) => object;

/**
 * The addresses of modules that are loaded. The text of a `data:` or `blob:` module could name any file as its source map, and those of
 * `ext:` are the runtime's own.
 */
const LOADED = ["npm:", "jsr:", "https:", "http:"];
/** How the address of a module begins that has its text. */
const MODULE = "data:text/javascript,";
/** The endings of files that CommonJS modules may require. */
const SCRIPTS: Readonly<Record<string, boolean>> = Object.assign(Object.create(null), {
  ".js": true,
  ".cjs": true,
  ".json": true,
});
/** What plugins call the library, which is loaded before them. */
const LIBRARY = "@patchloom/patchloom";
const LIBRARY_URL = new URL("../../../mod.ts", import.meta.url).href;
/** The modules of Node that Deno takes past the hook, and that are not given. */
const PAST = ["node:worker_threads"];
/** The modules of Node that are given. */
const GIVEN = Object.create(null) as Record<string, boolean>;
for (const name of NODE_MODULES) GIVEN[`node:${name}`] = true;

/**
 * What each module of Node exports. All are loaded before plugins: one that is loaded later hands its classes to setters that a plugin has put
 * on `Object.prototype`.
 */
const EXPORTED = Object.create(null) as Record<string, readonly string[]>;
for (const name of module.builtinModules) {
  const url = startsWith(name, "node:") ? name : `node:${name}`;
  EXPORTED[url] = keysOf(builtin(url));
}

/**
 * Keeps imports to files, packages and the modules of Node that compute. Other modules of Node become stand-ins, whose exports
 * throw: packages import many modules that they seldom use.
 *
 * A static import goes on in spite of an error of a hook, and plugins can make all that they reach throw: so this hook throws none but
 * for `require`, which ends with it.
 */
export function confineImports(): void {
  for (const name of PAST) disarm(name);
  module.registerHooks({
    resolve(specifier, context, next) {
      const isRequired = context.conditions[1] === "require";
      try {
        checkSpecifier(specifier);
        const resolved = next(specifier, context), { url } = resolved;
        checkAddress(specifier, url, context.parentURL);
        if (GIVEN[url] === true || !startsWith(url, "node:")) return resolved;
        if (isRequired) throw new Error(refusal(url));
        return { url: standIn(url), shortCircuit: true };
      } catch (error) {
        if (isRequired) throw error;
        return { url: throws(messageOf(error)), shortCircuit: true };
      }
    },
  });
  confineCommonJs();
}

/** Throws if a specifier is refused, whatever Deno makes of it. */
function checkSpecifier(specifier: string): void {
  if (isSealed() && GIVEN[specifier] !== true && specifier !== LIBRARY) throw new Error(tooLate(specifier));
  // Before a registry is asked.
  if (startsWith(specifier, "npm:") && !isNamed(specifier)) throw new Error(unnamed(specifier));
}

/** Throws if a module may not be loaded from an address. */
function checkAddress(specifier: string, url: string, parent: string | undefined): void {
  // A name of no package was taken for a fragment of the module itself, which then waits for itself.
  if (startsWith(specifier, "#") && endsWith(url, specifier)) {
    throw new Error(`Cannot import ${specifier}: expected the name of a package or a path`);
  }
  if (startsWith(url, "file:")) {
    if (url !== LIBRARY_URL) checkFile(specifier, url, parent);
  } else if (!startsWith(url, "node:") && !isLoaded(url)) {
    throw new Error(`Cannot import ${schemeOf(url)} addresses in a sandbox`);
  }
}

function isLoaded(url: string): boolean {
  for (let n = 0; n < LOADED.length; n++) if (startsWith(url, LOADED[n])) return true;
  return false;
}

/** The scheme of an address, with its colon. */
function schemeOf(url: string): string {
  return slice(url, 0, indexOf(url, ":") + 1);
}

/**
 * Why nothing is loaded any more, not even a file of the plugin's folder: Deno asks the registry for the packages that a module
 * names before any hook sees them, and which of its files a plugin imports could carry data out.
 */
function tooLate(specifier: string): string {
  return `Cannot import ${specifier} in a sandbox once plugins are loaded`;
}

/** The address of a module that throws. */
function throws(message: string): string {
  return `${MODULE}${encode(`throw new Error(${quoted(message)});`)}`;
}

/** The address of a module with the exports of a module of Node. */
function standIn(url: string): string {
  const names = EXPORTED[url] ?? [];
  let exported = "", members = "";
  for (let n = 0; n < names.length; n++) {
    const name = quoted(names[n]);
    members += `${name}: no, `;
    if (name !== '"default"') exported += `no as ${name}, `;
  }
  return `${MODULE}${
    encode(`function no() { throw new Error(${quoted(refusal(url))}); }
export { ${exported} };
export default { ${members} };`)
  }`;
}

function refusal(name: string): string {
  return `Cannot use ${name} in a sandbox`;
}

/** The message of an error, which a plugin can make of anything. */
function messageOf(error: unknown): string {
  try {
    return `${(error as Error).message}`;
  } catch {
    return "it cannot be imported in a sandbox";
  }
}

/** What the loader of CommonJS modules has. */
interface Loader {
  _load(name: string, ...more: unknown[]): unknown;
  readonly _extensions: Members;
  readonly prototype: Members;
}

type Members = Record<string, (...given: unknown[]) => unknown>;

/**
 * Does the same for CommonJS modules, which are those of packages. They reach the loader by `require` and their `module`, whose class is kept
 * from them: it has ways to read any file of Deno's cache.
 */
function confineCommonJs(): void {
  const statics = module as unknown as Loader & Record<string, unknown>;
  for (const name of Object.getOwnPropertyNames(statics)) if (!COMMON_JS.includes(name)) delete statics[name];
  Object.defineProperty(statics.prototype, "constructor", { value: Object });
  const isBuiltin = module.isBuiltin, { _load: load } = statics;
  statics._load = function (this: unknown, given, ...more) {
    const name = `${given}`, url = startsWith(name, "node:") ? name : `node:${name}`;
    if (isBuiltin(name)) return GIVEN[url] === true ? apply(load, this, [name, ...more]) : commonJsStandIn(url);
    if (isSealed()) throw new Error(tooLate(name));
    return apply(load, this, [name, ...more]);
  };
  confineLoaders(statics);
}

/**
 * Lets CommonJS modules load scripts and data of packages. Deno 2.9 loads modules of ECMAScript that they require, and all that these
 * import, with the permissions of the main process. Native modules need a permission that a sandbox does not have.
 */
function confineLoaders({ _extensions: loaders, prototype }: Loader): void {
  for (const name of keysOf(loaders)) {
    const load = loaders[name];
    loaders[name] = function (this: unknown, into, file) {
      const path = `${file}`; // the same text each time it is asked
      checkScript(path, SCRIPTS[name] === true && !endsWith(path, ".mts"));
      return apply(load, this, [into, path]);
    };
  }
  const { _compile: compile } = prototype;
  prototype._compile = function (this: unknown, text, file, format) {
    const path = `${file}`;
    checkScript(path, format !== "module");
    // Any other format lets Deno try whether the text is a module of ECMAScript.
    return apply(compile, this, [`${text}`, path, "commonjs"]);
  };
}

/** Throws if a file may not be loaded as a CommonJS module, or as data of one. */
function checkScript(path: string, isCommonJs: boolean): void {
  if (isSealed()) throw new Error(tooLate("a file"));
  if (!isReached(path)) {
    throw new Error(
      `Cannot load ${path} in a sandbox: expected a module of ECMAScript, or a package that the plugin names`,
    );
  }
  if (isCommonJs) return;
  throw new Error(`Cannot require ${path} in a sandbox: expected a CommonJS module, got one of ECMAScript`);
}

/** A stand-in for a module of Node that CommonJS modules require. */
function commonJsStandIn(url: string): Members {
  const names = EXPORTED[url] ?? [], stand: Members = {};
  for (let n = 0; n < names.length; n++) {
    // One that can also be called with `new`.
    stand[names[n]] = function () {
      throw new Error(refusal(url));
    };
  }
  return stand;
}

/**
 * Replaces what a module of Node exports, and imports it. Deno 2.9 takes a static import of some modules from its own list, past the hook. It
 * makes that module of this object when it is first imported, and ends the process if that is by a plugin with CommonJS modules.
 */
function disarm(name: string): void {
  const exported = builtin(name), refused = commonJsStandIn(name);
  for (const key of keysOf(exported)) Object.defineProperty(exported, key, { value: refused[key] });
  void import(name);
}
