/** Gives unlabelled images a class, because the paper's scores are computed class by class. */
import type { Plan } from "../../core/plan.ts";
import { evenlySpaced, range } from "../../core/numbers.ts";
import type { Images } from "../../core/types.ts";
import type { MetricResult } from "../../core/metric.ts";
import type { DataSet } from "../../datasets/data_set.ts";
import { numbersOfClass } from "../../datasets/groups.ts";
import type { Runner } from "../run/runner.ts";
import type { MetricJob } from "./metric_job.ts";
import { metricProgram } from "./metric_program.ts";
import { paddedImages } from "./padded_images.ts";

/** Training images of each class that images are compared with. */
const EACH = 300;
/** Held-out images that the accuracy is measured on. */
const CHECKED = 1000;

/**
 * Classifies images by their nearest training images, as the metric label-accuracy does.
 *
 * @returns a label for each image, and the part of the held-out images that is classified correctly, 0..1
 */
export async function classify(
  runner: Runner,
  { train, test }: DataSet,
  images: Images,
  plan: Plan,
): Promise<{ labels: Uint8Array; accuracy: number }> {
  const { patch, overlap, window } = plan.compared, [size] = plan.sizes;
  const examples = Uint32Array.from(
    [...new Set(train.labels)].flatMap((label) => [
      ...numbersOfClass(train.labels, label, train.images.count).subarray(0, EACH),
    ]),
  );
  const checked = evenlySpaced(test.images.count, CHECKED);
  let measured: MetricResult | undefined;
  const job: MetricJob = {
    metric: "label-accuracy",
    options: { perClass: EACH },
    generated: paddedImages({ images }, range(images.count), size),
    training: paddedImages(train, examples, size),
    heldOut: paddedImages(test, checked, size),
    labels: {
      generated: new Uint8Array(images.count), // unknown: only the predictions of the metric are used
      training: Uint8Array.from(examples, (i) => train.labels![i]),
      heldOut: test.labels && Uint8Array.from(checked, (i) => test.labels![i]),
    },
    patch,
    overlap,
    window,
  };
  for await (const event of runner.run(metricProgram, { setUp: undefined, tasks: [job] })) {
    if (event.type === "result") measured = event.result;
  }
  if (!measured) throw new Error("Stopped before the images were classified");
  const { series, settings } = measured;
  return { labels: Uint8Array.from(series.predicted), accuracy: Number(settings.heldOutAccuracy) };
}
