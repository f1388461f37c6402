/** Every metric on sets of one to three images, equal ones among them: a result that is finite, or says why it is not. */
import { checkedResult } from "../../../core/metric_result.ts";
import { builtins } from "../../../plugins/mod.ts";
import { drawnWorld, first, type ImageSet, judge, ofClass, pick, setOf } from "./generators.ts";

const { training, second, heldOut } = ofClass(drawnWorld(), 3);

/** Images whose pixels are all equal, each of another level. */
const flat = (count: number) =>
  setOf(
    first(count).map((i) => training.pixels.slice(0, training.pixels.length / training.count).fill(90 * i)),
    first(count).map(() => 3),
  );
/** Names of the cases, and their generated and training images. */
const CASES: readonly (readonly [string, ImageSet, ImageSet])[] = [
  ...first(3, 1).flatMap((n) =>
    first(3, 1).map((m) => [`${n} and ${m} images`, pick(second, first(n)), pick(training, first(m))] as const)
  ),
  ["2 copies of a training image", pick(training, [0, 0]), pick(training, first(3))],
  ["equal training images", pick(second, first(2)), pick(training, [0, 0, 0])],
  ["flat images", flat(2), flat(3)],
  ["2 images far from 2 others", flat(2), pick(training, first(2))],
];

Deno.test("metrics: of few images they give finite values, or reasons why there is none", async (t) => {
  for (const metric of builtins.plugins.filter(({ kind }) => kind === "metric")) {
    await t.step(metric.name, () => {
      for (const [name, generated, images] of CASES) {
        const subject = { generated, training: images, heldOut: pick(heldOut!, first(2)), labelled: true };
        const counts = { generated: generated.count, training: images.count, both: generated.count + images.count };
        try {
          checkedResult(judge(metric, subject), counts);
        } catch (error) {
          throw new Error(`${metric.name} of ${name}: ${(error as Error).message}`, { cause: error });
        }
      }
    });
  }
});
