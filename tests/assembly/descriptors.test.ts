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
  const at = kernels.mark() - 176; // the only allocation: its 27 fields with 64 bytes behind them
  const scratch = kernels.allocate(41_200); // some kernels prepare tables there before they look at the batch
  // Batches of no image read the object and do nothing else.
  const written = (names: readonly string[], call: (names: readonly string[]) => void) => {
    kernels.u32(at, names.length).fill(0);
    call(names);
    return [...kernels.u32(at, names.length)];
  };
  const wanted = (names: readonly string[]) => {
    return names.map((name, i) => name === "batch" ? 0 : name === "scratch" ? scratch : i + 1);
  };
  const without = <T>(names: readonly string[]): T => {
    return { ...numbered<T>(names), batch: 0, ...names.includes("scratch") && { scratch } };
  };
  const calls: Record<string, (names: readonly string[]) => void> = {
    Comparison: (names) => kernels.search(without(names), 0, 0, 0),
    WeightLists: (names) => kernels.likeliest(without(names), 0),
    CandidateLists: (names) => kernels.meanPatches(without(names), 0),
    Correlation: (names) => kernels.toDeviations(without(names), 0, 0),
    DetailCandidates: (names) => kernels.transferDetail(without(names), 0, 0, 0, 0),
    MergeSystem: (names) => kernels.solve(without(names), 0, 0, 0),
    ParzenWindow: (names) => kernels.parzen(without(names), 1, 0),
    LocalScore: (names) => kernels.localScore(without(names), 1, 1),
  };
  assertEquals([...source.matchAll(/^export class (\w+)/gm)].map(([, name]) => name), Object.keys(calls));
  assertEquals(Object.keys(calls).map((name) => fieldsOf(name).length), [13, 4, 14, 13, 27, 8, 9, 17]);
  for (const [name, call] of Object.entries(calls)) {
    const fields = fieldsOf(name);
    assertEquals(written(fields, call), wanted(fields), name);
  }
});
