import { assert, assertEquals, assertNotEquals, assertRejects, assertThrows } from "@std/assert";
import { dirname, join, toFileUrl } from "@std/path";
import { confined } from "../../../../hosts/deno/plugins/confine.ts";
import { openSources } from "../../../../hosts/deno/plugins/open_plugins.ts";
import { codeHash, type Lock, MAX_BYTES } from "../../../../hosts/deno/plugins/plugin_code.ts";
import { plan } from "../../../../core/plan.ts";
import { digits } from "../../../../datasets/profiles/digits.ts";
import { codesOf } from "../../../../pipelines/synthesis/run_record.ts";
import { contextSource } from "./plugin_sources.ts";
import { withFolder } from "../with_folder.ts";

const FILES = {
  "plugin.ts": `import { more } from "./inside/more.ts";
    import weights from "../data/weights.json" with { type: "json" };
    import { zip } from "npm:fflate@^0.8";
    export const text = "./no/such/file", self = "./plugin.ts";`,
  "inside/more.ts": 'export const more = new URL("./table.bin", import.meta.url);',
  "inside/table.bin": "table",
  "../data/weights.json": "[1]",
  "unused.ts": "unused",
};
const LOCK: Lock = { specifiers: { "npm:fflate@^0.8": "0.8.2" }, remote: { "https://example.com/x.ts": "abc" } };

async function hashIn(folder: string, files: Readonly<Record<string, string>>, lock = LOCK): Promise<string> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, "own", name);
    await Deno.mkdir(dirname(path), { recursive: true });
    await Deno.writeTextFile(path, content);
  }
  return await codeHash({ url: toFileUrl(join(folder, "own/plugin.ts")).href }, lock);
}

Deno.test("codeHash: every file and version that the code names changes it; where its folder is does not", async () => {
  await withFolder(async (folder) => {
    const first = await hashIn(join(folder, "a"), FILES);
    assertEquals(await hashIn(join(folder, "b"), FILES), first);
    assertEquals(await hashIn(join(folder, "c"), { ...FILES, "unused.ts": "other" }), first);
    for (const name of ["plugin.ts", "inside/more.ts", "inside/table.bin", "../data/weights.json"] as const) {
      assertNotEquals(await hashIn(join(folder, "d"), { ...FILES, [name]: `${FILES[name]} ` }), first, name);
    }
    const newer = { specifiers: { "npm:fflate@^0.8": "0.8.3" } };
    assertNotEquals(await hashIn(join(folder, "a"), FILES, newer), first);
  });
});

Deno.test("codeHash: a module counts however its path is spelled", async () => {
  await withFolder(async (folder) => {
    const other = toFileUrl(join(folder, "own/h.ts")).href;
    const spellings = [
      "./h.ts",
      "./h.ts?1",
      "./h.ts#1",
      "./%68.ts",
      ".//h.ts",
      "././h.ts",
      "\\u002e/h.ts",
      "./\\x68.ts",
      "./\\u{68}.ts",
      "./\\h.ts",
      "./\\th\\n\\u{a}\\x0d.ts", // addresses leave tabs and line feeds out
    ];
    for (const spelling of [...spellings, other, join(folder, "own/h.ts"), `${other}?1`.replace("file:", "FILE:")]) {
      for (const quote of [`"`, "'", "`"]) {
        // An apostrophe in a comment begins no text that hides the next one.
        const code = `/* don't */ const { h } = await import(${quote}${spelling}${quote}); // isn't it`;
        const one = await hashIn(folder, { "plugin.ts": code, "h.ts": "export const h = 1;" });
        const two = await hashIn(folder, { "plugin.ts": code, "h.ts": "export const h = 2;" });
        assertNotEquals(one, two, code);
      }
    }
    const odd = String.raw`import "./\u{ffffffff}"; import "./%"; import "./%2F"; "file:"; "./` + "\\";
    await hashIn(folder, { "plugin.ts": odd });
  });
});

Deno.test("codeHash: files count that are named without a path, by require, by JSX, and by coded letters", async () => {
  // The code of the plugin, of the file that it names, and what else is there.
  const cases: readonly [code: string, named: string, more?: Readonly<Record<string, string>>][] = [
    ['import W from "./sub%2fm.js";', "sub/m.js"],
    ['import W from "./sub%2Fm.js?1";', "sub/m.js"],
    ['import W from "./%zz%41.js";', "%zzA.js"], // what is no code stays
    ["/** @jsxImportSource ./j */ const W = <a/>;", "j/jsx-runtime"],
    ["/** @jsxImportSource ./j */ const W = <a/>;", "j/jsx-dev-runtime.js"],
    ['require("./sub")', "sub/index.js"],
    ['require("./sub")', "sub/lib/main.js", { "sub/package.json": '{"main":"lib/main"}' }],
    ['require("./c.cjs")', "sub/index.js", { "c.cjs": 'module.exports = require("./sub");' }],
    ['require("./more")', "sub/m.js", { more: 'module.exports = require("./sub/m");' }],
    ['require("other")', "node_modules/other/index.js"],
    ['require("other/part")', "node_modules/other/part.js"],
    ['import "#inner";', "sub/inner.js", { "package.json": '{"imports":{"#inner":"./sub/inner.js"}}' }],
    ['new URL("m.txt", import.meta.url)', "m.txt"],
    ['import "./up.JS";', "m.bin", { "up.JS": 'new URL("m.bin", import.meta.url)' }],
  ];
  for (const [code, named, more] of cases) {
    await withFolder(async (folder) => {
      const files = { "plugin.ts": code, [named]: "one", ...more };
      const one = await hashIn(folder, files), two = await hashIn(folder, { ...files, [named]: "two" });
      assertNotEquals(one, two, `${code} ${named}`);
      assertEquals(await hashIn(folder, { ...files, "sub/unused.js": "1" }), one, code);
    });
  }
});

Deno.test("codeHash: modules in UTF-16 are read as Deno reads them", async () => {
  await withFolder(async (folder) => {
    const code = 'export { h } from "./h.ts";', plugin = join(folder, "own/plugin.ts");
    await Deno.mkdir(dirname(plugin));
    for (const isLittle of [true, false]) {
      const bytes = new DataView(new ArrayBuffer(2 * code.length + 2));
      Array.from(`\ufeff${code}`, (letter, i) => bytes.setUint16(2 * i, letter.charCodeAt(0), isLittle));
      const hashes: string[] = [];
      for (const value of [1, 2]) {
        await Deno.writeTextFile(join(folder, "own/h.ts"), `export const h = ${value};`);
        await Deno.writeFile(plugin, new Uint8Array(bytes.buffer));
        assertEquals((await import(`${toFileUrl(plugin).href}?${isLittle}`)).h, 1); // so Deno does read it
        hashes.push(await codeHash({ url: toFileUrl(plugin).href }));
      }
      assertNotEquals(hashes[0], hashes[1]);
    }
  });
});

Deno.test("codeHash: of an address the version or the sum that the lock file has", async () => {
  const hash = (url: string, lock = LOCK) => codeHash({ url }, lock);
  assertNotEquals(await hash("https://example.com/x.ts"), await hash("https://example.com/x.ts", {}));
  assertEquals(await hash("jsr:@some/prior@1"), await hash("jsr:@some/prior@1", {}));
  assertNotEquals(await hash("jsr:@some/prior@1"), await hash("jsr:@some/prior@2"));
});

/** A module of WebAssembly that imports `g` from a path, and exports it. */
function importing(path: string): Uint8Array<ArrayBuffer> {
  const text = (one: string) => [one.length, ...new TextEncoder().encode(one)];
  const section = (id: number, ...bytes: number[]) => [id, bytes.length, ...bytes];
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, 1, 0x60, 0, 1, 0x7f),
    ...section(2, 1, ...text(path), ...text("g"), 0, 0),
    ...section(7, 1, ...text("g"), 0, 0),
  ]);
}

Deno.test("confined: a sandbox reads no file of the plugin's folder that its sum leaves out, however it is named", async () => {
  const context = (before: string, weight = "W") =>
    `${before}
    export default { api: 1, kind: "context", name: "x", about: String(${weight}), options: {}, create: () => ({ mask: () => [] }) };`;
  const named = 'import W from "./sub/m.js";',
    jsx = "export const jsx = (_, { href }) => import(href), jsxs = jsx, Fragment = 0;";
  const ways: readonly [code: string, more?: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>][] = [
    [named],
    ['const W = (await import("./sub" + "/m.js")).default;'],
    ['import { g } from "./a.wasm"; const W = g();', { "a.wasm": importing("./sub/m.js") }],
    [
      '/** @jsxImportSource ./j */ const W = (await (<a href="../s&#117;b/m.js"/>)).default;',
      { "j/jsx-runtime": jsx },
    ],
    ['const W = Deno.readTextFileSync(new URL(["sub", "m.js"].join("/"), import.meta.url));'],
    ['const W = await (await fetch(new URL(["sub", "m.js"].join("/"), import.meta.url))).text();'],
    ['const W = [...Deno.readDirSync(new URL("sub", import.meta.url))].length;'],
    ['const W = Deno.statSync(new URL(["sub", "m.js"].join("/"), import.meta.url)).size;'],
    ['import W from "./b";', { b: `${" ".repeat(2 ** 20)}\nexport { default } from "./sub/m.js";` }],
  ];
  await withFolder(async (folder) => {
    for (const [n, [code, more = {}]] of ways.entries()) {
      const own = join(folder, `${n}`), plugin = join(own, "p.tsx"), url = toFileUrl(plugin).href;
      for (
        const [name, content] of Object.entries({
          "p.tsx": context(code),
          "sub/m.js": "export const g = () => 1; export default 1;",
          ...more,
        })
      ) {
        await Deno.mkdir(dirname(join(own, name)), { recursive: true });
        await Deno.writeFile(
          join(own, name),
          typeof content === "string" ? new TextEncoder().encode(content) : content,
        );
      }
      const open = () => openSources([confined({ specifier: `./${n}.tsx`, url })], true);
      if (code === named) assert((await open()).registry.find("context", "x"));
      else await assertRejects(open, Error, "it asked for read access", code);
    }
    // A worker that was started before the code named a file reads it, too.
    const early = { specifier: "./early.tsx", url: toFileUrl(join(folder, "0/p.tsx")).href, files: [] };
    assert((await openSources([early], true)).registry.find("context", "x"));
    const sparse = join(folder, "0/package.json"),
      source = { specifier: "./p", url: toFileUrl(join(folder, "0/p.tsx")).href };
    await Deno.writeTextFile(sparse, "");
    await Deno.truncate(sparse, 5 * 2 ** 30);
    assertThrows(() => confined(source), Error, `its code has more than ${MAX_BYTES} bytes`);
    assertEquals((await codeHash(source)).length, 64);
  });
});

Deno.test("openSources: a run depends on the code of all plugins that share its workers", async () => {
  await withFolder(async (folder) => {
    const source = (name: string) => ({ specifier: `./${name}.ts`, url: toFileUrl(join(folder, `${name}.ts`)).href });
    const write = (name: string, more = "") =>
      Deno.writeTextFile(join(folder, `${name}.ts`), contextSource(name) + more);
    const codes = async () => {
      const { registry } = await openSources([source("one"), source("two")], false);
      return codesOf(plan({ ...digits, contexts: ["one"] }, registry))!;
    };
    await Promise.all([write("one"), write("two")]);
    const first = await codes();
    await write("two", "// it could change what `one` gets, such as Array.prototype");
    const second = await codes();
    assertEquals([Object.keys(first), first["context one"]], [["context one", "context two"], second["context one"]]);
    assertNotEquals(first["context two"], second["context two"]);
    const { registry } = await openSources([source("two")], false);
    assertEquals(codesOf(plan(digits, registry)), undefined, "it is not loaded for a plan that does not use it");
  });
});
