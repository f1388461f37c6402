/** Small images that are not square, and what metrics score for them upright and lying. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { blobs } from "../../../core/testing/small_images.ts";
import type { Images } from "../../../core/types.ts";
import { type MetricJob, runMetricJob } from "../../../pipelines/assessment/metric_job.ts";
import { wasm } from "../../kernels_under_test.ts";

/** Measures images of three sets, of two classes in turn. */
export function measured(metric: string, [generated, training, heldOut]: readonly Images[]): Float64Array {
  const labels = (count: number) => Uint8Array.from({ length: count }, (_, i) => i % 2);
  const counts = [generated.count, training.count, heldOut.count].map(labels);
  const job: MetricJob = {
    metric,
    options: {},
    generated,
    training,
    heldOut,
    labels: { generated: counts[0], training: counts[1], heldOut: counts[2] },
    patch: 4,
    overlap: 2,
    window: 2,
  };
  return runMetricJob(wasm, job).values;
}

/** The shape of the images. */
export const SHAPE = { height: 16, width: 24 };
/** Generated, training and held-out images. */
export const GREY: readonly Images[] = [12, 30, 14].map((count, seed) => blobs(count, seed, { ...SHAPE, channels: 1 }));

/** Rows become columns. */
function transposed(images: Images): Images {
  const { height, width, pixels } = images, area = height * width;
  const at = (i: number) => Math.floor(i / area) * area + i % height * width + Math.floor(i % area / height);
  return { ...images, height: width, width: height, pixels: pixels.map((_, i) => pixels[at(i)]) };
}

/**
 * Tests that a metric scores images that are not square alike upright and lying.
 *
 * @param isDirected whether it knows left and right, or the directions of edges: then its scores may differ
 */
export function testShapes(metric: string, isDirected = false): void {
  Deno.test(`${metric}: images that are not square, upright as well as lying`, () => {
    const upright = GREY.map(transposed);
    assertEquals([upright[0].height, upright[0].width], [24, 16]);
    const lying = measured(metric, GREY), standing = measured(metric, upright);
    assertEquals(standing.length, lying.length);
    if (isDirected) return assert(standing.every(Number.isFinite), metric);
    standing.forEach((value, i) => {
      assertAlmostEquals(
        value,
        lying[i],
        1e-6 * Math.max(1, Math.abs(value)),
        `${metric} knows directions: say isDirected`,
      );
    });
  });
}
