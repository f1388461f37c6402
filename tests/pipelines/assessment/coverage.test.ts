/** The intervals of `assess` hold what they promise: that of few images holds the score of all. */
import { assert } from "@std/assert";
import { stream } from "../../../core/random.ts";
import { plan } from "../../../core/plan.ts";
import type { DataSet } from "../../../datasets/data_set.ts";
import { proceduralDigits } from "../../../datasets/procedural/digits.ts";
import { digits } from "../../../datasets/profiles/mod.ts";
import { assess } from "../../../pipelines/assessment/assessment.ts";
import type { MetricScore } from "../../../pipelines/assessment/metric_score.ts";
import { type ClassResult, score } from "../../../pipelines/assessment/scores.ts";
import { builtins } from "../../../plugins/mod.ts";
import { inlineRunner } from "../../inline_runner.ts";

const METRICS = ["likelihood", "originality", "sharpness", "closest-correlation", "symmetry"];
/** Images of each class, and the resampled runs of each size. */
const EACH = 200, RUNS = 400;

/** Assesses all images; a value of an image depends on no other image, so that a part of the images has a part of the values. */
async function assessed(): Promise<readonly MetricScore[]> {
  const train = proceduralDigits("train", 60), all = proceduralDigits("test", EACH);
  const data: DataSet = { name: "digits", origin: "", files: [], train, test: proceduralDigits("test", 1) };
  const module = await WebAssembly.compile(
    await Deno.readFile(new URL("../../../assembly/kernels.wasm", import.meta.url)),
  );
  const runner = inlineRunner({ module, pause: () => Promise.resolve(), now: () => 0 });
  const set = { ...all, names: "digits", files: [] }, classes = Array.from({ length: 10 }, (_, label) => label);
  const request = { plan: plan(digits, builtins), data, path: "digits", set, classes };
  return (await assess(runner, request, METRICS.map((name) => ({ name, options: {} })))).scores;
}

/** The values of `count` images drawn at random, class by class; classes without images are left out, as `assess` does. */
function drawn(results: readonly ClassResult[], count: number, next: () => number): ClassResult[] {
  const values = results.map((): number[] => []);
  for (let i = 0; i < count; i++) {
    const group = Math.floor(next() * results.length), own = results[group].result.values;
    values[group].push(own[Math.floor(next() * own.length)]);
  }
  return results.flatMap(({ label, result }, group) => {
    return values[group].length === 0
      ? []
      : [{ label, result: { ...result, values: Float64Array.from(values[group]) } }];
  });
}

Deno.test("assess: of 8, 80 and 800 images, 90 to 99 of 100 intervals hold the score of all", async (t) => {
  for (const { metric, results, score: truth } of await assessed()) {
    for (const count of [8, 80, 800]) {
      await t.step(`${metric}, ${count} images`, () => {
        const random = stream(count), next = () => random.next();
        let inside = 0;
        for (let run = 0; run < RUNS; run++) {
          const { interval: [low, high] } = score(drawn(results, count, next));
          if (low <= truth && truth <= high) inside++;
        }
        const percent = 100 * inside / RUNS;
        assert(percent >= 90 && percent <= 99, `${percent} of 100 intervals hold ${truth}`);
      });
    }
  }
});
