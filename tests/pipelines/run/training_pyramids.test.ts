/** Training images of jobs: with the morphs that a plan asks for, or not at all. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import { finish } from "../../../core/steps.ts";
import type { DataSet } from "../../../datasets/data_set.ts";
import { withMirroredTraining } from "../../../datasets/mirror.ts";
import { openExperiment } from "../../../pipelines/reproduction/experiment.ts";
import { runHere } from "../../../pipelines/run/run_task.ts";
import { trainingGroup } from "../../../pipelines/run/training_pyramids.ts";
import { morphHere } from "../../../pipelines/synthesis/morph_training.ts";
import { syntheticImages } from "../../../pipelines/worth/synthetic.ts";
import { builtins } from "../../../plugins/mod.ts";
import { inlineRunner } from "../../inline_runner.ts";
import { compiled, wasm as kernels } from "../../kernels_under_test.ts";
import { blobs, small } from "../../small_world.ts";

const train = { images: blobs(12), labels: Uint8Array.from({ length: 12 }, (_, i) => i % 2) };
const data: DataSet = { name: "blobs", origin: "blobs", files: [], train, test: { images: blobs(2, 16, 9) } };
const morphed = plan({ ...small, morph: 3 }, builtins), plain = plan(small, builtins);

Deno.test("training images: nothing learns without the morphs that its plan asks for", () => {
  assertThrows(
    () => finish(trainingGroup(kernels, morphed, data)),
    Error,
    "expected morph 0, or data of morphTraining",
  );
});

Deno.test("training images: a group says which real images are behind each, also behind mirror images", () => {
  const mark = kernels.mark(), learned = morphHere(kernels, data, morphed);
  const { training, origins } = finish(trainingGroup(kernels, morphed, learned));
  assertEquals([training.count, origins!.length], [learned.train.images.count, learned.train.images.count]);
  assertEquals(origins!.slice(0, 12), Array.from({ length: 12 }, (_, i) => [i]));
  assert(origins!.length > 12 && origins!.slice(12).every((parents) => parents.length === 2));
  const mirrored = finish(trainingGroup(kernels, morphed, withMirroredTraining(learned)));
  assertEquals(mirrored.origins, [...origins!, ...origins!]);
  const ofClass = finish(trainingGroup(kernels, morphed, learned, 1)).origins!;
  assert(ofClass.every((parents) => parents.every((image) => image % 2 === 1)));
  assertEquals(finish(trainingGroup(kernels, plain, data)).origins, undefined);
  kernels.release(mark);
});

const runner = inlineRunner({ module: compiled("kernels.wasm"), pause: () => Promise.resolve(), now: () => 0 });

Deno.test("experiments learn from morphs as synth does, each profile from its own, and measure against real images", async () => {
  const experiment = await openExperiment(runner, morphed.profile, data, 5), { learned } = experiment;
  assertEquals(learned, morphHere(kernels, data, morphed));
  assertEquals(experiment.data.train, data.train);
  const image = { number: 3, test: 1, label: undefined }, images: Uint8Array[] = [];
  const keep = ({ pixels }: { readonly pixels: Uint8Array }) => void images.push(pixels);
  await experiment.synthesizeTests([image], keep, () => {});
  const without = await experiment.under(small);
  assertEquals(without.learned, data);
  await without.synthesizeTests([image], keep, () => {});
  const again = await without.under(morphed.profile);
  await again.synthesizeTests([image], keep, () => {});
  const expected = [[morphed, learned], [plain, data], [morphed, learned]] as const;
  const seedImages = experiment.seeds([1]), mark = kernels.mark();
  assertEquals(
    images,
    expected.map(([plan, of]) => {
      const group = { ...finish(trainingGroup(kernels, plan, of)), numbers: [3], seedImages };
      const events = [...runHere(kernels, { plan, seed: 5, batch: 1, groups: [group] })];
      return events.flatMap((event) => event.type === "image" ? [event.image.pixels] : [])[0];
    }),
  );
  assert(images[0].some((value, p) => value !== images[1][p]));
  kernels.release(mark);
});

Deno.test("worth: images are synthesized from morphs where the profile asks for them", () => {
  const request = { kernels, train, seed: 1, first: 0, count: 2 };
  const [one, other, learned] = [morphed, plain, plain].map((plan, i) => {
    const from = i < 2 ? request : { ...request, train: morphHere(kernels, data, morphed).train };
    return finish(syntheticImages({ ...from, plan })).images.pixels;
  });
  assertEquals(one, learned);
  assert(one.some((value, p) => value !== other[p]));
});
