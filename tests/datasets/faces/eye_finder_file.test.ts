import { assert, assertEquals, assertThrows } from "@std/assert";
import { readFinder, storedFinder } from "../../../datasets/faces/eye_finder_file.ts";
import { FACE, FINE_FRAMES, FRAMES, sizeOf } from "../../../datasets/faces/windows.ts";
import file from "../../../datasets/faces/eye_finder.json" with { type: "json" };

Deno.test("an eye finder as a file: each coefficient to 1/65534 of the largest, and others are refused", () => {
  const weights = (count: number, by: number) => Float32Array.from({ length: count }, (_, i) => by * Math.sin(i));
  const finder = {
    face: weights(sizeOf(FACE) + 1, 0.01),
    steps: FRAMES.map((frame, i) => weights(4 * (sizeOf(frame) + 1), i)),
    fineSteps: FINE_FRAMES.map((frame) => weights(4 * (sizeOf(frame) + 1), 3)),
  };
  const stored = storedFinder(finder), read = readFinder(JSON.parse(JSON.stringify(stored)));
  const pairs = [
    [finder.face, read.face],
    ...[...finder.steps, ...finder.fineSteps].map((step, i) => {
      return [step, [...read.steps, ...read.fineSteps][i]];
    }),
  ];
  for (const [wanted, got] of pairs) {
    const largest = Math.max(...wanted.map(Math.abs));
    assertEquals(got.length, wanted.length);
    wanted.forEach((weight, i) => assert(Math.abs(weight - got[i]) <= largest * 1.01 / 65534, `${weight} ${got[i]}`));
  }
  assertThrows(() => readFinder({ ...stored, steps: stored.steps.slice(1) }), Error, "expected 5 steps, got 4");
  assertThrows(() => readFinder({ ...stored, face: stored.steps[0] }), Error, "expected 513 coefficients, got 2052");
});

Deno.test("the shipped eye finder: says what it was learned from and how, and holds no more than its coefficients", () => {
  readFinder(file);
  assertEquals(Object.keys(file), ["about", "command", "learnedFrom", "face", "steps", "fineSteps"]);
  assertEquals(file.command, `deno task build:eyes ${file.learnedFrom.slice(1).map(({ name }) => name).join(" ")}`);
  for (const { images, sha256 } of file.learnedFrom) assert(images >= 100 && /^[0-9a-f]{64}$/.test(sha256));
});
