/** The npm package and the JSR package: what their users install. */
import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { openSynthesizer } from "../pipelines/synthesis/synthesizer.ts";
import { readPack } from "../datasets/formats/pack.ts";
import { builtins } from "../plugins/mod.ts";
import { newKernels } from "./datasets/formats/packs.ts";
import { withFolder } from "./hosts/deno/cli.ts";
import { digitsPack } from "./hosts/edge/digits_pack.ts";
import { installPackage, node, output } from "./hosts/edge/runtimes.ts";

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

Deno.test("the npm package: installed in an empty folder it runs on Node, compiles, and gives Deno's bytes", {
  ignore: !await node(),
}, async () => {
  await withFolder(async (folder) => {
    const empty = await installPackage(folder), pack = digitsPack(10);
    await Deno.writeFile(join(empty, "digits.loom"), pack);
    await Deno.writeTextFile(join(empty, "program.mts"), PROGRAM);
    const tsc = "run -A --no-lock --no-config npm:typescript@5.9.3/tsc --strict --module nodenext --target es2022"
      .split(" ");
    // Declares what the program uses of Node, so that its types need not be installed.
    const declared =
      `declare module "node:*" { const all: any; export const createHash: any, readFile: any, fileURLToPath: any; }
interface ImportMeta { resolve(name: string): string }\n`;
    await Deno.writeTextFile(join(empty, "node.d.ts"), declared);
    await output(Deno.execPath(), [...tsc, "--lib", "esnext,dom", "node.d.ts", "program.mts"], empty);
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
      "LICENSE README.md assembly core datasets hosts mod.d.ts mod.js package.json pipelines plugins priors".split(" "),
    );
    assert(!(await Deno.readTextFile(join(empty, "node_modules/@patchloom/patchloom/mod.d.ts"))).includes('.ts"'));
  });
});

Deno.test("the JSR package: a dry run of its publication passes", async () => {
  await output(Deno.execPath(), ["publish", "--dry-run", "--allow-dirty", "--quiet"], ROOT);
});
