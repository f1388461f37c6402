/**
 * The npm package in the projects of its users: what they write imports the library, the handler and the suites of plugins, and has a
 * plugin of its own. It must give the bytes of the sources on every runtime and from every bundler. To add one, add a line to PROJECTS.
 */
import { assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { withFolder } from "./hosts/deno/cli.ts";
import { digitsPack } from "./hosts/edge/digits_pack.ts";
import { installed, installPackage, node, onWorkers, output } from "./hosts/edge/runtimes.ts";

const ROOT = fromFileUrl(new URL("../", import.meta.url));
/** The tools, as their users install them. */
const vite = await installed("vite", "8.3.8"), esbuild = await installed("esbuild", "0.28.2");
const bun = await installed("bun", "1.4.5"), miniflare = await installed("miniflare", "4.20260730.0");

/** What a program imports. */
const IMPORTS: readonly (readonly [names: string, from: string])[] = [
  ["builtins, definePlugin, loadKernels, openSynthesizer, readPack, writePack", "@patchloom/patchloom"],
  ["handler", "@patchloom/patchloom/edge"],
  ["contextChecks", "@patchloom/patchloom/testing"],
];
/** What it does: synthesizes with its own context, asks the handler, and lists the checks of the context. */
const WORK = `
const below = definePlugin({
  api: 1,
  kind: "context",
  name: "below",
  about: "the pixel below the patch",
  options: {},
  create: () => ({ mask: (patch) => [{ dx: 0, dy: patch, weight: 0.5 }] }),
});
async function work(kernels, digits) {
  const pack = readPack(digits), plugins = builtins.with(below), hash = [];
  const packs = [pack, { ...pack, profile: { ...pack.profile, contexts: ["below"] } }];
  for (const pack of packs) {
    const steps = openSynthesizer(loadKernels(kernels), pack, plugins).synthesize({ class: 3, seed: 7, images: [0] });
    let step = steps.next();
    while (!step.done) step = steps.next();
    const sum = await crypto.subtle.digest("SHA-256", Uint8Array.from(step.value.images[0].pixels));
    hash.push(new Uint8Array(sum).slice(0, 4).join("."));
  }
  const answer = handler({ kernels, packs: [writePack(pack)] });
  const { status } = await answer(new Request("http://localhost/synth?class=3"));
  return [...hash, status, [...contextChecks(below)].length].join(" ");
}
`;
const imports = IMPORTS.map(([names, from]) => `import { ${names} } from "${from}";`).join("\n");
const requires = IMPORTS.map(([names, from]) => `const { ${names} } = require("${from}");`).join("\n");
/** A program for runtimes that read files. */
const MODULE = `${imports}
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
${WORK}
const wasm = fileURLToPath(import.meta.resolve("@patchloom/patchloom/kernels.wasm"));
console.log(await work(await WebAssembly.compile(await readFile(wasm)), await readFile("digits.loom")));
`;

/** A project: its files, and the way to what its program prints. */
interface Project {
  readonly here: boolean;
  readonly files: Readonly<Record<string, string>>;
  run(folder: string): Promise<string>;
}

const isNode = await node(19);
const PROJECTS: Readonly<Record<string, Project>> = {
  "Node, a module": {
    here: isNode,
    files: { "program.mjs": MODULE },
    run: (folder) => output("node", ["program.mjs"], folder),
  },
  "Node, CommonJS": {
    here: isNode,
    files: {
      "program.cjs": `${requires}
const { readFileSync } = require("node:fs");
${WORK}
const wasm = new WebAssembly.Module(readFileSync(require.resolve("@patchloom/patchloom/kernels.wasm")));
work(wasm, readFileSync("digits.loom")).then(console.log);
`,
    },
    run: (folder) => output("node", ["program.cjs"], folder),
  },
  "Bun": {
    here: isNode && bun !== undefined,
    files: { "program.mjs": MODULE },
    run: (folder) => output(join(folderOf(bun!), "bin/bun.exe"), ["program.mjs"], folder),
  },
  "esbuild": {
    here: isNode && esbuild !== undefined,
    files: {
      "program.js": `${imports}
import wasm from "@patchloom/patchloom/kernels.wasm";
import digits from "./digits.loom";
${WORK}
console.log(await work(await WebAssembly.compile(wasm), digits));
`,
    },
    async run(folder) {
      await bundle(folder, "--loader:.wasm=binary", "--loader:.loom=binary");
      return output("node", ["bundle.mjs"], folder);
    },
  },
  "Vite": {
    here: isNode && vite !== undefined,
    files: {
      "index.html": `<!doctype html><script type="module" src="./program.js"></script>`,
      "program.js": `${imports}
import wasm from "@patchloom/patchloom/kernels.wasm?url";
import digits from "./digits.loom?url";
${WORK}
const load = async (url) => new Uint8Array(await (await fetch(url)).arrayBuffer());
console.log(await work(await WebAssembly.compile(await load(wasm)), await load(digits)));
`,
      // The files become data in the program, and its entry asks no document, so that Node runs it.
      "vite.config.mjs": `export default {
  build: {
    target: "esnext",
    assetsInlineLimit: 1e9,
    modulePreload: false,
    rollupOptions: { output: { entryFileNames: "bundle.mjs" } },
  },
};
`,
    },
    async run(folder) {
      await output("node", [join(folderOf(vite!), "bin/vite.js"), "build", "--logLevel", "warn"], folder);
      return output("node", ["dist/bundle.mjs"], folder);
    },
  },
  "workerd": {
    here: isNode && esbuild !== undefined && miniflare !== undefined,
    files: {
      "program.js": `${imports}
import kernels from "./kernels.wasm";
import digits from "./digits.loom";
${WORK}
export default { fetch: async () => new Response(await work(kernels, new Uint8Array(digits)) + "\\n") };
`,
      "wrangler.toml": `main = "bundle.mjs"\ncompatibility_date = "2026-07-01"\ncompatibility_flags = []\n`,
    },
    async run(folder) {
      await bundle(folder, "--external:*.wasm", "--external:*.loom");
      await using host = await onWorkers(miniflare!, join(folder, ".."), "workerd");
      return await (await host.fetch("/")).text();
    },
  },
};

/** The folder of an installed package, from the path of its entry. */
function folderOf(entry: string): string {
  return /^.*\/node_modules\/[^/]+/.exec(entry)![0];
}

async function bundle(folder: string, ...flags: readonly string[]): Promise<void> {
  const words =
    "program.js --bundle --format=esm --platform=browser --target=es2022 --log-level=warning --outfile=bundle.mjs"
      .split(
        " ",
      );
  await output(join(folderOf(esbuild!), "bin/esbuild"), [...words, ...flags], folder);
}

Deno.test("the npm package in projects: the bytes of the sources", { ignore: !isNode }, async (t) => {
  await withFolder(async (folder) => {
    const installed = await installPackage(folder), pack = digitsPack(10);
    const write = async (name: string, files: Readonly<Record<string, string>>) => {
      const project = join(installed, name);
      await Deno.mkdir(project);
      await Deno.writeFile(join(project, "digits.loom"), pack);
      await Deno.copyFile(join(ROOT, "assembly/kernels.wasm"), join(project, "kernels.wasm"));
      for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(join(project, name), text);
      return project;
    };
    // The same on the sources: the configuration says where they are.
    const sources = `${imports}\n${WORK}
console.log(await work(await WebAssembly.compile(await Deno.readFile("kernels.wasm")), await Deno.readFile("digits.loom")));
`;
    const words = ["run", "--quiet", "--allow-read", "--config", join(ROOT, "deno.json"), "program.js"];
    const expected = await output(Deno.execPath(), words, await write("sources", { "program.js": sources }));
    for (const [name, { here, files, run }] of Object.entries(PROJECTS)) {
      await t.step({
        name,
        ignore: !here,
        fn: async () =>
          assertEquals(await run(await write(name.toLowerCase().replaceAll(/\W+/g, "_"), files)), expected),
      });
    }
  });
});
