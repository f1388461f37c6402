/** What metrics score for generators whose faults are known. */
import { assert } from "@std/assert";
import type { Plugin } from "../../../core/plugin.ts";
import type { MetricResult } from "../../../core/metric.ts";
import { builtins } from "../../../plugins/mod.ts";
import { wasm } from "../../kernels_under_test.ts";
import {
  drawnWorld,
  type Generator,
  GENERATORS,
  type ImageSet,
  judge,
  mean,
  ofClass,
  type World,
} from "./generators.ts";
import { testShapes } from "./shapes.ts";

const all = drawnWorld(), threes = ofClass(all, 3);

/** Whether a metric judges all classes together. */
export function isTogether(metric: Plugin<"metric">): boolean {
  const defaults = Object.entries(metric.options).map(([name, { default: value }]) => [name, value]);
  return metric.create(Object.fromEntries(defaults)).together === true;
}

/** The images that a metric judges: of one class, or of all where it takes them together. */
export function worldOf(metric: Plugin<"metric">): World {
  return isTogether(metric) ? all : threes;
}

/** Judges images of one class, or of all where a metric takes them together. */
export function judgeIn(metric: Plugin<"metric">, make: (world: World) => ImageSet, kernels = wasm): MetricResult {
  const world = worldOf(metric);
  return judge(metric, { ...world, generated: make(world), labelled: isTogether(metric) }, {}, kernels);
}

/** From least to most that a score may be. [0, 1] where the metric cannot tell: its doc comment says so. */
type Range = readonly [low: number, high: number];

/**
 * Tests what a metric scores for each generator, and for images that are not square. An error names all scores, so that a new metric
 * may begin with any ranges.
 *
 * @param isDirected as `testShapes` takes it
 */
export function testScores(
  name: string,
  expected: Readonly<Record<Generator, Range>>,
  { isDirected = false } = {},
): void {
  testShapes(name, isDirected);
  Deno.test(`${name}: its scores for generators whose faults are known`, () => {
    const metric = builtins.find("metric", name) as unknown as Plugin<"metric">;
    const scores = Object.entries(GENERATORS).map(([generator, make]) => {
      return { generator: generator as Generator, score: mean(judgeIn(metric, make).values) };
    });
    const got = scores.map(({ generator, score }) => `${generator} ${score.toFixed(4)}`).join(", ");
    for (const { generator, score } of scores) {
      const [low, high] = expected[generator];
      assert(score >= low && score <= high, `${generator}: expected ${low} to ${high}, got ${got}`);
    }
  });
}
