/**
 * How often the 95 % intervals of `assess` hold the score of all images: PATCHLOOM_DATA=... deno run -A bench/coverage.ts [IMAGES]
 * With a second argument, that of the judge alone, in so many runs: deno run -A bench/coverage.ts 10000 100
 *
 * The system to assess is MNIST's test set, of which runs of 8, 80 and 800 images are drawn at random. A value of an image depends
 * on no other image, so that all images are measured once. The judge learns from the images of a run, so that each run is judged,
 * without classes, which have too few images in 80. Its test set is softened, as systems do that it can recognize in part.
 */
import { stream } from "../core/random.ts";
import { plan } from "../core/plan.ts";
import type { Images } from "../core/types.ts";
import { type LabelledImages, pick } from "../datasets/data_set.ts";
import { digits } from "../datasets/profiles/mod.ts";
import { findData } from "../hosts/deno/data/find_data.ts";
import { BUILTIN_PLUGINS } from "../hosts/deno/plugins/plugins.ts";
import { denoRunner } from "../hosts/deno/workers/deno_runner.ts";
import { assess } from "../pipelines/assessment/assessment.ts";
import { runMetrics } from "../pipelines/assessment/run_metrics.ts";
import { type ClassResult, score } from "../pipelines/assessment/scores.ts";
import { builtins } from "../plugins/mod.ts";

const METRICS = ["likelihood", "originality", "closest-correlation", "structure", "sharpness", "symmetry"];
/** Training images of a class, and resampled runs of each size. */
const EACH = 1000, RUNS = 1000;
const COUNTS = [8, 80, 800];
/** Images of the runs that are judged, the most that the judge takes, and how far test images are softened for it, 0..1. */
const JUDGED = [80, 800], MAX_JUDGED = 2000, SOFTENED = 0.15;

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
if (Deno.args[1]) {
  await coverageOfJudge(Number(Deno.args[1]));
  Deno.exit();
}
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

/** Images between themselves and their mean over crosses of five pixels. */
function softened(images: Images, part: number): Images {
  const { width, height, count } = images, area = width * height, pixels = images.pixels.slice();
  for (let at = 0; at < count * area; at++) {
    const x = at % width, y = Math.floor(at / width) % height;
    const around = [x > 0 ? -1 : 0, x < width - 1 ? 1 : 0, y > 0 ? -width : 0, y < height - 1 ? width : 0];
    const mean = around.reduce((sum, step) => sum + images.pixels[at + step], images.pixels[at]) / 5;
    pixels[at] = Math.round((1 - part) * images.pixels[at] + part * mean);
  }
  return { ...images, pixels };
}

/** Judges the most images that it takes, then runs of 80 and 800 beside as many real ones; prints how often they agree. */
async function coverageOfJudge(runs: number): Promise<void> {
  const random = stream(1), soft = softened(test.images, SOFTENED);
  const some = (images: Images, count: number) => {
    return {
      images: pick({ images }, Array.from({ length: count }, () => Math.floor(random.next() * images.count))).images,
    };
  };
  const judged = async (generated: LabelledImages, heldOut: LabelledImages, most: number) => {
    const input = { plan: planned, generated, training: train, heldOut, classes: [undefined] };
    const [{ score, interval }] = await runMetrics(runner, input, [{ name: "judge", options: { most } }]);
    return { score, interval };
  };
  const { score: truth } = await judged(some(soft, MAX_JUDGED), some(found.train.images, MAX_JUDGED), MAX_JUDGED);
  console.log(`judge of ${MAX_JUDGED} softened test images: ${truth.toFixed(3)}`);
  for (const count of JUDGED) {
    const scores: number[] = [], intervals: (readonly [number, number])[] = [];
    for (let run = 0; run < runs; run++) {
      const { score, interval } = await judged(some(soft, count), some(found.train.images, count), 500);
      scores.push(score);
      intervals.push(interval);
    }
    const mean = scores.reduce((sum, score) => sum + score, 0) / runs;
    const deviation = Math.sqrt(scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / (runs - 1));
    const half = intervals.reduce((sum, [low, high]) => sum + (high - low) / 2 / runs, 0);
    const held = (value: number) =>
      100 * intervals.filter(([low, high]) => low <= value && value <= high).length / runs;
    console.log(
      `${count} images, ${runs} runs: mean ${mean.toFixed(3)}, deviation ${deviation.toFixed(3)}, intervals of \u00b1${
        half.toFixed(3)
      } hold that mean in ${held(mean).toFixed(0)} %, ${truth.toFixed(3)} in ${held(truth).toFixed(0)} %`,
    );
  }
}
