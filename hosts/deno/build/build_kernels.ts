/** Compiles assembly/ to the two committed modules: one for a memory of its own, one for a shared memory. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { HASH_SECTION } from "../../../core/kernels.ts";

const assembly = fileURLToPath(new URL("../../../assembly/", import.meta.url));
const flags = "-O3 --converge --noAssert --runtime stub --use abort= --importMemory --enable simd".split(" ");
const shared = "--sharedMemory --maximumMemory 65536 --enable threads".split(" ");

/**
 * The words behind `deno` that run a tool of a build from npm. The tools have a lock file of their own, which a change of a tool
 * must change too: in that of deno.json, every task would download the 100 MB of the compiler.
 */
export const TOOL: readonly string[] = [
  ...["run", "--allow-all", "--no-config", "--frozen"],
  `--lock=${fileURLToPath(new URL("tools.lock", import.meta.url))}`,
];

/** Compiles into a folder and returns the paths of the files. Throws with the message of the compiler. */
export async function buildKernels(folder: string): Promise<string[]> {
  const built: string[] = [];
  for (const [name, more] of [["kernels.wasm", []], ["kernels.shared.wasm", shared]] as const) {
    const out = join(folder, name);
    const result = await new Deno.Command(Deno.execPath(), {
      args: [
        ...TOOL,
        "npm:assemblyscript@0.28.20/asc",
        "index.ts",
        ...flags,
        ...more,
        "-o",
        out,
      ],
      cwd: assembly,
    }).output();
    if (!result.success) throw new Error(`asc failed: ${new TextDecoder().decode(result.stderr)}`);
    await Deno.writeFile(out, await withHash(await Deno.readFile(out)));
    built.push(out);
  }
  return built;
}

/** Appends a custom section with the SHA-256 of the code, which `kernelHash` reads. */
async function withHash(code: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const name = new TextEncoder().encode(HASH_SECTION), hash = await crypto.subtle.digest("SHA-256", code);
  const content = [name.length, ...name, ...new Uint8Array(hash)];
  return Uint8Array.from([...code, 0, content.length, ...content]);
}

if (import.meta.main) {
  for (const path of await buildKernels(assembly)) console.log(`${path}: ${(await Deno.stat(path)).size} bytes`);
  console.log("Next: commit both, and compare deno task bench before and after");
}
