import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { zipSync } from "fflate";
import { bytesToNpy, floatsToNpy } from "../../../datasets/formats/npy.ts";
import { imagesFromNpz, isZip } from "../../../datasets/formats/npz.ts";
import { countBlocks } from "../../work.ts";

/** An array of `count` images of 3x2 pixels; every pixel of image i is `first + i`. */
function images(count: number, first = 0): Uint8Array {
  return bytesToNpy([count, 3, 2], Uint8Array.from({ length: 6 * count }, (_, i) => first + Math.floor(i / 6)));
}

function labels(...values: number[]): Uint8Array {
  return bytesToNpy([values.length, 1], Uint8Array.from(values));
}

function npz(arrays: Readonly<Record<string, Uint8Array>>, level: 0 | 6 = 0): Uint8Array {
  const files = Object.entries(arrays).map(([name, bytes]) => [`${name}.npy`, bytes] as const);
  return zipSync(Object.fromEntries(files), { level });
}

function read(arrays: Readonly<Record<string, Uint8Array>>, level: 0 | 6 = 0) {
  const { train, test, notes, scaled } = imagesFromNpz(npz(arrays, level), "a.npz");
  const first = ({ images: { count, pixels } }: typeof train) => Array.from({ length: count }, (_, i) => pixels[6 * i]);
  return {
    train: first(train),
    labels: train.labels && [...train.labels],
    test: test && first(test),
    testLabels: test?.labels && [...test.labels],
    notes,
    scaled,
  };
}

Deno.test("imagesFromNpz: the names that Keras, MedMNIST, NumPy and generators give arrays, stored and compressed", () => {
  const both = { train: [0, 1, 2], labels: [5, 6, 7], test: [9, 10], testLabels: [1, 2] };
  for (const level of [0, 6] as const) {
    for (
      const [x, y, testX, testY] of [
        ["x_train", "y_train", "x_test", "y_test"],
        ["train_images", "train_labels", "test_images", "test_labels"],
        ["images", "labels", "test_x", "test_y"],
      ]
    ) {
      const arrays = { [testY]: labels(1, 2), [y]: labels(5, 6, 7), [x]: images(3), [testX]: images(2, 9) };
      assertEquals(read(arrays, level), { ...both, notes: [], scaled: "uint8 taken as they are" }, x);
    }
  }
  const { train, labels: given } = read({ arr_0: images(3), arr_1: labels(5, 6, 7) });
  assertEquals([train, given], [[0, 1, 2], [5, 6, 7]]);
  const odd = read({ mine: images(2), val_images: labels(1), ids: labels(3) });
  assertEquals([odd.train, odd.labels, odd.notes], [[0, 1], undefined, ["arrays left out: val_images, ids"]]);
});

Deno.test("imagesFromNpz: labels belong to the images beside them, whatever the order of the arrays", () => {
  const both = { images: images(2), labels: labels(5, 6), x: images(2, 8), y: labels(1, 2) };
  const cases: [names: (keyof typeof both)[], images: number[], labels: number[], left: string[]][] = [
    [["images", "labels", "y"], [0, 1], [5, 6], ["y"]],
    [["x", "y", "labels"], [8, 9], [1, 2], ["labels"]],
    [["images", "labels", "x", "y"], [0, 1], [5, 6], ["x", "y"]],
    [["images", "y"], [0, 1], [1, 2], []],
    [["x", "labels"], [8, 9], [5, 6], []],
  ];
  for (const [names, train, given, left] of cases) {
    for (const order of [names, names.toReversed()]) {
      const found = read(Object.fromEntries(order.map((name) => [name, both[name]])));
      assertEquals([found.train, found.labels], [train, given], order.join());
      const others = order.filter((name) => left.includes(name)).join(", ");
      assertEquals(found.notes, left.length > 0 ? [`arrays left out: ${others}`] : []);
    }
  }
  for (const order of [["labels", "targets"], ["targets", "labels"]]) {
    const arrays = Object.fromEntries([["images", images(2)], ...order.map((name) => [name, labels(1, 2)] as const)]);
    assertThrows(() => read(arrays), Error, `a.npz: expected one array of train labels, got ${order.join(" and ")}`);
  }
});

Deno.test("imagesFromNpz: floats are scaled, and the sets say how", () => {
  const floats = floatsToNpy([1, 3, 2], new Float32Array(6).fill(0.5));
  assertEquals(read({ images: floats }), {
    train: [128],
    labels: undefined,
    test: undefined,
    testLabels: undefined,
    scaled: "float32 in [0, 1], scaled by 255",
    notes: [],
  });
  const { notes } = read({ x_train: images(1), x_test: floats });
  assertEquals(notes, ["test images float32 in [0, 1], scaled by 255"]);
});

Deno.test("imagesFromNpz: each wrong file has its own sentence", () => {
  const fails = (bytes: Uint8Array, sentence: string) => {
    assertThrows(() => imagesFromNpz(bytes, "a.npz"), Error, sentence);
  };
  const names = "expected an array named images, x, arr_0, x_train or train_images, got";
  fails(npz({ a: images(2), b: images(2) }), `a.npz: ${names} a, b`);
  fails(zipSync({ "a.txt": new Uint8Array(5) }), `a.npz: ${names} none`);
  fails(npz({ images: images(2), labels: labels(1) }), "array labels: expected 2 labels, one an image, got 1");
  const negative = floatsToNpy([2], Float32Array.of(1, -1));
  fails(
    npz({ images: images(2), labels: negative }),
    "array labels: label 1 is -1: expected whole numbers from 0 to 255",
  );
  const matrix = bytesToNpy([2, 2], new Uint8Array(4));
  fails(
    npz({ images: images(2), labels: matrix }),
    "holds no labels: expected shape (count) or (count, 1), got (2, 2)",
  );
  fails(npz({ images: images(2) }).subarray(0, 100), "a.npz is damaged or cut off: it cannot be read as NPZ");

  // A file of a few kilobytes that promises gigabytes.
  const bomb = npz({ images: images(2000) }, 6), view = new DataView(bomb.buffer, bomb.byteOffset);
  for (let at = 0; at < bomb.length - 46; at++) {
    if (view.getUint32(at, true) === 0x02014b50) view.setUint32(at + 24, 0xf0000000, true);
  }
  fails(bomb, "a.npz: expected arrays of at most 67108864 bytes, got 4026531840 of images.npy");
});

Deno.test("imagesFromNpz: damaged files give images or a sentence that names the file", () => {
  const whole = npz({ images: images(4), labels: labels(1, 2, 3, 4) }, 6);
  fc.assert(fc.property(fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 4 }), (changes) => {
    const bytes = whole.slice();
    for (const [at, byte] of changes) bytes[at] = byte;
    if (!isZip(bytes)) return;
    try {
      imagesFromNpz(bytes, "a.npz");
    } catch (error) {
      assertEquals((error as Error).message.startsWith("a.npz"), true, String(error));
    }
  }));
});

/** Where the directory of a ZIP file ends. */
const endOf = (bytes: Uint8Array) => bytes.length - 22;

Deno.test("imagesFromNpz: a directory that claims four billion files costs as many steps as its bytes", async () => {
  const bytes = npz({ images: images(2) }), end = endOf(bytes), longer = new Uint8Array(bytes.length + 76);
  longer.set(bytes.subarray(0, end));
  const view = new DataView(longer.buffer), zip64 = end, locator = end + 56;
  view.setUint32(zip64, 0x6064b50, true);
  view.setUint32(zip64 + 32, 2 ** 32 - 1, true); // files
  view.setUint32(zip64 + 48, new DataView(bytes.buffer).getUint32(end + 16, true), true);
  view.setUint32(locator, 0x7064b50, true);
  view.setUint32(locator + 8, zip64, true);
  longer.set(bytes.subarray(end), locator + 20);
  view.setUint16(locator + 20 + 8, 65535, true);
  const sentence = "a.npz is damaged or cut off: it cannot be read as NPZ";
  const blocks = await countBlocks(() => assertThrows(() => imagesFromNpz(longer, "a.npz"), Error, sentence));
  assert(blocks < 10_000, `${blocks} blocks`);
});

Deno.test("imagesFromNpz: arrays that are the same bytes, each as long as a file may become", () => {
  const zeros = bytesToNpy([1, 7000, 7000], new Uint8Array(49e6));
  const bytes = npz({ images: zeros }, 6), end = endOf(bytes), view = new DataView(bytes.buffer);
  const at = view.getUint32(end + 16, true), entry = bytes.slice(at, end), files = 40;
  const bomb = new Uint8Array(bytes.length + (files - 1) * entry.length);
  bomb.set(bytes.subarray(0, at));
  for (let n = 0; n < files; n++) bomb.set(entry, at + n * entry.length);
  bomb.set(bytes.subarray(end), endOf(bomb));
  for (const field of [8, 10]) new DataView(bomb.buffer).setUint16(endOf(bomb) + field, files, true);
  const sentence = "a.npz: expected arrays of at most 67108864 bytes together in a file of its length, got more";
  assertThrows(() => imagesFromNpz(bomb, "a.npz"), Error, sentence);
});

Deno.test("imagesFromNpz: names of arrays are shown in one line of a sentence's length", () => {
  const names = ["a\u001b[2J\nb", "n".repeat(5000)];
  const bytes = npz(Object.fromEntries(names.map((name) => [name, labels(1)])));
  const { message } = assertThrows(() => imagesFromNpz(bytes, "a.npz"), Error);
  assert(/^[^\p{C}]{1,500}$/u.test(message), message);
});

/** Changes a field of the directory's first entry. */
function withField(bytes: Uint8Array, field: number, value: number): Uint8Array {
  const changed = bytes.slice(), view = new DataView(changed.buffer);
  view.setUint32(view.getUint32(endOf(changed) + 16, true) + field, value, true);
  return changed;
}

Deno.test("imagesFromNpz: an array has the length and the CRC-32 that the directory says, stored and compressed", async () => {
  for (const level of [0, 6] as const) {
    const whole = npz({ images: images(4) }, level),
      fails = (bytes: Uint8Array, sentence: string) => {
        assertThrows(() => imagesFromNpz(bytes, "a.npz"), Error, `a.npz is damaged, in array images: ${sentence}`);
      };
    assertEquals(imagesFromNpz(whole, "a.npz").train.images.count, 4);
    fails(withField(whole, 16, 1), "its CRC-32 is not that of its bytes");
    fails(withField(whole, 24, 153), "expected 153 bytes, got 152");
    fails(
      withField(whole, 24, 151),
      level === 0 ? "expected 151 bytes, got 152" : "expected at most 151 bytes, got more",
    );
    const other = whole.slice();
    other[whole.length - 22 - 46 - "images.npy".length - 1] ^= 1; // in the last pixel, or in the last code
    assertThrows(() => imagesFromNpz(other, "a.npz"), Error, "a.npz is damaged, in array images: ");
  }
  // What follows behind the stated size is not decompressed.
  const zeros = npz({ images: bytesToNpy([2, 3500, 3500], new Uint8Array(2 * 3500 ** 2)) }, 6);
  const [short, all] = [withField(zeros, 24, 200), zeros];
  const long = await countBlocks(() => imagesFromNpz(all, "a.npz"));
  const blocks = await countBlocks(() => assertThrows(() => imagesFromNpz(short, "a.npz"), Error, "got more"));
  assert(blocks < long / 2, `${blocks} blocks, all are ${long}`);
});

Deno.test("imagesFromNpz: sizes may be in the extra fields of the directory", () => {
  const whole = npz({ images: images(4) }),
    end = endOf(whole),
    at = new DataView(whole.buffer).getUint32(end + 16, true);
  const name = at + 46 + "images.npy".length,
    bytes = new Uint8Array(whole.length + 20),
    view = new DataView(bytes.buffer);
  bytes.set(whole.subarray(0, name));
  bytes.set(whole.subarray(name), name + 20);
  view.setUint16(at + 30, 20, true);
  view.setUint16(name, 1, true);
  view.setUint16(name + 2, 16, true);
  view.setUint32(name + 4, view.getUint32(at + 24, true), true);
  view.setUint32(name + 12, view.getUint32(at + 20, true), true);
  for (const field of [20, 24]) view.setUint32(at + field, 0xffffffff, true);
  assertEquals(imagesFromNpz(bytes, "a.npz").train.images.count, 4);
});
