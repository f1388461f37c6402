/**
 * That a sandbox gives what its lists name and no more: all that the runtime has is looked for in it, and each function that can be
 * reached there is called with what could lead outside.
 */
import { assert, assertEquals } from "@std/assert";
import { builtinModules } from "node:module";
import { DENO, GLOBALS, NODE_MODULES, PROCESS } from "../../../../hosts/deno/plugins/sandbox_lists.ts";
import { CONTEXT, inSandbox, OUTSIDE, PACKAGES, PRIOR } from "./run_in_sandbox.ts";

/** All that Node's builtin modules are imported by. */
const NODE = [...new Set(builtinModules.map((name) => `node:${name.replace(/^node:/, "")}`))];
Deno.test("a sandbox has the globals of its list, and the members of Deno and process of theirs", async () => {
  const { printed, ended } = await inSandbox({
    "x.ts": `
      const names = (object) => Object.getOwnPropertyNames(object).filter((name) => {
        try { object[name]; return true; } catch (error) { return !/^Cannot use .* in a sandbox$/.test(error.message); }
      });
      const usable = (object) => names(object).filter((name) => {
        if (typeof object[name] !== "function") return true;
        // A promise that a function rejects without arguments is no matter here.
        try { Promise.resolve(object[name]()).catch(() => {}); return true; } catch (error) {
          return !/^Cannot use .* in a sandbox$/.test(error.message);
        }
      });
      const above = [];
      for (let one = Object.getPrototypeOf(globalThis); one !== Object.prototype; one = Object.getPrototypeOf(one)) {
        above.push(...Object.getOwnPropertyNames(one));
      }
      console.log(JSON.stringify([names(globalThis), above, usable(Deno), usable(process)]));
      export default ${CONTEXT};`,
  });
  const [globals, above, deno, process]: string[][] = JSON.parse(printed[0]);
  const expected = [...GLOBALS, "console", "Deno", "navigator", "process"];
  assertEquals(globals.filter((name) => !expected.includes(name)), []);
  assertEquals(
    new Set(above),
    new Set(["constructor", "addEventListener", "removeEventListener", "dispatchEvent", "getParent"]),
  );
  assertEquals([deno.sort(), process.sort()], [[...DENO].sort(), [...PROCESS, "argv", "env", "noDeprecation"].sort()]);
  assertEquals(ended, "described");
});

Deno.test("a sandbox replaces every module of Node but those of its list, however it is imported", async () => {
  assert(NODE.includes("node:sqlite") && NODE.includes("node:fs"));
  const refused = NODE.filter((name) => !NODE_MODULES.includes(name.slice("node:".length)));
  const ways = (name: string, n: number): Record<string, string> => ({
    [`all${n}.js`]: `import * as all from "${name}"; export default all;`,
    [`bare${n}.js`]: `import * as all from "${name.replace("node:", "")}"; export default all;`,
    [`again${n}.js`]: `export * from "${name}"; export { default } from "${name}";`,
    [`late${n}.js`]: `export default await import("${name}");`,
  });
  const sources = Object.assign({}, ...refused.map(ways));
  const { printed, ended } = await inSandbox({
    ...sources,
    "x.ts": `
      const refused = ${JSON.stringify(refused)}, open = [];
      let closed = 0;
      for (const path of ${JSON.stringify(Object.keys(sources))}) {
        let all;
        try { all = await import("./" + path); } catch { continue; } // has no such export
        const name = refused[parseInt(path.replace(/\\D+/, ""))];
        for (const space of [all, all.default ?? {}, all.default?.default ?? {}]) for (const key of Object.keys(space)) {
          if (typeof space[key] === "object" && ["default", "module.exports"].includes(key)) continue;
          try { Promise.resolve(space[key]()).catch(() => {}); open.push(name + "." + key + " by " + path); } catch (error) {
            if (error.message === "Cannot use " + name + " in a sandbox") closed++;
            else open.push(name + "." + key + " by " + path);
          }
        }
      }
      console.log(JSON.stringify({ open, closed }));
      export default ${CONTEXT};`,
  });
  assertEquals(ended, "described");
  const { open, closed }: { open: string[]; closed: number } = JSON.parse(printed[0]);
  assertEquals(open, []);
  assert(closed > 3000, `${closed} functions`);
});

/** What could lead out, as statements; the error of each is expected. */
const DOORS: readonly (readonly [door: string, code: string])[] = [
  [
    "temporary files of a database",
    'new (await import("node:sqlite")).DatabaseSync(":memory:").exec("create table t (x)");',
  ],
  ["the same by CommonJS", 'require("node:sqlite").DatabaseSync(":memory:");'],
  ["the bundler", 'await Deno.bundle({ entrypoints: ["x.ts"], outputPath: "bundle.js" });'],
  ["the standard input", "Deno.stdin.readSync(new Uint8Array(100));"],
  ["the standard input by Node", '(await import("node:fs")).readSync(0, new Uint8Array(100));'],
  ["the standard input by a prompt", 'if (prompt("?")) throw 0;'],
  ["the standard output cut off", '(await import("node:fs")).ftruncateSync(1);'],
  ["the standard output closed", "Deno.stdout.close();"],
  ["the standard output by the console", 'console._stdout.write("x");'],
  ["the standard output by a process", 'process.stdout.write("x");'],
  ["a signal", 'Deno.kill(Deno.pid, "SIGTERM");'],
  ["an exit", "process.reallyExit(3);"],
  ["a builtin module by its function", 'process.getBuiltinModule("node:fs").readSync(0, new Uint8Array(1));'],
  ["internal bindings", 'process.binding("fs");'],
  ["another hook", "module.constructor.registerHooks({ resolve: (url) => ({ url, shortCircuit: true }) });"],
  ["a loader past the hook", 'module.constructor._load("node:fs").readSync(0, new Uint8Array(1));'],
  ["a loader of its own", 'module.constructor.createRequire("/")("node:fs").readSync(0, new Uint8Array(1));'],
  ["the runtime's own modules", 'await import("ext:core/ops");'],
  [
    "the same by a module of CommonJS",
    'module._compile(\'import "ext:core/mod.js";\', __dirname + "/x.mjs", "module");',
  ],
  ["a thread", "new threads.Worker('', { eval: true });"],
  ["a thread by reflection", "Reflect.construct(threads.Worker, ['', { eval: true }], Object);"],
  ["a channel to other threads", 'new threads.BroadcastChannel("x");'],
  [
    "a module in an address",
    'new (await import("data:text/javascript,export * from %22node:sqlite%22")).DatabaseSync("");',
  ],
];

Deno.test("a sandbox closes each door that was open", async () => {
  const tries = DOORS.map(([, code]) => {
    return `try { ${code}; said.push("open"); } catch (error) { said.push(error instanceof Error ? "closed" : "open"); }`;
  });
  const { printed, ended, files } = await inSandbox({
    "x.ts": `
      import reaching from "npm:reaching@1.0.0";
      import * as threads from "node:worker_threads";
      const { its: module, ask: require, folder: __dirname } = reaching, said = [];
      ${tries.join("\n")}
      console.log(JSON.stringify(said));
      export default ${CONTEXT};`,
  }, { packages: PACKAGES });
  assertEquals(ended, "described");
  const said: string[] = JSON.parse(printed[0]);
  assertEquals(DOORS.filter((_, n) => said[n] !== "closed"), []);
  assertEquals(files, ["secret.txt"]);
});

Deno.test("a plugin in a sandbox that replaces the language's own functions opens no door", async () => {
  const { printed, ended } = await inSandbox({
    "x.ts": `
      const owners = [Array, String, Object, Function, Promise, Map, Set, WeakMap, RegExp, JSON, Reflect, URL, URLSearchParams, Symbol, Error];
      const spaces = owners.flatMap((owner) => [owner, owner.prototype]).filter((owner) => owner !== undefined);
      spaces.push(Object.getPrototypeOf([][Symbol.iterator]()), Object.getPrototypeOf(new Map().entries()));
      const { ownKeys, getOwnPropertyDescriptor: of, defineProperty: define } = Reflect;
      const needed = new Set(["then", "constructor", "prototype", "length", "name"]);
      const print = console.log, text = JSON.stringify, open = [], write = (list, value) => { list[list.length] = value; };
      let tried = 0;
      for (const space of spaces) for (const key of ownKeys(space)) {
        const before = of(space, key);
        if (!before.configurable || typeof before.value !== "function" || needed.has(key)) continue;
        const name = String(key), n = tried++;
        for (const value of [() => { throw new Error("replaced"); }, () => true]) {
          globalThis.got = undefined;
          const address = "data:text/javascript,import * as all from 'fs'; globalThis.got = all; //" + n + value;
          let late;
          define(space, key, { ...before, value });
          const importing = import(address), dynamic = import("node:fs");
          for (let n = 0; n < 30; n++) await null;
          define(space, key, before);
          try { await importing; } catch {}
          try { late = await dynamic; } catch {}
          for (const all of [globalThis.got, late]) {
            try { if (all?.readFileSync) { all.readFileSync("/etc/hostname"); write(open, name); } } catch (error) {
              if (error.message !== "Cannot use node:fs in a sandbox") write(open, name);
            }
          }
        }
      }
      print(text({ open, tried }));
      export default ${CONTEXT};`,
  });
  assertEquals(ended, "described");
  const { open, tried }: { open: string[]; tried: number } = JSON.parse(printed[0]);
  assertEquals([open, tried > 150], [[], true]);
});

Deno.test("a plugin in a sandbox catches nothing of Node's modules by setters that all objects inherit", async () => {
  const keys = "_write _read _destroy connect listen address open kill send setRawMode Worker Socket ReadStream".split(
    " ",
  );
  const { printed, ended } = await inSandbox({
    "x.ts": `
      const caught = [], define = Reflect.defineProperty;
      const trap = (key) => define(Object.prototype, key, { configurable: true, set(value) {
        caught[caught.length] = key;
        define(this, key, { value, writable: true, configurable: true, enumerable: true });
      } });
      for (const key of ${JSON.stringify(keys)}) trap(key);
      ({}).send = 0;
      for (const name of ${JSON.stringify(NODE)}) await import(name).catch(() => {});
      for (const key of ${JSON.stringify(keys)}) delete Object.prototype[key];
      console.log(JSON.stringify(caught));
      export default ${CONTEXT};`,
  });
  assertEquals([ended, printed[0]], ["described", '["send"]']);
});

Deno.test("a plugin in a sandbox catches none of the runtime's own functions by methods that it replaces", async () => {
  const { printed, ended } = await inSandbox({
    "d.bin": "some bytes",
    "x.ts": `
      // Nothing here calls a method: they are all replaced.
      const caught = [], { apply, ownKeys, getOwnPropertyDescriptor: describe, getPrototypeOf } = Reflect;
      const note = (one, where) => {
        if (typeof one !== "function") return;
        const name = describe(one, "name")?.value;
        if (typeof name === "string" && name[0] + name[1] + name[2] === "op_") caught[caught.length] = where + " " + name;
      };
      const iterator = getPrototypeOf([][Symbol.iterator]()), generator = getPrototypeOf(async function* () {}.prototype);
      const owners = { Object, Function, Array, Promise, Map, Set, WeakMap, WeakRef, String, Symbol, Error, RegExp, ArrayBuffer,
        Uint8Array, TypedArray: getPrototypeOf(Uint8Array), DataView, ReadableStream, Response, Event, EventTarget };
      const replaced = (owner, object) => {
        for (const key of ownKeys(object)) {
          const { value, writable } = describe(object, key);
          if (typeof value !== "function" || key === "constructor") continue;
          try {
            object[key] = function (...values) {
              note(this, owner + "." + String(key));
              for (let i = 0; i < values.length; i++) note(values[i], owner + "." + String(key));
              return apply(value, this, values);
            };
          } catch {} // it cannot be replaced
        }
      };
      for (const [name, owner] of Object.entries(owners)) replaced(name, owner.prototype);
      for (const [name, owner] of Object.entries({ Object, Array, Promise, Reflect, JSON })) replaced(name, owner);
      replaced("iterator", iterator);
      replaced("generator", getPrototypeOf(generator));
      const file = new URL("./d.bin", import.meta.url), reader = (await fetch(file)).body.getReader();
      const { value } = await reader.read();
      await new Promise((resolve) => setTimeout(resolve, 1));
      await import("./other.ts").catch(() => {});
      console.log(new TextDecoder().decode(value), caught.length, caught[0]);
      export default ${CONTEXT};`,
  });
  assertEquals([ended, printed], ["described", ["some bytes 0 undefined"]]);
});

/** What a plugin can reach that is no part of the language: a list that this code leaves in `reached`. */
const REACH = `
  // The packages of this program are no part of the sandbox.
  const reached = [], seen = new Set([common.ask.cache]), skipped = new Set(["close", "self", "globalThis", "global", "common"]);
  const visit = (object, path, isListed) => {
    if (object === null || typeof object !== "object" && typeof object !== "function" || seen.has(object)) return;
    seen.add(object);
    if (typeof object === "function" && isListed) reached.push({ path, call: object });
    for (const key of Reflect.ownKeys(object)) {
      if (skipped.has(key)) continue; // end the worker; the same again; does not end
      const { value, get } = Reflect.getOwnPropertyDescriptor(object, key);
      let inner = value;
      try { inner = get ? object[key] : value; } catch {} // it belongs to instances, or is refused
      visit(inner, path + "." + String(key), isListed);
      if (get) visit(get, path + ".get " + String(key), isListed);
    }
    visit(Object.getPrototypeOf(object), path + ".__proto__", isListed);
  };
  // The language itself reaches nothing, and must stay whole: it is seen, but not listed.
  for (const name of LANGUAGE) if (name !== "globalThis") visit(globalThis[name], name, false);
  for (const value of [[][Symbol.iterator](), new Map().entries(), new Set().entries(), "".matchAll(/x/g), (function* () {})(),
    (async function* () {})(), async () => {}]) visit(value, "", false);
  visit(globalThis, "globalThis", true);
  for (const [name, space] of Object.entries(spaces)) visit(space, name, true);
`;

Deno.test("all functions that a plugin in a sandbox can reach, called with files, streams, addresses, signals and code", async () => {
  let visits = 0;
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, () => {
    visits++;
    return new Response();
  });
  const language = GLOBALS.slice(0, GLOBALS.indexOf("unescape") + 1), url = `http://127.0.0.1:${server.addr.port}/`;
  assertEquals(language[0], "AggregateError");
  const { printed, files } = await inSandbox(
    {
      "x.ts": `
      import common from "npm:reaching@1.0.0";
      ${NODE_MODULES.map((name, n) => `import * as node${n} from "node:${name}";`).join("\n")}
      import * as threads from "node:worker_threads";
      const spaces = { common, threads, ${NODE_MODULES.map((name, n) => `"node:${name}": node${n}`).join(", ")} };
      const LANGUAGE = ${JSON.stringify(language)};
      ${REACH}
      const print = console.log, text = JSON.stringify, { apply, construct } = Reflect;
      const folder = import.meta.dirname, quiet = () => {}, buffer = new Uint8Array([120, 10]);
      const files = ["written.txt", "../secret.txt", "../written.txt", "/dev/stdin"], given = [
        [], ...files.map((path) => [path]), ...files.map((path) => [path, "x"]), ...[0, 1, 2].map((stream) => [stream]),
        ...[0, 1, 2].map((stream) => [stream, buffer]), [1, 0], [0, 1], ["${url}"], ["${url}", {}], [{ port: ${server.addr.port} }],
        [${server.addr.port}, "127.0.0.1"], ["SIGTERM", quiet], ["touch", ["written.txt"]], ["touch written.txt"],
        [{ fd: 1 }], [{ path: "written.txt" }], ["node:fs"], ["import('node:fs')"], [buffer, "written.txt"], [quiet],
      ];
      // What a loader of CommonJS modules takes: a module and a path, or a text, its path and its format.
      const holder = Object.create(Object.getPrototypeOf(common.its)), nothing = {}, taken = [];
      Object.assign(holder, { id: "holder", exports: nothing, children: [], loaded: false });
      for (const name of ${JSON.stringify(Object.keys(OUTSIDE))}) {
        const path = folder + "/../" + name;
        given.push([path], [holder, path]);
        for (const format of ["module", "commonjs", undefined]) {
          given.push(['import all from "../' + name + '"; globalThis.isLoaded = all;', folder + "/x.js", format]);
        }
      }
      for (const name of ["log", "error", "warn", "info", "debug", "trace", "table", "dir"]) console[name] = quiet;
      addEventListener("unhandledrejection", (event) => event.preventDefault());
      let calls = 0;
      for (const { path, call } of reached) {
        for (const values of given) {
          for (const use of [() => apply(call, undefined, values), () => construct(call, values)]) {
            try { Promise.resolve(use()).catch(quiet); } catch {}
            calls++;
            if (holder.exports !== nothing || globalThis.isLoaded) taken.push([path, text(values.slice(1))]);
            holder.exports = nothing;
            globalThis.isLoaded = undefined;
          }
        }
      }
      print(text({ calls, taken, reached: reached.map(({ path }) => path) }));
      export default ${CONTEXT};`,
    },
    { linger: 1000, packages: PACKAGES },
  ); // what they do later may fail, and must do nothing either
  assertEquals([visits, files], [0, ["secret.txt"]]);
  const { calls, taken, reached }: { calls: number; taken: unknown[]; reached: string[] } = JSON.parse(printed.at(-1)!);
  assertEquals(taken, []);
  assert(
    calls > 20_000 && reached.includes("globalThis.fetch") && reached.includes("globalThis.Deno.stat"),
    `${calls} calls`,
  );
});

Deno.test("a plugin in a sandbox gets packages while it is loaded; later their names would carry data out", async () => {
  const late = [
    "npm:late-secret",
    "jsr:@late/secret",
    "data:text/javascript,import 'npm:late-secret'",
    "NPM:late-secret",
  ];
  const importing = (names: readonly string[]) =>
    `for (const name of ${JSON.stringify(names)}) await import(name).catch((error) => console.log(error.message));`;
  const asked: string[] = [];
  const proxy = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const counting = (async () => {
    for await (const connection of proxy) {
      const start = new Uint8Array(200), length = await connection.read(start);
      asked.push(new TextDecoder().decode(start.subarray(0, length ?? 0)).split("\r\n")[0]);
      connection.close();
    }
  })().catch(() => {}); // closed
  const address = `http://127.0.0.1:${(proxy.addr as Deno.NetAddr).port}`;
  const env = {
    HTTP_PROXY: address,
    HTTPS_PROXY: address,
    http_proxy: address,
    https_proxy: address,
    NO_PROXY: "",
    no_proxy: "",
  };
  const prior = PRIOR(`(async () => { ${importing(late)} })();`);
  const { printed } = await inSandbox({ "x.ts": `export default ${prior};` }, { env, linger: 1000 });
  assertEquals(printed, late.map((name) => `Cannot import ${name} in a sandbox once plugins are loaded`));
  assertEquals(asked, []);
  await inSandbox({ "x.ts": `${importing(["npm:early-" + "name"])} export default ${CONTEXT};` }, { env });
  assert(asked.length > 0, "the proxy is asked for packages");
  proxy.close();
  await counting;
});
