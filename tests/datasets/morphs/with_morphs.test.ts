import { assertEquals, assertThrows } from "@std/assert";
import type { DataSet } from "../../../datasets/data_set.ts";
import { leftOut } from "../../../datasets/left_out.ts";
import { namedShares, namesOfClass, originsOf } from "../../../datasets/training_names.ts";
import { withMirroredTraining } from "../../../datasets/mirror.ts";
import { morpher, parentOf } from "../../../datasets/morphs/morph.ts";
import { morphImages, withMorphedTraining, withoutFirst } from "../../../datasets/morphs/with_morphs.ts";
import type { Pair } from "../../../datasets/morphs/pairs.ts";
import { withWarpedTraining } from "../../../datasets/warps.ts";
import { blobs } from "../../small_world.ts";
import { noise, setOf } from "./scenes.ts";

const PAIRS: Pair[] = [{ one: 0, other: 2, rank: 0 }, { one: 3, other: 1, rank: 0 }, { one: 0, other: 1, rank: 2 }];

/** Four images of two classes, and the morphs of some pairs of them. */
function dataOf(more: Partial<DataSet> = {}): DataSet {
  const train = { images: blobs(4, 12), labels: Uint8Array.of(5, 5, 5, 8) };
  return { name: "blobs", origin: "blobs", train, test: train, files: [], ...more };
}

function morphsOf({ train }: DataSet, pairs: readonly Pair[] = PAIRS) {
  const steps = morphImages(train.images, pairs);
  for (let step = steps.next();; step = steps.next()) if (step.done) return step.value;
}

Deno.test("morphs: of the images that pairs name, and none of a pair that does not meet", () => {
  const { images } = dataOf().train, { met, pixels } = morphsOf(dataOf());
  const parents = [0, 1, 2, 3].map((i) => parentOf(images.pixels.subarray(i * 144, (i + 1) * 144), images));
  const morph = morpher(images);
  const expected = PAIRS.map(({ one, other }) => morph(parents[one], parents[other]));
  const known = expected.flatMap(({ residual }, i) => residual <= 0.45 ? [i] : []);
  assertEquals([...met], known);
  assertEquals([...pixels], known.flatMap((i) => [...expected[i].pixels]));
  const unlike = setOf([noise(4096, 1), noise(4096, 2)], 64, 64), image = { ...dataOf(), train: { images: unlike } };
  assertEquals(morphsOf(image, [{ one: 0, other: 1, rank: 0 }, { one: 1, other: 1, rank: 1 }]).met, [1]);
});

Deno.test("morphs: follow the images, with labels, numbers and parents", () => {
  const data = dataOf(), morphs = { pairs: PAIRS, met: [0, 2], pixels: new Uint8Array(2 * 144).fill(7) };
  const morphed = withMorphedTraining(data, 3, morphs), { kept, train } = morphed;
  assertEquals([train.images.count, ...train.labels!], [6, 5, 5, 5, 8, 5, 5]);
  assertEquals(train.images.pixels.subarray(0, 576), data.train.images.pixels);
  // Image 0 with its most alike, and with its third: 1 x 4 + 0 and 3 x 4 + 0.
  assertEquals([[...kept!.numbers], kept!.all], [[0, 1, 2, 3, 4, 12], 16]);
  assertEquals([...morphed.morphs!.parents], [[4, [0, 2]], [12, [0, 1]]]);
  const nameOf = namesOfClass(morphed, 5);
  assertEquals([0, 3, 4].map(nameOf), [{ image: 0 }, { image: 4, parents: [0, 2] }, { image: 12, parents: [0, 1] }]);
  assertEquals([0, 3, 9].map((place) => originsOf(nameOf(place))), [[0], [0, 2], []]);
  // Place 3 is a morph of places 0 and 2, place 9 no image: patches that are no copies.
  const shares = namedShares(nameOf, {
    contributors: [{ image: 3, share: 0.5 }, { image: 2, share: 0.25 }, { image: 9, share: 0.125 }],
  });
  assertEquals(shares, [{ image: 2, share: 0.5 }, { image: 0, share: 0.25 }, { image: null, share: 0.125 }]);
});

Deno.test("morphs: images that were left out keep their numbers, and mirror images and copies of morphs name the parents", () => {
  const data = dataOf({ kept: { numbers: Uint32Array.of(1, 2, 5, 6), all: 9 } });
  const morphs = { pairs: PAIRS, met: [1], pixels: new Uint8Array(144) },
    morphed = withMorphedTraining(data, 1, morphs);
  assertEquals([[...morphed.kept!.numbers], morphed.kept!.all], [[1, 2, 5, 6, 9 + 6], 18]);
  assertEquals([...morphed.morphs!.parents], [[15, [6, 2]]]);
  assertEquals(leftOut(morphed), [0, 3, 4, 7, 8]);
  for (const twice of [withMirroredTraining(morphed), withWarpedTraining(morphed, 1)]) {
    assertEquals(namesOfClass(twice)(9), { image: 18 + 15, parents: [6, 2] });
    assertEquals(namesOfClass(twice)(8), { image: 18 + 6 });
    assertEquals(leftOut(twice), [0, 3, 4, 7, 8]);
  }
});

Deno.test("morphs of morphs: alone, with all parents", () => {
  const data = dataOf(), first = { pairs: PAIRS, met: [0, 1, 2], pixels: new Uint8Array(3 * 144).fill(3) };
  const pairs = withoutFirst(withMorphedTraining(data, 3, first), 4);
  assertEquals([pairs.train.images.count, ...pairs.train.labels!], [3, 5, 8, 5]);
  const second = {
    pairs: [{ one: 0, other: 2, rank: 0 }, { one: 1, other: 2, rank: 1 }],
    met: [0, 1],
    pixels: new Uint8Array(288),
  };
  const fours = withoutFirst(withMorphedTraining(pairs, 2, second), 3);
  assertEquals([1, 0].map(namesOfClass(fours)), [{ image: 2 * 16 + 7, parents: [3, 1, 0, 1] }, {
    image: 16 + 4,
    parents: [0, 2, 0, 1],
  }]);
  assertEquals([fours.kept!.all, fours.kept!.real], [48, 4]);
  assertEquals(leftOut(fours), [], "the images that are behind the morphs are there");
  assertThrows(
    () => withoutFirst(fours, 2),
    Error,
    "Cannot learn from morphs of four images of class 5 alone: expected",
  );
  const lost = { ...second, pairs: [{ one: 0, other: 2, rank: 0 }], met: [0], pixels: new Uint8Array(144) };
  assertThrows(() => withoutFirst(withMorphedTraining(pairs, 2, lost), 3), Error, "of class 8 alone");
});
