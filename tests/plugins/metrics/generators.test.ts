/** What metrics have in common, and what several together say about generators whose faults are known. */
import { assert, assertAlmostEquals, assertEquals, assertLess, assertThrows } from "@std/assert";
import { KERNEL_WORK } from "../../../core/kernel_work.ts";
import type { Plugin } from "../../../core/plugin.ts";
import { stream } from "../../../core/random.ts";
import { builtins } from "../../../plugins/mod.ts";
import { twin, wasm } from "../../kernels_under_test.ts";
import { first, GENERATORS, type ImageSet, judge, line, mean, pick, type Subject, type World } from "./generators.ts";
import { isTogether, judgeIn, worldOf } from "./known_faults.ts";

/** It measures what a record says of images, not their pixels: see `share.test.ts`. */
const OF_RECORDS = "share";
const ofPixels = builtins.plugins.filter(({ kind, name }) => kind === "metric" && name !== OF_RECORDS);
const metrics = ofPixels as unknown as Plugin<"metric">[];
Deno.test("every metric's test says what it scores for generators of known faults", async () => {
  for (const { name } of metrics) {
    const own = `${name.replaceAll("-", "_")}.test.ts`, ofSets = "features.test.ts";
    const tests = await Promise.all([own, ofSets].map(async (file) => {
      return await Deno.readTextFile(new URL(file, import.meta.url)).catch(() => "");
    }));
    assert(tests.some((text) => text.includes(`testScores("${name}", {`)), `no testScores in ${own}`);
  }
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
  const labelled = isTogether(metric), world = worldOf(metric);
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

  Deno.test(`${metric.name}: gives its kernel memory back where a kernel fails`, () => {
    let calls = 0;
    judge(metric, subject, {}, failingKernels(() => calls++ < 0));
    // `judge` asserts it. Each call fails in turn, up to the third.
    for (let failing = 0; failing < Math.min(calls, 3); failing++) {
      let call = 0;
      const kernels = failingKernels(() => call++ === failing);
      assertThrows(() => judge(metric, subject, {}, kernels), Error, "kernels out of order");
    }
  });
}

/** Kernels of which each call throws for which `fails` says so. */
function failingKernels(fails: () => boolean): typeof wasm {
  const kernels = Object.entries(wasm).filter(([name]) => Object.hasOwn(KERNEL_WORK, name));
  const failing = kernels.map(([name, kernel]) => [name, (...given: unknown[]) => {
    if (fails()) throw new Error("kernels out of order");
    return kernel(...given);
  }]);
  return { ...wasm, ...Object.fromEntries(failing) };
}
