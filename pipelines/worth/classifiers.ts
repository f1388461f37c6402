/** Trains classifiers and counts how many images they label correctly. All of them see images through their squared distances. */
import { borrowing, type Kernels } from "../../core/kernels.ts";
import { eachRow } from "../../core/image_distances.ts";
import { rowsOf } from "../../core/nearest.ts";
import { lengthOf } from "../../core/shape.ts";
import type { Images, Rows } from "../../core/types.ts";
import { PROGRESS, type Steps } from "../../core/steps.ts";
import { gradientHistograms, histogramsLength } from "../../plugins/metrics/judge/gradient_histograms.ts";
import type { ClassifierName } from "./names.ts";
import { type KernelValues, predictSvm, trainSvm } from "./svm.ts";

/**
 * C of the machines. On 10 to 100 real images of MNIST a class, LIBSVM's C of 1 costs the Gaussian kernel half a point against 10, and
 * gains nothing for the linear one against 0.1; more changes neither.
 */
export const COST = { linear: 0.1, svm: 10, gradients: 10 } as const;

/** Images of one size with their classes. */
export interface Examples {
  readonly images: Images;
  readonly labels: Uint8Array;
}

/** The part of images that each classifier labels correctly, 0..1. */
export type Accuracies = Readonly<Partial<Record<ClassifierName, number>>>;

/** Trains classifiers on one set and tests them on others, in steps. Returns the accuracies on each of `tests`. */
export function* accuracies(
  kernels: Kernels,
  names: readonly ClassifierName[],
  training: Examples,
  tests: readonly Examples[],
): Steps<Accuracies[]> {
  const pixels = names.filter((name) => name !== "gradients"), gradients = names.filter((name) => name === "gradients");
  const byPixels = yield* ofFeatures(kernels, pixels, training, tests);
  if (gradients.length === 0) return byPixels;
  const byGradients = yield* ofFeatures(kernels, gradients, described(training), tests.map(described));
  return byPixels.map((accuracies, i) => ({ ...accuracies, ...byGradients[i] }));
}

/** Replaces images by their histograms of gradients, as images of one row. */
export function described({ images, labels }: Examples): Examples {
  const set: Rows = { ...images, channels: images.channels ?? 1, at: 0 };
  const shape = { height: 1, width: histogramsLength(set) };
  return { images: { count: images.count, ...shape, pixels: gradientHistograms(set, images.pixels) }, labels };
}

function* ofFeatures(
  kernels: Kernels,
  names: readonly ClassifierName[],
  { images, labels }: Examples,
  tests: readonly Examples[],
): Steps<Accuracies[]> {
  if (names.length === 0) return tests.map(() => ({}));
  const across: KernelValues[] = [];
  for (const test of tests) {
    across.push(squaredDistances(kernels, test.images, images));
    yield PROGRESS;
  }
  const within = names.some((name) => name !== "nearest") ? squaredDistances(kernels, images, images) : undefined;
  yield PROGRESS;
  const predict = (name: ClassifierName): Uint8Array[] => {
    if (name === "nearest" || !within) return across.map((squared) => nearestLabels(squared, labels));
    const kernelOf = name === "linear" ? linearKernel : gaussianKernel(images);
    const machines = trainSvm(kernelOf(within, images, images), labels, COST[name]);
    return across.map((squared, i) => predictSvm(machines, kernelOf(squared, tests[i].images, images)));
  };
  const predicted: Uint8Array[][] = [];
  for (const name of names) {
    predicted.push(predict(name));
    yield PROGRESS;
  }
  return tests.map((test, i) => {
    return Object.fromEntries(names.map((name, n) => [name, agreement(predicted[n][i], test.labels)]));
  });
}

/** Squared distances of images, of values in [0, 1]: a row for each image of `images`, a column for each of `others`. */
export function squaredDistances(kernels: Kernels, images: Images, others: Images): KernelValues {
  const columns = others.count, values = new Float32Array(images.count * columns);
  borrowing(kernels, () => {
    eachRow(kernels, rowsOf(kernels, images), rowsOf(kernels, others), (image, row) => {
      for (let i = 0; i < columns; i++) values[image * columns + i] = row[i] / 255 ** 2;
    });
  });
  return { columns, values };
}

type KernelOf = (squared: KernelValues, images: Images, others: Images) => KernelValues;

/** The scalar products, from the distances: x y = (|x|^2 + |y|^2 - |x - y|^2) / 2. */
const linearKernel: KernelOf = ({ columns, values: squared }, images, others) => {
  const a = squaredNorms(images), b = squaredNorms(others);
  return { columns, values: squared.map((d, n) => (a[Math.floor(n / columns)] + b[n % columns] - d) / 2) };
};

/** e^(-gamma d^2), gamma being one over the number of values and their variance: the usual choice ("scale" of scikit-learn). */
export function gaussianKernel({ pixels }: Images): KernelOf {
  return ({ columns, values: squared }, { count: _, pixels: __, ...shape }) => {
    let sum = 0, squares = 0;
    for (const value of pixels) {
      sum += value;
      squares += value * value;
    }
    const variance = (squares / pixels.length - (sum / pixels.length) ** 2) / 255 ** 2;
    const gamma = 1 / (lengthOf(shape) * (variance || 1));
    return { columns, values: squared.map((d) => Math.exp(-gamma * d)) };
  };
}

function squaredNorms({ count, pixels }: Images): Float64Array {
  const length = pixels.length / count;
  return Float64Array.from({ length: count }, (_, i) => {
    let sum = 0;
    for (let p = i * length; p < (i + 1) * length; p++) sum += pixels[p] * pixels[p];
    return sum / 255 ** 2;
  });
}

/** The label of each row's nearest column; of two as near, of the first. */
function nearestLabels({ columns, values }: KernelValues, labels: Uint8Array): Uint8Array {
  return Uint8Array.from({ length: values.length / columns }, (_, image) => {
    let best = 0;
    for (let i = 1; i < columns; i++) if (values[image * columns + i] < values[image * columns + best]) best = i;
    return labels[best];
  });
}

function agreement(predicted: Uint8Array, labels: Uint8Array): number {
  return predicted.filter((label, i) => label === labels[i]).length / labels.length;
}
