import { assert, assertEquals } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import { seedImages, trainingPyramid } from "../../../core/pyramid.ts";
import { iterationsOf, MOST_TRIES, synthesizeGroup } from "../../../pipelines/synthesis/synthesize_group.ts";
import { originalityOf } from "../../../pipelines/synthesis/synthesized_image.ts";
import { builtins } from "../../../plugins/mod.ts";
import { wasm as kernels } from "../../kernels_under_test.ts";
import { blobs, small } from "../../small_world.ts";

const planned = plan(small, builtins), NUMBERS = [4, 0, 7, 2, 9];

/** Makes five images in batches; their numbers after every iteration too. */
function make(batch: number, observed = false, minOriginality?: number) {
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
  const model = { kernels, plan: planned, training, seed: 5, batch, minOriginality };
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

Deno.test("synthesizeGroup: images below a least originality are drawn again, whatever the batch; the best is kept", () => {
  const plain = make(5).images, values = plain.map(originalityOf), middle = values.toSorted((a, b) => a - b)[2];
  const all = make(5, false, middle).images;
  for (const batch of [1, 2, 3]) assertEquals(make(batch, false, middle).images, all);
  all.forEach(({ tries, ...image }, i) => {
    if (values[i] >= middle) assertEquals([tries, image], [1, plain[i]], "original enough at once");
    else {
      assert(tries! > 1 && tries! <= MOST_TRIES && originalityOf(image) >= values[i], `image ${i}`);
      assert(originalityOf(image) >= middle || tries === MOST_TRIES, `image ${i}`);
    }
  });
  assert(all.some(({ pixels }, i) => String(pixels) !== String(plain[i].pixels)));
  // What nothing reaches is drawn as often as allowed; the best of more tries is no worse.
  const most = make(5, false, 1000).images;
  assertEquals(most.map(({ tries }) => tries), NUMBERS.map(() => MOST_TRIES));
  most.forEach((image, i) => assert(originalityOf(image) >= originalityOf(all[i])));
  assertEquals(make(2, false, 0).images.map(({ tries: _, ...image }) => image), plain);
});
