/**
 * How often the 95 % intervals of `assess` hold the score of all images: PATCHLOOM_DATA=... deno run -A bench/coverage.ts [IMAGES]
 *
 * The system to assess is MNIST's test set, of which runs of 8, 80 and 800 images are drawn at random. A value of an image depends
 * on no other image, so that all images are measured once.
 */
import { stream } from "../core/random.ts";
import { plan } from "../core/plan.ts";
import { type LabelledImages, pick } from "../datasets/data_set.ts";
import { digits } from "../datasets/profiles/mod.ts";
import { findData } from "../hosts/deno/data/find_data.ts";
import { BUILTIN_PLUGINS } from "../hosts/deno/plugins/plugins.ts";
import { denoRunner } from "../hosts/deno/workers/deno_runner.ts";
import { assess } from "../pipelines/assessment/assessment.ts";
import { type ClassResult, score } from "../pipelines/assessment/scores.ts";
import { builtins } from "../plugins/mod.ts";

const METRICS = ["likelihood", "originality", "closest-correlation", "structure", "sharpness", "symmetry"];
/** Training images of a class, and resampled runs of each size. */
const EACH = 1000, RUNS = 1000;
const COUNTS = [8, 80, 800];

/** The first images of every class. */
function firsts(set: LabelledImages, each: number): LabelledImages {
  const seen = new Array(256).fill(0);
  return pick(set, [...set.labels!.keys()].filter((i) => seen[set.labels![i]]++ < each));
}

/** The results of a run of `count` images drawn at random, class by class. */
function drawn(results: readonly ClassResult[], count: number, next: () => number): ClassResult[] {
  const sizes = results.map(({ result }) => result.values.length), all = sizes.reduce((sum, size) => sum + size, 0);
  const values = results.map((): number[] => []);
  for (let i = 0; i < count; i++) {
    let place = Math.floor(next() * all), group = 0;
    for (; place >= sizes[group]; group++) place -= sizes[group];
    values[group].push(results[group].result.values[place]);
  }
  return results.flatMap(({ label, result }, group) => {
    if (values[group].length === 0) return [];
    return [{ label, result: { ...result, values: Float64Array.from(values[group]) } }];
  });
}

const most = Number(Deno.args[0] ?? 10_000), planned = plan(digits, builtins);
const found = await findData("mnist", undefined, undefined, { channels: 1, size: planned.sizes[0] });
const train = firsts(found.train, EACH),
  test = most < found.test.images.count ? firsts(found.test, Math.ceil(most / 10)) : found.test;
const data = { ...found, train, test: firsts(found.test, 1) };
using runner = denoRunner({ threads: 1, plugins: BUILTIN_PLUGINS, quiet: true, stay: true });
const set = { ...test, names: found.name, files: [] }, classes = Array.from({ length: 10 }, (_, label) => label);
const request = { plan: planned, data, path: found.name, set, classes };
const { scores } = await assess(runner, request, METRICS.map((name) => ({ name, options: {} })));

console.log(`${test.images.count} images, ${train.images.count} training images, ${RUNS} runs of each size`);
console.log(`\n| metric | score of all | ${COUNTS.map((count) => `${count} images`).join(" | ")} |`);
console.log(`| --- | --- | ${COUNTS.map(() => "---").join(" | ")} |`);
for (const { metric, results, score: truth } of scores) {
  const cells = COUNTS.map((count) => {
    const random = stream(count);
    let inside = 0, width = 0;
    for (let run = 0; run < RUNS; run++) {
      const { interval: [low, high] } = score(drawn(results, count, () => random.next()));
      if (low <= truth && truth <= high) inside++;
      width += (high - low) / 2 / RUNS;
    }
    return `${(100 * inside / RUNS).toFixed(1)} % (±${width.toPrecision(2)})`;
  });
  console.log(`| \`${metric}\` | ${truth.toPrecision(4)} | ${cells.join(" | ")} |`);
}
