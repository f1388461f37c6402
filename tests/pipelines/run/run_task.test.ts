import { finish } from "../../../core/steps.ts";
import { assert, assertEquals } from "@std/assert";
import { byteOf } from "../../../core/bytes.ts";
import { nearestTraining } from "../../../core/nearest.ts";
import { plan } from "../../../core/plan.ts";
import { seedImages, trainingPyramid } from "../../../core/pyramid.ts";
import { MAX_TRIES } from "../../../pipelines/run/redraw_forecast.ts";
import { iterationsOf, runHere } from "../../../pipelines/run/run_task.ts";
import { type GroupImage, originalityOf } from "../../../pipelines/run/synthesized_image.ts";
import { builtins } from "../../../plugins/mod.ts";
import { wasm as kernels } from "../../kernels_under_test.ts";
import { blobs, small } from "../../small_world.ts";

const planned = plan(small, builtins), NUMBERS = [4, 0, 7, 2, 9];

/** Makes five images in batches; their numbers after every iteration too. */
function make(batch: number, observed = false, minOriginality = 0, coarse = 0) {
  const mark = kernels.mark(),
    training = finish(trainingPyramid(kernels, blobs(), planned.sizes)),
    before = kernels.mark();
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
  const layers = planned.layers.map((layer, l) => ({ ...layer, minOriginality: [minOriginality, coarse][l] }));
  const group = { training, numbers: NUMBERS, seedImages: seeds, ...observed && { observed: known } };
  const made: GroupImage[] = [];
  /** The last image of each layer that was seen of each number, as bytes. */
  const last = new Map<string, Uint8Array>();
  for (const event of runHere(kernels, { plan: { ...planned, layers }, seed: 5, batch, groups: [group] })) {
    if (event.type === "image") made.push(event.image);
    if (event.type !== "iteration") continue;
    const { numbers: drawn, layer, images } = event, length = images.length / drawn.length;
    numbers.push(drawn);
    drawn.forEach((number, i) => {
      last.set(`${layer} ${number}`, Uint8Array.from(images.subarray(i * length, (i + 1) * length), byteOf));
    });
  }
  assertEquals(kernels.mark(), before, "all kernel memory is given back");
  const coarseImages = Uint8Array.from(NUMBERS.flatMap((number) => [...last.get(`1 ${number}`)!]));
  const coarseOriginality = nearestTraining(kernels, training, coarseImages, 1).map((nearest) =>
    originalityOf({ nearest })
  );
  kernels.release(mark);
  return { images: made, numbers, last, coarseOriginality };
}

Deno.test("runHere: the same images in batches of any size, in their order, each with its own observations", () => {
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

Deno.test("runHere: memory is given back where nobody goes on", () => {
  const mark = kernels.mark(),
    training = finish(trainingPyramid(kernels, blobs(), planned.sizes)),
    before = kernels.mark();
  const seeds = seedImages(kernels, blobs(24, 16, 2), planned.sizes, NUMBERS);
  const group = { training, numbers: NUMBERS, seedImages: seeds };
  const events = runHere(kernels, { plan: planned, seed: 5, batch: 2, groups: [group] });
  events.next();
  assert(kernels.mark() > before);
  events.return();
  assertEquals(kernels.mark(), before);
  kernels.release(mark);
});

Deno.test("runHere: images below a least originality are drawn again, whatever the batch; the best is kept", () => {
  const plain = make(5).images, values = plain.map(originalityOf), middle = values.toSorted((a, b) => a - b)[2];
  const all = make(5, false, middle).images;
  for (const batch of [1, 2, 3]) assertEquals(make(batch, false, middle).images, all);
  all.forEach(({ tries, ...image }, i) => {
    if (values[i] >= middle) assertEquals([tries, image], [1, plain[i]], "original enough at once");
    else {
      assert(tries! > 1 && tries! <= MAX_TRIES && originalityOf(image) >= values[i], `image ${i}`);
      assert(originalityOf(image) >= middle || tries === MAX_TRIES, `image ${i}`);
    }
  });
  assert(all.some(({ pixels }, i) => String(pixels) !== String(plain[i].pixels)));
  // What nothing reaches is drawn as often as allowed; the best of more tries is no worse.
  const most = make(5, false, 1000).images;
  assertEquals(most.map(({ tries }) => tries), NUMBERS.map(() => MAX_TRIES));
  most.forEach((image, i) => assert(originalityOf(image) >= originalityOf(all[i])));
  assertEquals(make(2, false, 0).images.map(({ tries: _, ...image }) => image), plain);
});

Deno.test("runHere: who watches the iterations sees those of the image that is kept last", () => {
  for (const least of [0, 0.9, 1000]) {
    const { images, last } = make(3, false, least);
    for (const { number, pixels } of images) assertEquals(last.get(`0 ${number}`), pixels, `${least}`);
  }
});

Deno.test("runHere: a coarse layer's least originality decides before the others are drawn, whatever the batch", () => {
  const plain = make(5), values = plain.coarseOriginality, middle = values.toSorted((a, b) => a - b)[2];
  const all = make(5, false, 0, middle);
  for (const batch of [1, 2, 3]) assertEquals(make(batch, false, 0, middle).images, all.images);
  // Only what is kept is drawn to the end, and yielded.
  assertEquals(all.numbers, Array.from({ length: iterationsOf(planned) }, () => NUMBERS));
  all.images.forEach(({ tries, ...image }, i) => {
    const found = all.coarseOriginality[i];
    assert(found >= middle || tries === MAX_TRIES, `image ${i}`);
    assertEquals(tries === 1, values[i] >= middle);
    if (tries === 1) assertEquals(image, plain.images[i]);
    else assert(found >= values[i], `image ${i}`);
  });
  // With both, an image passes both, or is the best of all tries.
  const both = make(5, false, originalityOf(all.images[0]) + 1e-6, middle),
    tries = both.images.map(({ tries }) => tries!);
  assert(tries.every((count, i) => count >= all.images[i].tries!) && tries[0] > all.images[0].tries!, String(tries));
  assertEquals(make(2, false, originalityOf(all.images[0]) + 1e-6, middle).images, both.images);
});
