import { assert, assertEquals, assertThrows } from "@std/assert";
import type { LabelledImages } from "../../../datasets/data_set.ts";
import { proceduralDigits } from "../../../datasets/procedural/digits.ts";

const AREA = 28 * 28;

function digit(set: Required<LabelledImages>, i: number): Uint8Array {
  return set.images.pixels.subarray(i * AREA, (i + 1) * AREA);
}

/** 32-bit FNV-1a hash. */
function hash(bytes: Uint8Array): number {
  let h = 0x811c9dc5;
  for (const byte of bytes) h = Math.imul(h ^ byte, 0x01000193);
  return h >>> 0;
}

function squaredDistance(a: Uint8Array, b: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

Deno.test("proceduralDigits: shape, and classes in turn", () => {
  const { images, labels } = proceduralDigits("train", 3);
  assertEquals([images.count, images.height, images.width, images.pixels.length], [30, 28, 28, 30 * AREA]);
  assertEquals(Array.from(labels), Array.from({ length: 30 }, (_, i) => i % 10));
  for (const perClass of [0, -1, 1.5, NaN]) assertThrows(() => proceduralDigits("train", perClass), RangeError);
});

Deno.test("proceduralDigits: the same bytes every time, and digit i whatever the size of the set", () => {
  for (const split of ["train", "test"] as const) {
    const large = proceduralDigits(split, 20), small = proceduralDigits(split, 7);
    assertEquals(proceduralDigits(split, 20).images.pixels, large.images.pixels);
    assertEquals(small.images.pixels, large.images.pixels.subarray(0, 70 * AREA));
  }
});

// A change of the glyphs or the hand changes these; a change of JavaScript engine must not.
Deno.test("proceduralDigits: the bytes are the recorded ones", () => {
  assertEquals(hash(proceduralDigits("train", 50).images.pixels), 2536985623);
  assertEquals(hash(proceduralDigits("test", 50).images.pixels), 3089998030);
});

Deno.test("proceduralDigits: calls no function whose result the language leaves to the engine", () => {
  const math = Math as unknown as Record<string, unknown>;
  const names = ["random", "sin", "cos", "tan", "atan", "atan2", "exp", "log", "pow", "hypot", "cbrt"];
  const originals = names.map((name) => math[name]);
  const fail = () => {
    throw new Error("inexact or random Math function called");
  };
  try {
    for (const name of names) math[name] = fail;
    proceduralDigits("train", 5);
  } finally {
    names.forEach((name, k) => math[name] = originals[k]);
  }
});

Deno.test("proceduralDigits: no two images alike, within train and test and between them", () => {
  const seen = new Set<string>();
  for (const split of ["train", "test"] as const) {
    const set = proceduralDigits(split, 100);
    for (let i = 0; i < set.images.count; i++) seen.add(digit(set, i).join());
  }
  assertEquals(seen.size, 2000);
});

Deno.test("proceduralDigits: framed like MNIST", () => {
  const set = proceduralDigits("train", 400);
  for (let i = 0; i < set.images.count; i++) {
    const pixels = digit(set, i);
    let mass = 0, x = 0, y = 0, brightest = 0;
    for (let k = 0; k < AREA; k++) {
      const column = k % 28, row = Math.floor(k / 28), ink = pixels[k];
      if (column === 0 || row === 0 || column === 27 || row === 27) assertEquals(ink, 0, `digit ${i} at the border`);
      mass += ink;
      x += ink * (column + 0.5);
      y += ink * (row + 0.5);
      brightest = Math.max(brightest, ink);
    }
    assertEquals(brightest, 255, `digit ${i} is faint`);
    const offCentre = Math.max(Math.abs(x / mass - 14), Math.abs(y / mass - 14));
    assert(offCentre < 0.5, `digit ${i}: centre of mass ${offCentre} px off`);
    const share = mass / 255 / AREA;
    assert(share > 0.03 && share < 0.32, `digit ${i}: ink covers ${share}`);
  }
});

Deno.test("proceduralDigits: classes told apart by the nearest neighbour, none too near", () => {
  const train = proceduralDigits("train", 300), test = proceduralDigits("test", 30);
  const nearestOwn = new Float64Array(10);
  let right = 0;
  for (let i = 0; i < 300; i++) {
    const own = test.labels[i], nearest = new Float64Array(10).fill(Infinity);
    for (let j = 0; j < 3000; j++) {
      const d = squaredDistance(digit(test, i), digit(train, j));
      nearest[train.labels[j]] = Math.min(nearest[train.labels[j]], d);
    }
    if (nearest[own] === Math.min(...nearest)) right++;
    nearestOwn[own] += Math.sqrt(nearest[own]) / 255 / 30;
  }
  const accuracy = right / 300, mean = nearestOwn.reduce((a, b) => a + b) / 10;
  const perClass = Array.from(nearestOwn, (d) => d.toFixed(2)).join(" ");
  console.log(`1-NN accuracy ${accuracy.toFixed(3)}, distance ${mean.toFixed(2)}, by class ${perClass}`);
  assert(accuracy >= 0.95, `1-NN accuracy ${accuracy}`);
  assert(mean >= 3.5, `mean distance ${mean}`);
  // MNIST's own ones, mostly bare sticks, are as near as 2.5.
  for (let d = 0; d < 10; d++) assert(nearestOwn[d] >= (d === 1 ? 1.5 : 3.5), `class ${d}: ${nearestOwn[d]}`);
});
