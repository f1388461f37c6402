import { assert, assertEquals } from "@std/assert";
import { stream } from "../../../core/random.ts";
import { type KernelValues, predictSvm, trainSvm } from "../../../pipelines/worth/svm.ts";

/** Three overlapping clouds of points, and a grid of points over them. */
function points() {
  const random = stream(5), training: number[][] = [], labels: number[] = [];
  for (let i = 0; i < 60; i++) {
    const c = i % 3;
    training.push([random.next() + 0.35 * c, random.next() + 0.35 * Number(c === 1)]);
    labels.push(c + 4);
  }
  const grid = Array.from({ length: 64 }, (_, i) => [(i % 8) / 4, Math.floor(i / 8) / 5]);
  return { training, labels: Uint8Array.from(labels), grid };
}

function kernelOf(rows: number[][], columns: number[][], kernel: (a: number[], b: number[]) => number): KernelValues {
  const values = rows.flatMap((row) => columns.map((column) => kernel(row, column)));
  return { columns: columns.length, values: Float32Array.from(values) };
}

const gaussian = ([a, b]: number[], [c, d]: number[]) => Math.exp(-2 * ((a - c) ** 2 + (b - d) ** 2));
const linear = ([a, b]: number[], [c, d]: number[]) => a * c + b * d;

/** What LIBSVM (libsvm-js 0.2.1 in Node) says of the grid, and how many support vectors it has. */
const LIBSVM = [
  {
    kernel: gaussian,
    cost: 10,
    labels: "4444666644446666444466664444666644456666445566664555555555555555",
    vectors: 50,
  },
  {
    kernel: linear,
    cost: 0.5,
    labels: "4444666644446666444566664445566644455666444556664455566644555566",
    vectors: 55,
  },
  {
    kernel: gaussian,
    cost: 1000,
    labels: "4444666644546566445465664444656644466566445565564455445544444444",
    vectors: 39,
  },
];

Deno.test("svm: labels points and finds support vectors as LIBSVM does", () => {
  const { training, labels, grid } = points();
  for (const { kernel, cost, ...expected } of LIBSVM) {
    const machines = trainSvm(kernelOf(training, training, kernel), labels, cost);
    assertEquals(predictSvm(machines, kernelOf(grid, training, kernel)).join(""), expected.labels);
    const vectors = new Set(machines.machines.flatMap(({ vectors }) => [...vectors]));
    assertEquals(vectors.size, expected.vectors);
  }
});

Deno.test("svm: images that are all the same, and a class of one image, are no reason to hang", () => {
  const labels = Uint8Array.of(0, 0, 1), kernel = { columns: 3, values: new Float32Array(9).fill(1) };
  const found = predictSvm(trainSvm(kernel, labels, 10), kernel);
  assert(found.every((label) => label <= 1));
  assertEquals(predictSvm(trainSvm(kernel, new Uint8Array(3).fill(7), 1), kernel), new Uint8Array(3).fill(7));
});
