/** What all metrics together say about generators whose faults are known, and what they have in common. */
import { assert, assertAlmostEquals, assertEquals, assertLess, assertThrows } from "@std/assert";
import type { Plugin } from "../../../core/plugin.ts";
import { stream } from "../../../core/random.ts";
import type { MetricResult } from "../../../core/metric.ts";
import { builtins } from "../../../plugins/mod.ts";
import { twin, wasm } from "../../kernels_under_test.ts";
import { drawnWorld, first, type Generator, GENERATORS, type ImageSet, judge, line, mean } from "./generators.ts";
import { ofClass, pick, type Subject, type World } from "./generators.ts";

/** It measures what a record says of images, not their pixels: see `share.test.ts`. */
const OF_RECORDS = "share";
const ofPixels = builtins.plugins.filter(({ kind, name }) => kind === "metric" && name !== OF_RECORDS);
const metrics = ofPixels as unknown as Plugin<"metric">[];
const all = drawnWorld(), threes = ofClass(all, 3);
const names = Object.keys(GENERATORS) as Generator[];
const isTogether = (metric: Plugin<"metric">) => metric.create(defaults(metric)).together === true;

function defaults({ options }: Plugin<"metric">) {
  return Object.fromEntries(Object.entries(options).map(([name, { default: value }]) => [name, value]));
}

/** Judges by one class, or by all where a metric takes them together. */
function judgeIn(metric: Plugin<"metric">, make: (world: World) => ImageSet, kernels = wasm): MetricResult {
  const labelled = isTogether(metric), world = labelled ? all : threes;
  return judge(metric, { ...world, generated: make(world), labelled }, {}, kernels);
}

/** From least to most that a score may be. [0, 1] where the metric cannot tell: its doc comment says so. */
type Range = readonly [low: number, high: number];
const EXPECTED: Record<string, Readonly<Record<Generator, Range>>> = {
  // The paper's rule: lower than the data is worse, and noise is out of all proportion.
  likelihood: row([-80, -70], [-82, -72], [-100, -60], [-2000, -500], [-90, -75]),
  originality: row([0, 0], [0.01, 0.3], [0.5, 1.5], [2, 10], [0.95, 1.2]),
  // A copy of the whole set is spread as that is: "a good spread score is misleading without high originality".
  spread: row([0, 1e-9], [0, 0.3], [1.3, 20], [10, 100], [0.3, 0.9]),
  // A copier looks as real as what it copies.
  judge: row([0.3, 0.7], [0.9, 1], [0.9, 1], [0.95, 1], [0.3, 0.7]),
  precision: row([1, 1], [1, 1], [0, 1], [0, 0], [0.8, 1]),
  recall: row([0.9, 1], [0.9, 1], [0, 0.02], [0, 0], [0.8, 1]),
  density: row([1, 1.3], [1, 1.3], [0, 2], [0, 0], [0.8, 1.2]),
  coverage: row([1, 1], [1, 1], [0, 0.2], [0, 0], [0.9, 1]),
  "two-sample": row([0, 0.01], [0, 0.01], [0.95, 1], [0.99, 1], [0.35, 0.65]),
  "closest-record": row([0, 0], [0.01, 0.3], [0.5, 1.5], [2, 10], [0.9, 1.2]),
  // A copy with a little noise is found by the correlation as by the distance.
  "closest-correlation": row([1, 1], [0.98, 0.9999], [0.7, 0.95], [0, 0.1], [0.75, 0.95]),
  // Without halving, noise on the flat ground of small digits counts; a noisy copy is still far above other digits.
  structure: row([1, 1], [0.77, 0.9999], [0.5, 0.76], [0, 0.2], [0.5, 0.7]),
  contrast: row([0.95, 1.05], [0.9, 1.05], [0.7, 1.3], [0.7, 1.3], [0.95, 1.05]),
  symmetry: row([0.35, 0.5], [0.35, 0.5], [-1, 1], [-0.02, 0.02], [0.35, 0.5]),
  sharpness: row([0.9, 1.1], [0.9, 1.3], [0.5, 2], [3, 20], [0.9, 1.1]),
  frechet: row([0, 2], [6, 20], [6, 20], [20, 60], [1.5, 5]),
  "kernel-distance": row([-0.01, 0.005], [0.02, 0.1], [0.01, 0.05], [0.1, 0.3], [-0.01, 0.005]),
  // Copies say nothing of held-out images.
  "feature-likelihood": row([150, 170], [170, 200], [150, 180], [230, 280], [135, 150]),
  // It does not look at training images.
  vendi: row([5, 9], [4, 7], [1, 1.0001], [3, 5], [5, 9]),
  novelty: row([0, 0], [0.001, 0.05], [0, 0.1], [0.2, 0.5], [0.01, 0.1]),
  "label-accuracy": row([0.95, 1], [0.95, 1], [0.1, 0.1], [0.08, 0.12], [0.93, 1]),
};

function row(...ranges: Range[]): Record<Generator, Range> {
  return Object.fromEntries(names.map((name, i) => [name, ranges[i]])) as Record<Generator, Range>;
}

Deno.test("what each metric says about each generator", async (t) => {
  const table = [names.map((name) => name.padStart(13))];
  for (const metric of metrics) {
    await t.step(metric.name, () => {
      const scores = names.map((name) => mean(judgeIn(metric, GENERATORS[name]).values));
      table.push(scores.map((score) => score.toFixed(3).padStart(13)));
      assert(metric.name in EXPECTED, "every metric has a row in the table");
      names.forEach((name, i) => {
        const [low, high] = EXPECTED[metric.name][name];
        assert(scores[i] >= low && scores[i] <= high, `${name}: expected ${low} to ${high}, got ${scores[i]}`);
      });
    });
  }
  const titles = ["", ...metrics.map(({ name }) => name)];
  console.log(table.map((cells, line) => titles[line].padEnd(14) + cells.join("")).join("\n"));
});

const scoreOf = (name: string, make: (world: World) => ImageSet) =>
  mean(judgeIn(builtins.find("metric", name), make).values);

Deno.test("a real sample: as original and as likely as held-out images, and of all that do not copy the least spread", () => {
  const real = GENERATORS["real sample"], heldOut = (world: World) => world.heldOut;
  assertAlmostEquals(scoreOf("originality", real), scoreOf("originality", heldOut), 0.1);
  assertAlmostEquals(scoreOf("likelihood", real), scoreOf("likelihood", heldOut), 5);
  const best = scoreOf("spread", real);
  for (const name of ["repeater", "noise"] as const) assertLess(best, scoreOf("spread", GENERATORS[name]) / 2);
});

Deno.test("two-sample: a repeated image and noise are recognized on the generated side", () => {
  for (const name of ["repeater", "noise"] as const) {
    const { settings } = judgeIn(builtins.find("metric", "two-sample"), GENERATORS[name]);
    assertEquals(settings.accuracyOnGenerated, 1, name);
  }
});

/** The images in another order, the same for the same seed. */
function shuffled(set: ImageSet, seed: number): ImageSet {
  const random = stream(seed), keys = first(set.count).map(() => random.next());
  return pick(set, first(set.count).sort((a, b) => keys[a] - keys[b]));
}

for (const metric of metrics) {
  const labelled = isTogether(metric), world = labelled ? all : threes;
  // As many of each: where sets are cut, other images would be left out.
  const subject: Subject = {
    generated: pick(world.second, first(50)),
    training: pick(world.training, first(50)),
    heldOut: pick(world.heldOut, first(50)),
    labelled,
  };

  Deno.test(`${metric.name}: the order of the images does not matter`, () => {
    const { generated, training, heldOut } = subject, wanted = mean(judge(metric, subject).values);
    for (const seed of [1, 2]) {
      const other = { labelled, generated: shuffled(generated, seed), training: shuffled(training, seed + 2) };
      const { values } = judge(metric, { ...other, heldOut: shuffled(heldOut!, seed + 4) });
      assertAlmostEquals(mean(values), wanted, 1e-9);
    }
  });

  Deno.test(`${metric.name}: the twin's kernels give the same numbers`, () => {
    const few = {
      ...subject,
      generated: pick(subject.generated, first(9)),
      training: pick(subject.training, first(17)),
    };
    assertEquals(judge(metric, few, {}, twin), judge(metric, few));
  });

  Deno.test(`${metric.name}: a value or none for each image of the set it speaks of, and no other warnings than sentences`, () => {
    for (const generated of [subject.generated, pick(subject.generated, [0]), GENERATORS.repeater(world)]) {
      for (
        const training of [subject.training, pick(subject.training, [0]), pick(subject.training, Array(20).fill(0))]
      ) {
        const { values, of, series, warnings } = judge(metric, { ...subject, generated, training });
        const least = Math.min(generated.count, training.count);
        const counts = { generated: [generated.count], training: [training.count, least], both: [2 * least] }[of];
        assert(counts.includes(values.length), `${values.length} values`);
        for (const [name, { length }] of Object.entries(series)) {
          assertEquals(length, of === "both" ? least : values.length, name);
        }
        if (values.some((value) => !Number.isFinite(value))) assert(warnings.length > 0, `${values} without a warning`);
        assert(values.every((value) => Number.isFinite(value) || Number.isNaN(value)), `${values}`);
        for (const warning of warnings) assert(/^[^\n]{10,}[^.\n]$/.test(warning), warning);
      }
    }
  });
}

for (const metric of metrics) {
  const some = line(1, 2, 3), subject = { generated: some, training: some, heldOut: some, labelled: true };

  Deno.test(`${metric.name}: one sentence where a set is empty or of images of another size`, () => {
    const large = { ...some, count: 1, size: 2, pixels: new Uint8Array(4), labels: new Uint8Array(1) };
    for (
      const [wrong, message] of [
        [{ generated: line() }, "at least one generated image, got none"],
        [{ training: line() }, "at least one training image, got none"],
        [{ generated: large }, "generated images of the training images' shape, 1x1, got 2x2"],
        [{ heldOut: large }, "held-out images of the training images' shape, 1x1, got 2x2"],
      ] as const
    ) {
      const judged = () => judge(metric, { ...subject, ...wrong });
      assertThrows(judged, Error, `Cannot measure ${metric.name}: expected ${message}`);
    }
  });

  // These ask no distances of whole images, or not of so few.
  const without = ["likelihood", "sharpness", "novelty", "contrast", "symmetry"];
  if ([...without, "frechet", "kernel-distance", "feature-likelihood", "vendi"].includes(metric.name)) continue;
  Deno.test(`${metric.name}: gives its kernel memory back where it fails`, () => {
    // `judge` asserts it; the kernels fail at their first call, or at their second.
    // The closest correlation takes all its distances in one call.
    for (const after of ["closest-correlation", "structure"].includes(metric.name) ? [0] : [0, 1]) {
      let calls = 0;
      const distances: typeof wasm.distances = (...given) => {
        if (calls++ === after) throw new Error("kernels out of order");
        wasm.distances(...given);
      };
      assertThrows(() => judge(metric, subject, {}, { ...wasm, distances }), Error, "kernels out of order");
    }
  });
}
