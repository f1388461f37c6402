import { assert, assertEquals } from "@std/assert";
import { morphPairs } from "../../../datasets/morphs/pairs.ts";
import { blobs, colouredBlobs } from "../../small_world.ts";
import { twin, wasm } from "../../kernels_under_test.ts";
import { noise, setOf } from "./scenes.ts";

/** Images of 16x16 pixels that are mixtures of two patterns of noise: neighbours in the list are most alike. */
function mixtures(count: number) {
  const [one, other] = [noise(256, 1), noise(256, 2)];
  const images = Array.from({ length: count }, (_, i) => {
    return one.map((value, p) => (value * (count - 1 - i) + other[p] * i) / (count - 1));
  });
  return setOf(images, 16, 16);
}

Deno.test("pairs: each image is paired with those most like it, once, and not with near copies", () => {
  const images = mixtures(5);
  const apart = (one: number, other: number) => Math.abs(one - other);
  const pairs = morphPairs(wasm, { images }, 1);
  // Neighbours share too much structure.
  assert(pairs.length > 0);
  for (const { one, other, rank } of pairs) {
    assertEquals(rank, 0);
    assert(apart(one, other) >= 2, `${one} ${other}`);
  }
  const all = morphPairs(wasm, { images }, 100);
  const keys = all.map(({ one, other }) => `${Math.min(one, other)} ${Math.max(one, other)}`);
  assertEquals(new Set(keys).size, keys.length);
  assert(all.length <= 10 && all.length >= pairs.length);
  // The nearest partners of all images come first, and of one rank in the order of the images.
  all.forEach(({ one, rank }, i) => {
    if (i > 0) assert(rank > all[i - 1].rank || rank === all[i - 1].rank && one > all[i - 1].one);
  });
});

Deno.test("pairs: partners are of the same class", () => {
  const images = blobs(12, 16), labels = Uint8Array.from({ length: 12 }, (_, i) => i % 3);
  const pairs = morphPairs(wasm, { images, labels }, 4);
  assert(pairs.length >= 6);
  for (const { one, other } of pairs) assertEquals(labels[one], labels[other]);
});

Deno.test("pairs: the same with the twin of the kernels, of large images and in colour", () => {
  for (const images of [blobs(6, 80), colouredBlobs(6)]) {
    assertEquals(morphPairs(wasm, { images }, 3), morphPairs(twin, { images }, 3));
    const mark = wasm.mark();
    morphPairs(wasm, { images }, 3);
    assertEquals(wasm.mark(), mark);
  }
});

Deno.test("pairs: copies, flat images, single images and no images have no partners", () => {
  const image = noise(256);
  for (const images of [[image, image, image], [image, new Uint8Array(256)], [image], []]) {
    assertEquals(morphPairs(wasm, { images: setOf(images, 16, 16) }, 3), []);
  }
});
