import { assertEquals, assertThrows } from "@std/assert";
import { optionValues, writtenValues } from "../../../core/options.ts";
import { plan } from "../../../core/plan.ts";
import { withSetting } from "../../../core/profile_changes.ts";
import { neighboursOf } from "../../../priors/example/neighbours.ts";
import { localNn } from "../../../priors/local_nn.ts";
import { builtins } from "../../../plugins/mod.ts";
import { loadKernels } from "../../../core/kernels.ts";
import { compiled } from "../../kernels_under_test.ts";
import { blobs, small, smallModel, smallSeeds, toEnd } from "../../small_world.ts";
import { synthesize } from "../../../core/synthesize.ts";

Deno.test("neighboursOf: a sixth of the images, from 3 to 100; a given number is taken as it is", () => {
  assertEquals([1, 18, 60, 300, 600, 5000].map((images) => neighboursOf(0, images)), [3, 3, 10, 50, 100, 100]);
  assertEquals([neighboursOf(1, 5000), neighboursOf(200, 18)], [1, 200]);
});

Deno.test("neighbours: auto is a word for 0 in profiles, settings and records", () => {
  assertEquals(optionValues(localNn, { neighbours: "auto" }).neighbours, 0);
  assertEquals(optionValues(localNn, {}).neighbours, 0);
  assertEquals(writtenValues(localNn, optionValues(localNn, {})), { neighbours: "auto", hubPenalty: 0, bonus: 0 });
  assertThrows(
    () => optionValues(localNn, { neighbours: "aut" }),
    Error,
    'expected an integer >= 1 and <= 65535 or "auto"',
  );
  const { prior } = plan(withSetting(small, "prior.neighbours=auto"), builtins);
  assertEquals(prior.values.neighbours, 0);
});

Deno.test("neighbours: auto draws what the number it stands for draws", () => {
  const images = blobs(30); // of which auto takes 5
  const made = (setting: string) => {
    const kernels = loadKernels(compiled("kernels.wasm")), profile = withSetting(small, setting);
    const model = smallModel(kernels, { profile, images }), numbers = [0, 1, 2];
    return toEnd(synthesize(model, { seed: 1, images: numbers, seedImages: smallSeeds(model, numbers) })).pixels;
  };
  assertEquals(made("prior.neighbours=auto"), made("prior.neighbours=5"));
});
