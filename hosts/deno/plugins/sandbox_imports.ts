/** What modules in a sandbox may import. */
import module from "node:module";
import { BroadcastChannel, Worker } from "node:worker_threads";
import { isSealed } from "./import_seal.ts";
import { COMMON_JS, NODE_MODULES } from "./sandbox_lists.ts";

/** What the hook uses, taken before plugins are loaded, which could replace it. */
const startsWith = Function.prototype.call.bind(String.prototype.startsWith) as (
  text: string,
  start: string,
) => boolean;
const endsWith = Function.prototype.call.bind(String.prototype.endsWith) as (text: string, end: string) => boolean;
const slice = Function.prototype.call.bind(String.prototype.slice) as (
  text: string,
  from: number,
  to: number,
) => string;
const indexOf = Function.prototype.call.bind(String.prototype.indexOf) as (text: string, part: string) => number;
const encode = encodeURIComponent, quoted = JSON.stringify, keysOf = Object.keys;
const builtin = process.getBuiltinModule as (name: string) => object;

/**
 * The addresses of modules that are loaded. The text of a `data:` or `blob:` module could name any file as its source map, and those of
 * `ext:` are the runtime's own.
 */
const LOADED = ["file:", "npm:", "jsr:", "https:", "http:"];
/** The endings of files that CommonJS modules may require. */
const SCRIPTS: Readonly<Record<string, boolean>> = Object.assign(Object.create(null), {
  ".js": true,
  ".cjs": true,
  ".json": true,
});
/** What plugins call the library, which is loaded before them. */
const LIBRARY = "@patchloom/patchloom";
/** The modules of Node that are given. */
const GIVEN = Object.create(null) as Record<string, boolean>;
for (const name of NODE_MODULES) GIVEN[`node:${name}`] = true;

/**
 * Keeps imports to files, packages and the modules of Node that compute. Other modules of Node become stand-ins, whose exports
 * throw: packages import many modules that they seldom use.
 *
 * A static import goes on in spite of an error of a hook, and plugins can make all that they reach throw: so this hook throws none.
 */
export function confineImports(): void {
  module.registerHooks({
    resolve(specifier, context, next) {
      let source: string;
      try {
        if (isSealed() && GIVEN[specifier] !== true && specifier !== LIBRARY) {
          source = throws(tooLate(specifier));
        } else {
          const resolved = next(specifier, context), { url } = resolved;
          // A name of no package was taken for a fragment of the module itself, which then waits for itself.
          if (startsWith(specifier, "#") && endsWith(url, specifier)) {
            throw new Error(`Cannot import ${specifier}: expected the name of a package or a path`);
          }
          if (GIVEN[url] === true || isLoaded(url)) return resolved;
          source = startsWith(url, "node:")
            ? standIn(url)
            : throws(`Cannot import ${schemeOf(url)} addresses in a sandbox`);
        }
      } catch (error) {
        source = throws(messageOf(error));
      }
      return { url: `data:text/javascript,${source}`, shortCircuit: true };
    },
  });
  confineCommonJs();
  for (const constructor of [BroadcastChannel, Worker]) disarm(constructor);
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

/** The source of a module that throws. */
function throws(message: string): string {
  return encode(`throw new Error(${quoted(message)});`);
}

/** The source of a module with the exports of a module of Node. */
function standIn(url: string): string {
  const names = keysOf(builtin(url));
  let exported = "", members = "";
  for (let n = 0; n < names.length; n++) {
    const name = quoted(names[n]);
    members += `${name}: no, `;
    if (name !== '"default"') exported += `no as ${name}, `;
  }
  return encode(`function no() { throw new Error(${quoted(refusal(url))}); }
export { ${exported} };
export default { ${members} };`);
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
  _resolveFilename(name: string, ...more: unknown[]): string;
  readonly _cache: Readonly<Record<string, { readonly exports: unknown }>>;
  readonly _extensions: Members;
  readonly prototype: Members;
}

type Members = Record<string, (...given: unknown[]) => unknown>;

/** Does the same for CommonJS modules, which see `Module` as their `module.constructor`. */
function confineCommonJs(): void {
  const statics = module as unknown as Loader & Record<string, unknown>;
  for (const name of Object.getOwnPropertyNames(statics)) if (!COMMON_JS.includes(name)) delete statics[name];
  const isBuiltin = module.isBuiltin, { _load: load, _resolveFilename: fileOf, _cache: loaded } = statics;
  const apply = Reflect.apply, hasOwn = Object.hasOwn;
  statics._load = function (this: unknown, given, ...more) {
    const name = `${given}`, url = startsWith(name, "node:") ? name : `node:${name}`;
    if (isBuiltin(name)) return GIVEN[url] === true ? apply(load, this, [name, ...more]) : commonJsStandIn(url);
    if (!isSealed()) return apply(load, this, [name, ...more]);
    const file = apply(fileOf, statics, [name, ...more]) as string;
    if (!hasOwn(loaded, file)) throw new Error(tooLate(name));
    return loaded[file].exports;
  };
  refuseModules(statics);
  // What loads a file without `_load`.
  for (const name of keysOf(statics._extensions)) untilSealed(statics._extensions, name);
  for (const name of ["load", "_compile"]) untilSealed(statics.prototype, name);
}

/**
 * Keeps CommonJS modules from loading modules of ECMAScript. Deno 2.9 loads these, and all that they import, with the permissions of the
 * main process. Native modules need a permission that a sandbox does not have.
 */
function refuseModules({ _extensions: loaders, prototype }: Loader): void {
  const apply = Reflect.apply, { ".js": loadScript } = loaders, { _compile: compile } = prototype;
  const refuse = (name: string) => {
    throw new Error(`Cannot require ${name} in a sandbox: expected a CommonJS module, got one of ECMAScript`);
  };
  for (const name of keysOf(loaders)) if (!SCRIPTS[name]) loaders[name] = (_, file) => refuse(`${file}`);
  loaders[".js"] = function (this: unknown, into, file) {
    const path = `${file}`; // the same text each time it is asked
    return endsWith(path, ".mts") ? refuse(path) : apply(loadScript, this, [into, path]);
  };
  prototype._compile = function (this: unknown, text, file, format) {
    const path = `${file}`;
    // Any other format lets Deno try whether the text is a module of ECMAScript.
    return format === "module" ? refuse(path) : apply(compile, this, [`${text}`, path, "commonjs"]);
  };
}

/** A stand-in for a module of Node that CommonJS modules require. */
function commonJsStandIn(url: string): object {
  const names = keysOf(builtin(url)), stand: Members = {};
  for (let n = 0; n < names.length; n++) {
    stand[names[n]] = () => {
      throw new Error(refusal(url));
    };
  }
  return stand;
}

/** Lets a method throw once plugins are loaded. */
function untilSealed(methods: Members, name: string): void {
  const method = methods[name], apply = Reflect.apply;
  methods[name] = function (this: unknown, ...given) {
    if (isSealed()) throw new Error(tooLate("a file"));
    return apply(method, this, given);
  };
}

/**
 * Keeps a class from making objects. Deno 2.9 takes a static import of `node:worker_threads` from its own list, past the hook, and
 * what a module exports cannot be removed. A derived class calls its prototype first, which then can never be changed back.
 */
function disarm(constructor: unknown): void {
  class Refused {
    constructor() {
      throw new Error("Cannot start a thread in a sandbox");
    }
  }
  Object.preventExtensions(Object.setPrototypeOf(constructor, Refused));
}
