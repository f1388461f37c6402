/** The committed modules: built from these sources, in need of a memory only, small, and the same on shared memory. */
import { assert, assertEquals, assertLess } from "@std/assert";
import { basename } from "@std/path";
import { kernelHash, kernelMemory, type Kernels, loadKernels } from "../../core/kernels.ts";
import { buildKernels } from "../../hosts/deno/build/build_kernels.ts";
import { ask, compiled, question, twin, wasm } from "../kernels_under_test.ts";

const MODULES = ["kernels.wasm", "kernels.shared.wasm"] as const;

/** The committed bytes of a module. */
function committed(name: string): Uint8Array {
  return Deno.readFileSync(new URL(`../../assembly/${name}`, import.meta.url));
}

Deno.test("the committed modules are what the sources compile to", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const built = await buildKernels(folder);
    assertEquals(built.map((path) => basename(path)), [...MODULES]);
    for (const path of built) {
      const name = basename(path), same = equal(Deno.readFileSync(path), committed(name));
      assert(same, `assembly/${name} is not what its sources compile to: run "deno task build"`);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

for (const name of MODULES) {
  Deno.test(`${name}: takes a memory and nothing else, exports every kernel of the twin, is below 48 KiB`, () => {
    const module = compiled(name), exported = WebAssembly.Module.exports(module);
    assertEquals(WebAssembly.Module.imports(module), [{ module: "env", name: "memory", kind: "memory" }]);
    const helpers = [
      "memory",
      "allocate",
      "reserve",
      "mark",
      "release",
      "addWork",
      "workDone",
      "u8",
      "i16",
      "i32",
      "u32",
      "f32",
      "f64",
    ];
    const kernels = Object.keys(twin).filter((key) => !helpers.includes(key));
    const functions = exported.filter((one) => one.kind === "function");
    assertEquals(functions.map((one) => one.name).sort(), [...kernels, "heapBase"].sort());
    assertLess(committed(name).length, 48 * 1024);
  });
}

/** Bytes of the section behind the code: its number and length, the name's length, the name, 32 bytes. */
const SECTION = 1 + 1 + 1 + "sha256".length + 32;

for (const name of MODULES) {
  Deno.test(`${name}: the compiled module holds the SHA-256 of its code`, async () => {
    const code = committed(name).slice(0, -SECTION), hash = await crypto.subtle.digest("SHA-256", code);
    assertEquals(kernelHash(compiled(name)), new Uint8Array(hash).toHex());
    assertEquals(kernelHash(new WebAssembly.Module(code)), "");
  });
}

Deno.test("kernels.shared.wasm: searches as kernels.wasm does, two instances side by side on one memory", () => {
  const memory = kernelMemory({ shared: true }), module = compiled("kernels.shared.wasm");
  assert(memory.buffer instanceof SharedArrayBuffer);
  const half = memory.buffer.byteLength / 2, first = loadKernels(module, memory, { from: 4096, to: half });
  const second = loadKernels(module, memory, { from: half, to: 2 * half });
  const asked = question(1, { segments: 3, planes: 6, count: 65, batch: 9, k: 20 });
  const answer = (kernels: Kernels) => ask(kernels, kernels.allocate(1 << 17), asked);
  const height = wasm.mark(), wanted = answer(wasm);
  wasm.release(height);
  assertEquals([answer(first), answer(second), answer(first)], [wanted, wanted, wanted]);
});
