// Compiles assembly/ to the two modules that are committed: one for an ordinary memory, one for a shared one.
import { fromFileUrl, join } from "@std/path";

const assembly = fromFileUrl(new URL("../../assembly/", import.meta.url));
const flags = "-O3 --converge --noAssert --runtime stub --use abort= --importMemory --enable simd".split(" ");
const shared = "--sharedMemory --maximumMemory 65536 --enable threads".split(" ");

/** Compiles into a folder; returns the files' paths. Throws with the compiler's message where it fails. */
export async function buildKernels(folder: string): Promise<string[]> {
  const built: string[] = [];
  for (const [name, more] of [["kernels.wasm", []], ["kernels.shared.wasm", shared]] as const) {
    const out = join(folder, name);
    const result = await new Deno.Command(Deno.execPath(), {
      // Outside the lock file: its 100 MB would otherwise be fetched by whoever runs any task.
      args: [
        "run",
        "-A",
        "--no-lock",
        "--no-config",
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
    built.push(out);
  }
  return built;
}

if (import.meta.main) console.log((await buildKernels(assembly)).join("\n"));
