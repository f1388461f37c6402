// `deno task fuzz KIND [--count N] [--seed S]`: tries hostile inputs and prints counts of what came of them.
import { parseArgs } from "@std/cli/parse-args";
import { isFailure, KINDS } from "./kinds.ts";

const given = parseArgs(Deno.args, { string: ["_", "count", "seed"] }), [name = "", ...more] = given._.map(String);
const unknown = Object.keys(given).filter((key) => !["_", "count", "seed"].includes(key));
const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
const count = Number(given.count ?? kind?.count), seed = Number(given.seed ?? 1);
if (!kind || more.length > 0 || unknown.length > 0 || !Number.isSafeInteger(count) || !Number.isSafeInteger(seed)) {
  console.error(`Usage: deno task fuzz ${Object.keys(KINDS).join("|")} [--count N] [--seed S]`);
  Deno.exit(2);
}
const { run } = await kind.load(), started = performance.now(), counts = await run(count, seed);
const outcomes = Object.entries(counts).sort(([, a], [, b]) => b - a);
for (const [outcome, times] of outcomes) console.log(`${String(times).padStart(8)}  ${outcome}`);
const failures = outcomes.filter(([outcome]) => isFailure(outcome)).reduce((sum, [, times]) => sum + times, 0);
const seconds = ((performance.now() - started) / 1000).toFixed(0);
console.log(`${count} ${kind.about} of seed ${seed} in ${seconds} s: ${failures} failures`);
Deno.exit(failures > 0 ? 1 : 0);
