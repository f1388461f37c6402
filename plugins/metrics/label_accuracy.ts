import { counted } from "../../core/counted.ts";
import { mean } from "../../core/numbers.ts";
import { definePlugin } from "../../core/plugin.ts";
import type { Rows } from "../../core/types.ts";
import type { MetricInput, MetricResult } from "../../core/metric.ts";
import { borrowing } from "../../core/kernels.ts";
import type { Neighbours } from "../../core/image_distances.ts";
import { gather, nearestIn } from "../../core/nearest.ts";
import { requireImages } from "./metric_input.ts";

/**
 * Label accuracy: the part of the generated images that a k-nearest-neighbour classifier of the training images assigns to
 * their own class. All classes are measured together. The idea is the classification accuracy score of Ravuri and Vinyals,
 * "Classification Accuracy Score for Conditional Generative Models" (2019), with the sets exchanged: it is trained on
 * real images and tested on generated ones.
 *
 * In [0, 1], higher is better, up to the accuracy on held-out images; above that, images are clearer than real ones. A copier
 * scores about that accuracy or more. Noise scores as guessing does (1 / classes), as does one image repeated under all labels;
 * under its own label it scores 1.
 */
export const labelAccuracy = definePlugin({
  api: 1,
  kind: "metric",
  name: "label-accuracy",
  about: "part of the generated images that nearest training images give their own class; near 1: well recognizable",
  options: {
    neighbours: {
      default: 3,
      min: 1,
      max: 100,
      integer: true,
      about: "training images that vote on an image's class; more: smoother borders between classes",
    },
    perClass: {
      default: 300,
      min: 1,
      max: 100000,
      integer: true,
      about: "the first so many training images of each class are asked; more: a better classifier, more time",
    },
  },
  create: (values) => ({ separable: false, together: true, measure: (input) => measure(input, values) }),
});

function measure(input: MetricInput, { neighbours, perClass }: { neighbours: number; perClass: number }): MetricResult {
  requireImages("label-accuracy", input);
  const { generated, training, heldOut, kernels } = input;
  const labels = requireLabels(input);
  const chosen = firstOfEach(labels.training, perClass);
  const of = chosen.map((i) => labels.training[i]);
  const k = Math.min(neighbours, chosen.length);
  const [predicted, baseline] = borrowing(kernels, () => {
    const examples = gather(kernels, training, chosen);
    const predict = (images: Rows) => vote(nearestIn(kernels, images, examples, k), k, of);
    return [predict(generated), labels.heldOut && heldOut && heldOut.count > 0 ? predict(heldOut) : undefined];
  });
  const warnings = remarks(tally(of), tally(labels.generated));
  if (k < neighbours) {
    warnings.push(
      `${counted(chosen.length, "training image is", "training images are")} too few for ${neighbours} votes: ${
        counted(k, "is", "are")
      } used`,
    );
  }
  if (!baseline) warnings.push("no held-out images with classes: there is no accuracy to compare with");
  return {
    values: correct(predicted, labels.generated),
    of: "generated",
    series: { predicted: Float64Array.from(predicted) },
    settings: {
      neighbours: k,
      perClass,
      training: chosen.length,
      heldOutAccuracy: baseline ? mean(correct(baseline, labels.heldOut!)) : "unknown",
    },
    warnings,
  };
}

/** Warnings about the numbers of training and generated images of each class. */
function remarks(training: Map<number, number>, generated: Map<number, number>): string[] {
  const counts = [...training.values()];
  const least = Math.min(...counts);
  const most = Math.max(...counts);
  const found: string[] = [];
  if (2 * least < most) found.push(`from ${least} to ${most} training images a class: the many outvote the few`);
  if (training.size === 1) found.push("training images of one class only: every image is taken for that");
  const alien = [...generated].filter(([label]) => !training.has(label));
  if (alien.length > 0) {
    const classes = alien.map(([label, count]) => `${label} (${count} generated)`).join(", ");
    found.push(`no training images of class ${classes}: those count as wrong`);
  }
  return found;
}

function requireLabels({ labels, generated, training, heldOut }: MetricInput): NonNullable<MetricInput["labels"]> {
  if (!labels) {
    throw new Error("Cannot measure label-accuracy: expected the classes of generated and training images, got none");
  }
  for (
    const [what, of, rows] of [
      ["generated", labels.generated, generated],
      ["training", labels.training, training],
      ["held-out", labels.heldOut, heldOut],
    ] as const
  ) {
    if (!of || !rows || of.length === rows.count) continue;
    const counts = `${rows.count} ${what} images, got ${of.length}`;
    throw new Error(`Cannot measure label-accuracy: expected one class for each of ${counts}`);
  }
  return labels;
}

/** The numbers of the first `most` images of each class. */
function firstOfEach(labels: Uint8Array, most: number): number[] {
  const seen = new Map<number, number>();
  return Array.from(labels.keys()).filter((i) => {
    const count = (seen.get(labels[i]) ?? 0) + 1;
    seen.set(labels[i], count);
    return count <= most;
  });
}

/** The class with the most votes among the k nearest; between equal counts, the class of the nearer image. */
function vote({ index }: Neighbours, k: number, labels: readonly number[]): number[] {
  return Array.from({ length: index.length / k }, (_, image) => {
    const votes = tally(Array.from(index.subarray(image * k, (image + 1) * k), (i) => labels[i]));
    // A Map keeps insertion order, so the class of the nearest image is first.
    return [...votes].reduce((best, one) => one[1] > best[1] ? one : best)[0];
  });
}

/** How often each class occurs. */
function tally(labels: ArrayLike<number>): Map<number, number> {
  const counts = new Map<number, number>();
  for (let i = 0; i < labels.length; i++) counts.set(labels[i], (counts.get(labels[i]) ?? 0) + 1);
  return counts;
}

function correct(predicted: readonly number[], labels: Uint8Array): Float64Array {
  return Float64Array.from(predicted, (label, i) => Number(label === labels[i]));
}
