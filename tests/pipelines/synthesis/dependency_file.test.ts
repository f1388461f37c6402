/** The file of dependencies: rows of bits by the numbers of training images in the data. */
import { assertEquals, assertThrows } from "@std/assert";
import { gzipSync } from "fflate";
import { keptImages } from "../../../datasets/left_out.ts";
import { lineageInClass, readDependencies, writeDependencies } from "../../../pipelines/synthesis/dependency_file.ts";
import { addImage, allImages, hasImage, imagesIn, noImages } from "../../../pipelines/run/image_bits.ts";

Deno.test("image bits: the highest bit of the first byte is that of image 0, as numpy.unpackbits has it", () => {
  const bits = noImages(11);
  for (const image of [0, 9]) addImage(bits, image);
  assertEquals([...bits], [0b10000000, 0b01000000]);
  assertEquals([imagesIn(bits), hasImage(bits, 9), hasImage(bits, 10)], [[0, 9], true, false]);
  assertEquals([...allImages(11)], [255, 0b11100000]);
});

/** Twelve training images of classes 0 and 1 in turn; number 2 was left out. */
const KEPT = keptImages(["2"], 12);
const TRAIN = {
  images: { count: 11, height: 1, width: 1, pixels: new Uint8Array(11) },
  labels: Uint8Array.from(KEPT.numbers, (number) => number % 2),
};

Deno.test("dependency file: what is written is read, by the numbers that the data has with all training images", () => {
  const even = noImages(5), odd = allImages(6);
  for (const place of [0, 1, 4]) addImage(even, place); // 0, 4, 10 of 0, 4, 6, 8, 10
  const images = [{ label: 0, lineage: { dependsOn: even, drawnFrom: noImages(5) } }, {
    label: 1,
    lineage: { dependsOn: odd, drawnFrom: odd.map((byte) => byte & 0b10000000) },
  }];
  const bytes = writeDependencies({ train: TRAIN, kept: KEPT }, images), read = readDependencies(bytes, 2, 12, "it");
  assertEquals(bytes, writeDependencies({ train: TRAIN, kept: KEPT }, images));
  assertEquals(read.map(({ dependsOn }) => imagesIn(dependsOn)), [[0, 4, 10], [1, 3, 5, 7, 9, 11]]);
  assertEquals(read.map(({ drawnFrom }) => imagesIn(drawnFrom)), [[], [1]]);
  const classes = [0, 1].map((label, i) => lineageInClass({ train: TRAIN, kept: KEPT }, label)(read[i]));
  assertEquals(classes, images.map(({ lineage }) => lineage));
  const untraced = () => writeDependencies({ train: TRAIN, kept: KEPT }, [images[0], { label: 1 }]);
  assertThrows(untraced, Error, "Cannot write the dependencies of image 1: they were not traced");
  const why = "Cannot read it: expected 3 rows for 12 training images";
  assertThrows(() => readDependencies(bytes, 3, 12, "it"), Error, why);
  for (const other of [new Uint8Array(), bytes.subarray(0, 30), gzipSync(new Uint8Array(500))]) {
    assertThrows(() => readDependencies(other, 3, 12, "it"), Error, why);
  }
});

Deno.test("dependency file: no more is decompressed than the rows that are expected", () => {
  // Zeros in several slices, and then what cannot be decompressed: a reader that goes on to it says so.
  const zeros = gzipSync(new Uint8Array(40_000_000)), damaged = zeros.fill(0xff, zeros.length - 4000);
  const error = assertThrows(() => readDependencies(damaged, 3, 12, "it"), Error, "Cannot read it: expected 3 rows");
  assertEquals((error.cause as Error).message, "expected at most 268 bytes, got more");
});
