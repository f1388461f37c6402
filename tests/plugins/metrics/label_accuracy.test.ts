import { assertEquals, assertThrows } from "@std/assert";
import { labelAccuracy } from "../../../plugins/metrics/label_accuracy.ts";
import { distancesOf, drawnWorld, first, type ImageSet, judge, pick, setOf, type Subject } from "./generators.ts";
import { testScores } from "./known_faults.ts";

const labelled = (greys: number[], labels: number[]) => setOf(greys.map((grey) => [grey]), labels);
const training = labelled([0, 10, 20, 100, 110, 120], [4, 4, 4, 7, 7, 7]);
const accuracy = (subject: Omit<Subject, "labelled">, options = {}) =>
  judge(labelAccuracy, { ...subject, labelled: true }, options);

Deno.test("label-accuracy: points on a line, by hand", () => {
  const generated = labelled([5, 104, 55, 66], [4, 4, 4, 4]), heldOut = labelled([1, 2, 119, 60], [4, 4, 7, 7]);
  const { values, of, series, settings, warnings } = accuracy({ training, generated, heldOut });
  // 55 has 20, then 10 and 100 equally near; 60 has 20 and 100, then 10 and 110: the lower number comes first.
  assertEquals([...series.predicted], [4, 7, 4, 7]);
  assertEquals([...values], [1, 0, 1, 0]);
  assertEquals([of, warnings], ["generated", []]);
  assertEquals(settings, { neighbours: 3, perClass: 300, training: 6, heldOutAccuracy: 3 / 4 });
});

Deno.test("label-accuracy: the most votes; of equals the nearer; the first images of each class only", () => {
  const generated = labelled([54, 61, 118], [4, 4, 4]), heldOut = generated;
  const predicted = (options: object, of: ImageSet = training) => [
    ...accuracy({ training: of, generated, heldOut }, options).series.predicted,
  ];
  assertEquals(predicted({ neighbours: 1 }), [4, 7, 7]);
  assertEquals(predicted({ neighbours: 2 }), [4, 7, 7]);
  assertEquals(predicted({ neighbours: 4 }), [4, 7, 7]);
  // 0 and 100 are left: 54 is nearer to the latter.
  assertEquals(predicted({ perClass: 1, neighbours: 1 }), [7, 7, 7]);
  // Three of 7 outvote the two of 4 that are nearer.
  assertEquals(predicted({ neighbours: 5 }, labelled([50, 60, 100, 110, 120], [4, 4, 7, 7, 7])), [7, 7, 7]);
});

Deno.test("label-accuracy: a classifier in plain float64", () => {
  const world = drawnWorld(), count = 100, examples = pick(world.training, first(300)); // 30 a class: they come in turn
  const [generated, heldOut] = [world.second, world.heldOut].map((set) => pick(set, first(count)));
  const [rows, heldOutRows] = [generated, heldOut].map((set) => distancesOf(set, examples));
  const classify = (row: number[], k: number) => {
    const votes = first(300).sort((a, b) => row[a] - row[b] || a - b).slice(0, k).map((i) => examples.labels[i]);
    const times = (label: number) => votes.filter((vote) => vote === label).length;
    return votes.find((label) => votes.every((other) => times(other) <= times(label)))!;
  };
  for (const neighbours of [1, 3, 8]) {
    const { training } = world,
      { series, settings } = accuracy({ training, generated, heldOut }, {
        neighbours,
        perClass: 30,
      });
    assertEquals([...series.predicted], rows.map((row) => classify(row, neighbours)));
    const right = heldOutRows.filter((row, i) => classify(row, neighbours) === heldOut.labels[i]).length;
    assertEquals(settings.heldOutAccuracy, right / count);
  }
});

Deno.test("label-accuracy: a sentence where there are no classes, or not one for each image", () => {
  const sets = { training, generated: labelled([5], [4]), heldOut: labelled([5], [4]) };
  const wanted = "Cannot measure label-accuracy: expected";
  assertThrows(
    () => judge(labelAccuracy, sets),
    Error,
    `${wanted} the classes of generated and training images, got none`,
  );
  for (const [name, images] of [["generated", "1 generated"], ["training", "6 training"], ["heldOut", "1 held-out"]]) {
    const without = { ...sets[name as keyof typeof sets], labels: new Uint8Array(0) };
    const judged = () => accuracy({ ...sets, [name]: without });
    assertThrows(judged, Error, `${wanted} one class for each of ${images} images, got 0`);
  }
});

Deno.test("label-accuracy: warns of what makes it say less", () => {
  const generated = labelled([5, 5, 110], [4, 9, 7]), heldOut = labelled([5], [4]);
  const warnings = (of: Omit<Subject, "labelled">, options = {}) => accuracy(of, options).warnings;
  assertEquals(warnings({ training, generated, heldOut }), [
    "no training images of class 9 (1 generated): those count as wrong",
  ]);
  assertEquals([...accuracy({ training, generated, heldOut }).values], [1, 0, 1]);
  const same = labelled([5], [4]);
  assertEquals(warnings({ training, generated: same }), [
    "no held-out images with classes: there is no accuracy to compare with",
  ]);
  assertEquals(accuracy({ training, generated: same }).settings.heldOutAccuracy, "unknown");
  assertEquals(warnings({ training, generated: same, heldOut }, { neighbours: 9 }), [
    "6 training images are too few for 9 votes: 6 are used",
  ]);
  assertEquals(warnings({ training: pick(training, [0, 1, 2, 3]), generated: same, heldOut }), [
    "from 1 to 3 training images a class: the many outvote the few",
  ]);
  assertEquals(warnings({ training: pick(training, [0, 1, 2]), generated: same, heldOut }), [
    "training images of one class only: every image is taken for that",
  ]);
});

Deno.test("label-accuracy: of identical images the first decides", () => {
  const same = labelled([5, 5, 5, 5], [4, 7, 4, 7]);
  assertEquals([...accuracy({ training: same, generated: same, heldOut: same }).series.predicted], [4, 4, 4, 4]);
});

testScores("label-accuracy", {
  copier: [0.95, 1],
  "noisy copier": [0.95, 1],
  repeater: [0.1, 0.1],
  noise: [0.08, 0.12],
  "real sample": [0.93, 1],
});
