/** The npm package: what its users install. */
import { get } from "node:http";
import { assert, assertEquals } from "@std/assert";
import { decode } from "fast-png";
import { fromFileUrl, join } from "@std/path";
import type { QueueLoad } from "../hosts/edge/turns.ts";
import { openSynthesizer } from "../pipelines/synthesis/synthesizer.ts";
import { readPack } from "../datasets/formats/pack.ts";
import { builtins } from "../plugins/mod.ts";
import { newKernels } from "./datasets/formats/packs.ts";
import { withFolder } from "./hosts/deno/cli.ts";
import { digitsPack } from "./hosts/edge/digits_pack.ts";
import { installPackage, node, onNode, output } from "./hosts/edge/runtimes.ts";
import { until } from "./until.ts";

const ROOT = fromFileUrl(new URL("../", import.meta.url));

/** What a user writes: it must run on Node and compile. */
const PROGRAM = `
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { builtins, loadKernels, openSynthesizer, readPack, type Synthesizer } from "@patchloom/patchloom";
import { handler, type HandlerOptions } from "@patchloom/patchloom/edge";
import { priorChecks } from "@patchloom/patchloom/testing";

const wasm = await readFile(fileURLToPath(import.meta.resolve("@patchloom/patchloom/kernels.wasm")));
const kernels = await WebAssembly.compile(wasm);
const synthesizer: Synthesizer = openSynthesizer(loadKernels(kernels), readPack(await readFile("digits.loom")), builtins);
const steps = synthesizer.synthesize({ class: 3, seed: 7, images: [0, 1] });
let step = steps.next();
while (!step.done) step = steps.next();
const hash = createHash("sha256");
for (const { pixels } of step.value.images) hash.update(pixels);
const options: HandlerOptions = { kernels, packs: [await readFile("digits.loom")] };
const { status }: Response = await handler(options)(new Request("http://localhost/synth"));
console.log(hash.digest("hex"), status, [...priorChecks(builtins.find("prior", "local-nn"))].length > 3);
`;

/** The same for a CommonJS project: the package has modules only, which Node loads by `require` from version 20.19 on. */
const COMMON = `
import { readFileSync } from "node:fs";
import { builtins, definePlugin, loadKernels, type Plugin } from "@patchloom/patchloom";
import edge = require("@patchloom/patchloom/edge");

const wasm = readFileSync(require.resolve("@patchloom/patchloom/kernels.wasm"));
const below: Plugin<"context"> = definePlugin({
  api: 1,
  kind: "context",
  name: "below",
  about: "the pixel below the patch",
  options: {},
  create: () => ({ mask: (patch, size) => [{ dx: 0, dy: Math.min(patch, size - 1), weight: 0.5 }] }),
});
WebAssembly.compile(wasm).then((kernels) => {
  const options: edge.HandlerOptions = { kernels, packs: [] };
  console.log(builtins.with(below), loadKernels(options.kernels));
});
`;

Deno.test("the npm package: installed in an empty folder it runs on Node, compiles, and gives Deno's bytes", {
  ignore: !await node(),
}, async () => {
  await withFolder(async (folder) => {
    const empty = await installPackage(folder), pack = digitsPack(10);
    await Deno.writeFile(join(empty, "digits.loom"), pack);
    await Deno.writeTextFile(join(empty, "program.mts"), PROGRAM);
    await Deno.writeTextFile(join(empty, "common.cts"), COMMON);
    const tsc = (words: string) => {
      const flags = "run -A --no-lock --no-config npm:typescript@5.9.3/tsc --strict --target es2022 --types node";
      return output(Deno.execPath(), [...flags.split(" "), ...words.split(" ")], empty);
    };
    // As bundlers resolve modules, with the library "dom". Then as Node does, with its types alone: what the package's own types
    // name must be there, too.
    await tsc("--module esnext --moduleResolution bundler --lib esnext,dom program.mts");
    await tsc("--module nodenext --lib es2022 program.mts common.cts");
    const steps = openSynthesizer(newKernels(), readPack(pack), builtins).synthesize({
      class: 3,
      seed: 7,
      images: [0, 1],
    });
    let step = steps.next();
    while (!step.done) step = steps.next();
    const pixels = Uint8Array.from(step.value.images.flatMap(({ pixels }) => [...pixels]));
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", pixels)).toHex();
    assertEquals(await output("node", ["program.mjs"], empty), `${hash} 200 true\n`);
    // No file that no entry imports.
    const names = [...Deno.readDirSync(join(empty, "node_modules/@patchloom/patchloom"))].map(({ name }) => name);
    assertEquals(
      names.sort(),
      [
        ..."LICENSE README.md assembly core datasets hosts mod.d.ts mod.js package.json pipelines".split(" "),
        ..."plugins priors webassembly.d.ts".split(" "),
      ],
    );
    await assertReadme(empty);
    await assertOneSpelling(empty);
    await assertStarts(empty);
    await assertStops(empty);
    assert(!(await Deno.readTextFile(join(empty, "node_modules/@patchloom/patchloom/mod.d.ts"))).includes('.ts"'));
  });
});

/** Asserts that the example for Node answers no address whose path says more than what Node makes of it. */
async function assertOneSpelling(folder: string): Promise<void> {
  await using host = await onNode(folder, [join(folder, "digits.loom")]);
  const health = await host.fetch("/health"), { hostname, port } = new URL(health.url);
  await health.body?.cancel();
  const status = (path: string) => {
    return new Promise((resolve, reject) => {
      get({ hostname, port, path }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      }).on("error", reject);
    });
  };
  for (const [path, expected] of [["/health", 200], ["/synth?class=3&set=prior.neighbours=9", 200]] as const) {
    assertEquals(await status(path), expected, path);
  }
  for (const path of ["/a/../health", "/./health", "/a/%2e%2e/health"]) assertEquals(await status(path), 404, path);
}

/** Asserts that the example for Node finishes what is open at a signal, and ends soon after it. */
async function assertStops(folder: string): Promise<void> {
  await using host = await onNode(folder, [join(folder, "digits.loom")]);
  const path = "/synth?count=16&class=3", expected = await (await host.fetch(path)).bytes(), began = performance.now();
  const open = host.fetch(path);
  await until("an open request", async () => {
    const { requests }: { requests: QueueLoad } = await (await host.fetch("/health")).json();
    return requests.working === 1;
  });
  Deno.kill(host.pid, "SIGTERM");
  const response = await open;
  assertEquals([response.status, await response.bytes()], [200, expected]);
  assertEquals((await host.status).code, 0);
  assert(performance.now() - began < 6000);
}

/** Asserts that HOST names the address of the example for Node, and that it says in one sentence why it cannot start. */
async function assertStarts(folder: string): Promise<void> {
  const started = async (paths: readonly string[], env: Record<string, string>) => {
    const args = ["node.mjs", ...paths], ran = await new Deno.Command("node", { args, cwd: folder, env }).output();
    return [ran.code, new TextDecoder().decode(ran.stderr).trimEnd()];
  };
  // The handler itself says the other two.
  await Deno.writeTextFile(join(folder, "alien.loom"), "no pack");
  for (
    const [paths, begins] of [
      [["none.loom"], "Cannot read none.loom: ENOENT: "],
      [["alien.loom"], "The file is not a pack"],
      [[], "Cannot serve the packs: expected one or more"],
    ] as const
  ) {
    const [code, said] = await started(paths, {});
    assert(code === 1 && `${said}`.startsWith(begins) && !`${said}`.includes("\n"), `${said}`);
  }
  const [code, said] = await started(["digits.loom"], { HOST: "192.0.2.1", PORT: "0" });
  assert(code === 1 && /^Cannot listen: .*192\.0\.2\.1[^\n]*$/.test(`${said}`), `${said}`);
}

/** Asserts that the README in an installed package is right: its first program runs, and its links work outside. */
async function assertReadme(folder: string): Promise<void> {
  const text = await Deno.readTextFile(join(folder, "node_modules/@patchloom/patchloom/README.md"));
  const [, program] = /```js ignore\n(\/\/ three\.mjs.*?)```/s.exec(text)!;
  await Deno.writeTextFile(join(folder, "three.mjs"), program);
  await output("node", ["three.mjs"], folder);
  const { width, height } = decode(await Deno.readFile(join(folder, "three.png")));
  assertEquals([width, height], [32, 32]);
  const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link);
  for (const link of links) {
    assert(link.startsWith("https://"), link);
    const [, path] = /\/patchloom\/patchloom\/(?:blob\/)?v[\d.]+\/(.*)$/.exec(link) ?? [];
    if (path !== undefined) assert(await Deno.stat(join(ROOT, path)).catch(() => false), link);
  }
  const manifest = JSON.parse(await Deno.readTextFile(join(folder, "node_modules/@patchloom/patchloom/package.json")));
  assert(manifest.keywords.length > 5 && manifest.homepage && manifest.repository.url, JSON.stringify(manifest));
}
