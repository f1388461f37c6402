import { assertAlmostEquals, assertEquals } from "@std/assert";
import { twoSample } from "../../../plugins/metrics/two_sample.ts";
import { assertClose } from "../../kernels_under_test.ts";
import {
  distancesOf,
  drawnWorld,
  first,
  type ImageSet,
  judge,
  line,
  mean,
  ofClass,
  pick,
  subjects,
} from "./generators.ts";
import { testScores } from "./known_faults.ts";

Deno.test("two-sample: points on a line, by hand", () => {
  // 1 has 0 of its own set and 2 of the other equally near.
  const { values, of, series, settings, warnings } = judge(twoSample, {
    generated: line(0, 1, 10),
    training: line(2, 11, 30),
  });
  assertEquals([...values], [1, 1 / 2, 0, 0, 0, 1]);
  assertEquals([[...series.generated], [...series.training]], [[1, 1 / 2, 0], [0, 0, 1]]);
  assertEquals(settings, { count: 3, accuracyOnGenerated: 1 / 2, accuracyOnTraining: 1 / 3 });
  assertEquals([of, warnings], ["both", []]);
});

Deno.test("two-sample: of equally near images the part that is of the own set", () => {
  const scores = (generated: ImageSet, training: ImageSet) => [...judge(twoSample, { generated, training }).values];
  assertEquals(scores(line(5, 5, 5), line(5, 5, 5)), Array(6).fill(2 / 5));
  assertEquals(scores(line(5, 5, 5, 5), line(5, 50, 95, 200)), [3 / 4, 3 / 4, 3 / 4, 3 / 4, 0, 1 / 3, 1, 1]);
});

Deno.test("two-sample: its definition in plain float64, of as many images of both sets", () => {
  for (const { generated, training } of subjects()) {
    const count = Math.min(generated.count, training.count);
    const sets = [generated, training].map((set) => pick(set, first(count)));
    const wanted = [0, 1].flatMap((own) => {
      const toOwn = distancesOf(sets[own], sets[own]), toOther = distancesOf(sets[own], sets[1 - own]);
      return first(count).map((i) => {
        const others = toOwn[i].filter((_, j) => j !== i), least = Math.min(...others, ...toOther[i]);
        const [inOwn, inOther] = [others, toOther[i]].map((row) => row.filter((d) => d === least).length);
        return inOwn / (inOwn + inOther);
      });
    });
    assertClose(judge(twoSample, { generated, training }).values, wanted, 1e-15);
  }
});

Deno.test("two-sample: a new sample scores (n - 1) / (2n - 1)", () => {
  const world = drawnWorld();
  for (const count of [2, 60]) {
    const scores = first(10).flatMap((label) => {
      const { training, second } = ofClass(world, label);
      return first(60 / count).map((i) => {
        const [g, t] = [second, training].map((set) => pick(set, first(count, i * count)));
        return mean(judge(twoSample, { generated: g, training: t }).values);
      });
    });
    assertAlmostEquals(mean(scores), (count - 1) / (2 * count - 1), 0.05, `${count} images`);
  }
});

Deno.test("two-sample: sets of different size, one image", () => {
  const cut = judge(twoSample, { generated: line(0, 1, 200), training: line(50, 51) });
  assertEquals([...cut.values], [1, 1, 1, 1]);
  assertEquals(cut.warnings, ["compares the first 2 of 2 training and 3 generated images"]);
  const one = judge(twoSample, { generated: line(0), training: line(0) });
  assertEquals([...one.values], [NaN, NaN]);
  assertEquals(one.warnings, ["one image of each set: its nearest can only be of the other, there is no score"]);
});

testScores("two-sample", {
  copier: [0, 0.01],
  "noisy copier": [0, 0.01],
  repeater: [0.95, 1],
  noise: [0.99, 1],
  "real sample": [0.35, 0.65],
});
