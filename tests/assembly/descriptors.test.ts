/** The fields of the structures that kernels read, against the order in which core/kernels.ts writes them. */
import { assertEquals } from "@std/assert";
import { loadKernels } from "../../core/kernels.ts";
import { compiled } from "../kernels_under_test.ts";

const source = Deno.readTextFileSync(new URL("../../assembly/descriptors.ts", import.meta.url));

/** The names of a structure's fields, those of the one that it extends first. */
function fieldsOf(name: string): string[] {
  const [, parent, body] = source.match(new RegExp(`class ${name} (?:extends (\\w+) )?{([^}]*)}`))!;
  return [...parent ? fieldsOf(parent) : [], ...[...body.matchAll(/^ *(\w+): \w+;$/gm)].map(([, field]) => field)];
}

/** An object with a different number in each field. */
function numbered<T>(names: readonly string[]): T {
  return Object.fromEntries(names.map((name, i) => [name, i + 1])) as T;
}

Deno.test("descriptors: every field is where its structure has it, in the order of assembly/descriptors.ts", () => {
  const kernels = loadKernels(compiled("kernels.wasm"));
  // Batches of no image read the object and do nothing else.
  const written = (names: readonly string[], call: (names: readonly string[]) => void) => {
    const at = kernels.mark() - 176; // the only allocation: its 27 fields with 64 bytes behind them
    kernels.u32(at, names.length).fill(0);
    call(names);
    return [...kernels.u32(at, names.length)];
  };
  const wanted = (names: readonly string[]) => names.map((name, i) => name === "batch" ? 0 : i + 1);
  const comparison = fieldsOf("Comparison"), weights = fieldsOf("WeightLists"), candidates = fieldsOf("CandidateLists");
  assertEquals([comparison.length, weights.length, candidates.length], [13, 4, 13]);
  const without = <T>(names: readonly string[]): T => ({ ...numbered<T>(names), batch: 0 });
  assertEquals(written(comparison, (names) => kernels.search(without(names), 0, 0, 0)), wanted(comparison));
  assertEquals(written(weights, (names) => kernels.likeliest(without(names), 0)), wanted(weights));
  assertEquals(written(candidates, (names) => kernels.meanPatches(without(names), 0)), wanted(candidates));
});
