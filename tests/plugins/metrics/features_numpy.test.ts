/** Measures of sets of features against numpy, where a Python with numpy is installed. */
import { assert, assertAlmostEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { featureLikelihood } from "../../../plugins/metrics/feature_likelihood.ts";
import { frechet } from "../../../plugins/metrics/frechet.ts";
import { kernelDistance } from "../../../plugins/metrics/kernel_distance.ts";
import { vendi } from "../../../plugins/metrics/vendi.ts";
import type { AnyPlugin } from "../../../core/plugin.ts";
import { withFolder } from "../../hosts/deno/with_folder.ts";
import { pythonWithNumpy } from "../../programs.ts";
import { blobs } from "../../small_world.ts";
import { judge, setOf } from "./generators.ts";

const PYTHON = await pythonWithNumpy();
const SCRIPT = fromFileUrl(new URL("./features.py", import.meta.url));
/** Features in 64 pixels, of more images than that and of fewer: then covariances have no full rank. */
const SIDE = 8, AREA = SIDE * SIDE;

Deno.test({
  name:
    "frechet, kernel-distance, vendi and feature-likelihood are those that numpy computes by the published formulas",
  ignore: PYTHON === undefined,
  fn: () =>
    withFolder(async (folder) => {
      for (const [made, learned, tested] of [[90, 120, 40], [30, 25, 20]]) {
        const images = [blobs(made, SIDE, 1), blobs(learned, SIDE, 2), blobs(tested, SIDE, 3)];
        const paths = images.map((_, i) => join(folder, `${i}.bytes`));
        for (const [i, set] of images.entries()) await Deno.writeFile(paths[i], set.pixels);
        const child = await new Deno.Command(PYTHON!, { args: [SCRIPT, String(AREA), ...paths] }).output();
        const [out, error] = [child.stdout, child.stderr].map((bytes) => new TextDecoder().decode(bytes));
        assert(child.success, error);
        const expected = JSON.parse(out) as Record<string, number>;
        const [generated, training, heldOut] = images.map(({ count, pixels }) => {
          return setOf(Array.from({ length: count }, (_, i) => [...pixels.subarray(i * AREA, (i + 1) * AREA)]));
        });
        for (const metric of [frechet, kernelDistance, vendi, featureLikelihood] as unknown as AnyPlugin[]) {
          const [score] = judge(metric, { generated, training, heldOut }, { features: "pixels", most: 300 }).values;
          assertAlmostEquals(score, expected[metric.name], 1e-6, `${metric.name} of ${made} images`);
        }
      }
    }),
});
