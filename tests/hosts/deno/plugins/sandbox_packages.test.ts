/** What a plugin in a sandbox gets of packages and of CommonJS: what its texts name, however it asks for more. */
import { assert, assertEquals } from "@std/assert";
import { builtinModules, createRequire } from "node:module";
import { NODE_MODULES } from "../../../../hosts/deno/plugins/sandbox_lists.ts";
import { CONTEXT, inSandbox, PACKAGES, PRIOR } from "./run_in_sandbox.ts";

/** Begins a plugin that has what modules of a package see, and the paths of packages, and prints the outcome of what it tries. */
const BEGIN = `
  import reaching from "npm:reaching@1.0.0";
  const { its: module, ask: require, load } = reaching, Module = Object.getPrototypeOf(module);
  const own = reaching.folder, cache = own.slice(0, -"/reaching/1.0.0".length), other = cache + "/private/1.0.0";
  const holder = () => Object.assign(Object.create(Module), { id: "x", exports: {}, children: [], loaded: false });
  const said = [], trying = async (tries) => {
    for (const one of tries) try { said.push(["open", await one()]); } catch (error) { said.push(["closed", String(error.message)]); }
  };`;

/** Ways to a package that no text names; each gives something if it is open. */
const WAYS: readonly string[] = [
  'require(other + "/package.json")',
  'require(other + "/index.js")',
  'require("../../private/1.0.0/index.js")',
  'require("../../private/1.0.0")',
  'require("reaching/../../private/1.0.0/index.js")',
  'require("private")',
  'require(cache + "/private/registry.json")',
  'require.resolve(other + "/index.js")',
  'require.resolve("./index.js", { paths: [other] })',
  '(() => { const at = holder(); require.extensions[".json"](at, other + "/package.json"); return at.exports; })()',
  '(() => { const at = holder(); require.extensions[".js"](at, other + "/index.js"); return at.exports; })()',
  '(() => { const at = holder(); require.extensions[".json"](at, own + "/../../private/1.0.0/package.json"); return at.exports; })()',
  '(() => { const at = holder(); at.load(other + "/index.js"); return at.exports; })()',
  'Object.assign(holder(), { filename: other + "/x.js", path: other, paths: [cache] }).require("./index.js")',
  '(() => { const at = holder(); at._compile("module.exports = import(\'./index.js\')", other + "/x.js"); return at.exports; })()',
  '(() => { const at = holder(); at._compile("module.exports = import(" + JSON.stringify(other + "/index.js") + ")", own + "/x.js"); return at.exports; })()',
  "module.constructor._stat(other)",
  'new module.constructor("x").load(other + "/index.js")',
  'module.constructor._load(other + "/index.js")',
  'load(other + "/index.js")',
  'load("private")',
  'load("npm:" + "private")',
  'import("npm:" + "private")',
  'import("npm:" + "private/package.json", { with: { type: "json" } })',
  'import("file://" + other + "/index.js")',
  'import("file://" + other + "/package.json", { with: { type: "json" } })',
  'import("file://" + cache + "/private/registry.json", { with: { type: "json" } })',
  'import("file://" + own + "/../../private/1.0.0/index.js")',
  'import("file://" + own + "/%2e%2e/%2e%2e/private/1.0.0/index.js")',
  'import("file://" + own + "/..%2f..%2fprivate%2f1.0.0%2findex.js")',
  'import("file://" + own + "/..%5c..%5cprivate%5c1.0.0%5cindex.js")',
];

Deno.test("a sandbox gives no package but those that a text of the plugin names, and these whole", async () => {
  const { printed, ended } = await inSandbox({
    "x.ts": `${BEGIN}
      await trying([${WAYS.map((way) => `() => ${way}`).join(",\n")}]);
      const { inner } = reaching, texts = [];
      // What Deno hands out as it is, without running it, is the text of a module that throws.
      for (const type of ["text", "bytes"]) for (const url of ["npm:" + "private/index.js", "file://" + other + "/index.js"]) {
        const { default: got } = await import(url, { with: { type } });
        texts.push(typeof got === "string" ? got : new TextDecoder().decode(got));
      }
      const same = [await import(own + "/inner.js"), await load("./inner.js"), await import("npm:reaching@1.0.0/inner.js")];
      console.log(JSON.stringify({ said, texts, inner: [inner, require("./inner"), ...same.map((one) => one.default)] }));
      export default ${CONTEXT};`,
  }, { packages: PACKAGES });
  assertEquals(ended, "described");
  const { said, texts, inner }: { said: [string, string][]; texts: string[]; inner: string[] } = JSON.parse(printed[0]);
  assertEquals(WAYS.flatMap((way, n) => said[n][0] === "closed" ? [] : [[way, said[n][1]]]), []);
  assertEquals(said.length, WAYS.length);
  for (const text of texts) assert(/^throw new Error\("Cannot import /.test(text), text);
  assertEquals(inner, Array(5).fill("inner"));
});

Deno.test("a sandbox runs no CommonJS module of the plugin's folder, and says so in a sentence", async () => {
  const common = "module.exports = { about: require };";
  for (const name of ["c.cjs", "c.cts"]) {
    for (const first of [`import c from "./${name}";`, `const c = (await import("./${name}")).default;`]) {
      const { ended } = await inSandbox({
        "x.ts": `${first} console.log(c); export default ${CONTEXT};`,
        [name]: common,
      });
      assert(ended.startsWith("Cannot load the plugin ./x.ts: Cannot load "), ended);
      assert(ended.includes(`${name} in a sandbox: expected a module of ECMAScript`), ended);
    }
  }
});

Deno.test("a sandbox gives the same of each module of Node, however it is imported", async () => {
  const node = [...new Set(builtinModules.map((name) => name.replace(/^node:/, "")))];
  const given = NODE_MODULES.map((name, n) =>
    `import * as full${n} from "node:${name}"; import * as bare${n} from "${name}";`
  );
  const { printed, ended } = await inSandbox({
    "x.ts": `${BEGIN}
      ${given.join("\n")}
      const ways = { ${
      NODE_MODULES.map((name, n) => `"${name}": [full${n}, bare${n}]`).join(", ")
    } }, different = [], open = [];
      for (const [name, spaces] of Object.entries(ways)) {
        const all = [...spaces, await import("node:" + name), await import(name), require("node:" + name), require(name)];
        const [first] = all, names = Object.keys(first).filter((key) => key !== "default" && key !== "module.exports");
        for (const [n, one] of all.entries()) for (const key of names) if (one[key] !== first[key]) different.push([name, key, n >= 4]);
        if (names.length === 0) different.push(name);
      }
      for (const name of ${
      JSON.stringify(node.filter((name) => !NODE_MODULES.includes(name)))
    }) for (const at of [name, "node:" + name]) {
        let all = {};
        try { all = require(at); } catch {} // Deno has none of that name
        for (const key of Object.keys(all)) for (const use of [() => all[key](), () => new all[key]()]) {
          try { use(); open.push([name, key]); } catch (error) {
            if (error.message !== "Cannot use node:" + name + " in a sandbox") open.push([name, key, error.message]);
          }
        }
      }
      await trying(["path", "node:path", "fs"].map((name) => () => process.getBuiltinModule(name)));
      console.log(JSON.stringify({ different, open, said }));
      export default ${CONTEXT};`,
  }, { packages: PACKAGES });
  assertEquals(ended, "described");
  const refused = ["closed", "Cannot use process.getBuiltinModule in a sandbox"],
    require = createRequire(import.meta.url);
  const different: unknown[] = []; // as they are without a sandbox
  for (const name of NODE_MODULES) {
    const all = await import(`node:${name}`), required = require(`node:${name}`);
    for (const key of Object.keys(all)) {
      if (/^(default|module\.exports)$/.test(key) || all[key] === required[key]) continue;
      different.push([name, key, true], [name, key, true]); // by both names
    }
  }
  const sorted = (lists: unknown[]) => lists.map(String).sort();
  const { different: inside, ...more } = JSON.parse(printed[0]);
  assertEquals(sorted(inside), sorted(different));
  assertEquals(more, { open: [], said: [refused, refused, refused] });
});

/** Ways to load another module that a package has once the plugin is loaded. */
const LATE_LOADS: readonly string[] = [
  'require("./inner")',
  "require(name)",
  "require(path)",
  "module.require(name)",
  "holder().load(path)",
  'holder()._compile("0", path)',
  'holder()._compile("import(\'npm:compiled\')", path, "module")',
  ...["js", "cjs", "json", "mjs", "node", "wasm"].map((kind) => `require.extensions[".${kind}"](holder(), path)`),
  "load(name)",
];

Deno.test("a sandbox loads no file of a package any more once plugins are loaded", async () => {
  const code = `if (!globalThis.isTried) {
    globalThis.isTried = true;
    const name = "./late" + ".js", path = own + name.slice(1);
    trying([${LATE_LOADS.map((way) => `() => ${way}`).join()}]).then(() => console.log(JSON.stringify(said)));
  }`;
  const packages = { ...PACKAGES, "reaching/1.0.0/late.js": "module.exports = 1;" };
  const { printed } = await inSandbox({ "x.ts": `${BEGIN} export default ${PRIOR(code)};` }, { packages, linger: 300 });
  const said: [string, string][] = JSON.parse(printed[0]);
  assertEquals(said.filter(([how, why]) => how !== "closed" || !/in a sandbox once plugins are loaded$/.test(why)), []);
  assertEquals(said.length, LATE_LOADS.length, JSON.stringify(said));
});
