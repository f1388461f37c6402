import { assert, assertEquals } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import { seedImages, trainingPyramid } from "../../../core/pyramid.ts";
import { iterationsOf, synthesizeGroup } from "../../../pipelines/synthesis/synthesize_group.ts";
import { builtins } from "../../../plugins/mod.ts";
import { wasm as kernels } from "../../kernels_under_test.ts";
import { blobs, small } from "../../small_world.ts";

const planned = plan(small, builtins), NUMBERS = [4, 0, 7, 2, 9];

/** Makes five images in batches; their numbers after every iteration too. */
function make(batch: number, observed = false) {
  const mark = kernels.mark(), training = trainingPyramid(kernels, blobs(), planned.sizes), before = kernels.mark();
  const seeds = seedImages(kernels, blobs(24, 16, 2), planned.sizes, NUMBERS), numbers: (readonly number[])[] = [];
  // The first pixel of each image is known: 25 times its number.
  const known = planned.layers.map(({ height, width }) => {
    const values = new Float32Array(NUMBERS.length * height * width), weights = values.slice();
    NUMBERS.forEach((number, i) => {
      values[i * height * width] = 25 * number / 255;
      weights[i * height * width] = Infinity;
    });
    return { values, weights };
  });
  const model = { kernels, plan: planned, training, seed: 5, batch };
  const steps = synthesizeGroup(model, {
    images: NUMBERS,
    seedImages: seeds,
    observed: observed ? known : undefined,
  });
  let step = steps.next();
  for (; !step.done; step = steps.next()) numbers.push(step.value.numbers);
  assertEquals(kernels.mark(), before, "all kernel memory is given back");
  kernels.release(mark);
  return { images: step.value, numbers };
}

Deno.test("synthesizeGroup: the same images in batches of any size, in their order, each with its own observations", () => {
  for (const observed of [false, true]) {
    const all = make(5, observed), twos = make(2, observed), iterations = iterationsOf(planned);
    assertEquals(twos.images, all.images);
    assertEquals(all.images.map(({ number }) => number), NUMBERS);
    assertEquals(all.numbers, Array.from({ length: iterations }, () => NUMBERS));
    assertEquals([...new Set(twos.numbers.map(String))], ["4,0", "7,2", "9"]);
    assertEquals(twos.numbers.length, 3 * iterations);
    const firsts = all.images.map(({ pixels }) => pixels[0]), known = NUMBERS.map((n) => 25 * n);
    assertEquals(String(firsts) === String(known), observed, String(firsts));
  }
});

Deno.test("synthesizeGroup: memory is given back where nobody goes on", () => {
  const mark = kernels.mark(), training = trainingPyramid(kernels, blobs(), planned.sizes), before = kernels.mark();
  const seeds = seedImages(kernels, blobs(24, 16, 2), planned.sizes, NUMBERS);
  const model = { kernels, plan: planned, training, seed: 5, batch: 2 };
  const steps = synthesizeGroup(model, { images: NUMBERS, seedImages: seeds });
  steps.next();
  assert(kernels.mark() > before);
  steps.return([]);
  assertEquals(kernels.mark(), before);
  kernels.release(mark);
});
