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
  const without = <T>(names: readonly string[]): T => ({ ...numbered<T>(names), batch: 0 });
  const calls: Record<string, (names: readonly string[]) => void> = {
    Comparison: (names) => kernels.search(without(names), 0, 0, 0),
    WeightLists: (names) => kernels.likeliest(without(names), 0),
    CandidateLists: (names) => kernels.meanPatches(without(names), 0),
    Correlation: (names) => kernels.toDeviations(without(names), 0, 0),
    DetailCandidates: (names) => kernels.transferDetail(without(names), 0, 0, 0),
  };
  assertEquals([...source.matchAll(/^export class (\w+)/gm)].map(([, name]) => name), Object.keys(calls));
  assertEquals(Object.keys(calls).map((name) => fieldsOf(name).length), [13, 4, 13, 13, 27]);
  for (const [name, call] of Object.entries(calls)) {
    const fields = fieldsOf(name);
    assertEquals(written(fields, call), wanted(fields), name);
  }
});
