/** Gives unlabelled images a class: the paper's measures are taken class by class, whoever made the images. */
import { loadKernels } from "../../../core/kernels.ts";
import { type Plan, squareSides } from "../../../core/plan.ts";
import { range } from "../../../core/pyramid.ts";
import type { Images } from "../../../core/types.ts";
import type { DataSet } from "../../../datasets/data_set.ts";
import { chosenBy } from "../../../datasets/groups.ts";
import { take } from "./run_metrics.ts";
import { runMetricJob } from "../../../pipelines/assessment/metric_job.ts";

/** Training images of each class that are compared with. */
const EACH = 300;
/** Held-out images that the accuracy is measured on. */
const CHECKED = 1000;

/**
 * Classifies images by their nearest training images, as the metric label-accuracy does. `accuracy` is the part of
 * held-out images that it gets right.
 */
export async function classify(
  { train, test }: DataSet,
  images: Images,
  plan: Plan,
): Promise<{ labels: Uint8Array; accuracy: number }> {
  const bytes = await Deno.readFile(new URL("../../../assembly/kernels.wasm", import.meta.url));
  const kernels = loadKernels(await WebAssembly.compile(bytes)), { patch, layers: [finest] } = plan;
  const [size] = squareSides(plan);
  const examples = Uint32Array.from(
    [...new Set(train.labels)].flatMap((label) => [
      ...chosenBy(train.labels, label, train.images.count).subarray(0, EACH),
    ]),
  );
  const count = Math.min(CHECKED, test.images.count);
  const checked = Uint32Array.from({ length: count }, (_, i) => Math.floor(i * test.images.count / count));
  const { series, settings } = runMetricJob(kernels, {
    metric: "label-accuracy",
    options: { perClass: EACH },
    generated: take({ images }, range(images.count), size),
    training: take(train, examples, size),
    heldOut: take(test, checked, size),
    labels: {
      generated: new Uint8Array(images.count), // not known: only what the metric takes them for is used
      training: Uint8Array.from(examples, (i) => train.labels![i]),
      heldOut: test.labels && Uint8Array.from(checked, (i) => test.labels![i]),
    },
    patch,
    overlap: finest.overlap,
    window: finest.window,
  });
  return { labels: Uint8Array.from(series.predicted), accuracy: Number(settings.heldOutAccuracy) };
}
