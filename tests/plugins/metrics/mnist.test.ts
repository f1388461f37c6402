/** The paper's three measures on MNIST's 1135 test images of "1", against what an independent implementation measures. */
import { assertAlmostEquals } from "@std/assert";
import { join } from "@std/path";
import type { AnyPlugin } from "../../../core/plugin.ts";
import { pad } from "../../../core/pyramid.ts";
import { squareOf } from "../../../core/shape.ts";
import type { LabelledImages } from "../../../datasets/data_set.ts";
import { readData } from "../../../hosts/deno/data/read_data.ts";
import { likelihood } from "../../../plugins/metrics/likelihood.ts";
import { originality } from "../../../plugins/metrics/originality.ts";
import { spread } from "../../../plugins/metrics/spread.ts";
import { first, type ImageSet, judge, mean, setOf } from "./generators.ts";

const real = Deno.env.get("PATCHLOOM_DATA");
if (!real) console.log("The metrics are not tried on MNIST: PATCHLOOM_DATA is not set");

function ones({ images, labels }: LabelledImages): ImageSet {
  const numbers = first(images.count).filter((i) => labels![i] === 1);
  return setOf(numbers.map((i) => pad(images, i, squareOf(32))));
}

Deno.test({
  name: "likelihood, originality and spread of MNIST's test images of 1 (ignored where PATCHLOOM_DATA is not set)",
  ignore: !real,
  fn: async () => {
    const { train, test } = await readData(join(real!, "mnist")),
      sets = { training: ones(train), generated: ones(test) };
    const score = (metric: AnyPlugin, options = {}) => mean(judge(metric, sets, options).values);
    assertAlmostEquals(score(likelihood), -42.65, 0.005);
    assertAlmostEquals(score(originality), 1.118, 0.001);
    assertAlmostEquals(score(spread, { perplexity: 10 }), 0.781, 0.001);
  },
});
