/** Every metric on images in colour, and on images that are not square. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { blobs } from "../../../core/testing/small_images.ts";
import type { Images } from "../../../core/types.ts";
import { withChannels } from "../../../datasets/channels.ts";
import { type MetricJob, runMetricJob } from "../../../pipelines/assessment/metric_job.ts";
import { builtins } from "../../../plugins/mod.ts";
import { wasm } from "../../kernels_under_test.ts";
import { colouredBlobs } from "../../small_world.ts";

const METRICS = builtins.plugins.filter(({ kind }) => kind === "metric").map(({ name }) => name);

/** Measures images of three sets, of the number of classes that is given. */
function measured(metric: string, [generated, training, heldOut]: readonly Images[]) {
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

const SHAPE = { height: 16, width: 24 };
const GREY = [12, 30, 14].map((count, seed) => blobs(count, seed, { ...SHAPE, channels: 1 }));

Deno.test("metrics: a grey image given as three equal channels scores as the grey one does", () => {
  const equal = GREY.map((images) => withChannels(images, 3));
  // The share comes from the provenance of images, which these do not have.
  for (const metric of METRICS.filter((name) => name !== "share")) {
    const grey = measured(metric, GREY), colour = measured(metric, equal);
    assert(grey.some((value) => !Number.isNaN(value)), metric);
    grey.forEach((value, i) => assertAlmostEquals(colour[i], value, 1e-6 * Math.max(1, Math.abs(value)), metric));
  }
});

Deno.test("metrics: colours count; only what all channels share is judged by the edges of one", () => {
  const sets = [12, 30, 14].map((count, seed) => colouredBlobs(count, SHAPE, seed));
  /** Red and blue exchanged: the same greys. */
  const exchanged = ([generated, ...others]: readonly Images[]): Images[] => {
    const area = SHAPE.height * SHAPE.width, pixels = generated.pixels.slice();
    for (let i = 0; i < generated.count; i++) {
      const [red, blue] = [3 * i * area, (3 * i + 2) * area];
      pixels.copyWithin(red, blue, blue + area);
      pixels.set(generated.pixels.subarray(red, red + area), blue);
    }
    return [{ ...generated, pixels }, ...others];
  };
  for (const metric of ["likelihood", "novelty", "originality", "closest-correlation", "structure"]) {
    const before = measured(metric, sets), after = measured(metric, exchanged(sets));
    assert(before.every((value, i) => Math.abs(value - after[i]) > 1e-6 * Math.abs(value)), metric);
  }
  // These ask how much, not which colour.
  for (const metric of ["contrast", "sharpness", "symmetry"]) {
    const before = measured(metric, sets), after = measured(metric, exchanged(sets));
    before.forEach((value, i) => assertAlmostEquals(after[i], value, 1e-9, metric));
  }
});

/** Rows become columns. */
function transposed(images: Images): Images {
  const { height, width, pixels } = images, area = height * width;
  const at = (i: number) => Math.floor(i / area) * area + i % height * width + Math.floor(i % area / height);
  return { ...images, height: width, width: height, pixels: pixels.map((_, i) => pixels[at(i)]) };
}

Deno.test("metrics: images that are not square, upright as well as lying", () => {
  const upright = GREY.map(transposed);
  assertEquals([upright[0].height, upright[0].width], [24, 16]);
  // These know left and right, or the directions of edges.
  const directed = ["symmetry", "judge"];
  for (const metric of METRICS) {
    const lying = measured(metric, GREY), standing = measured(metric, upright);
    assertEquals(standing.length, lying.length);
    if (directed.includes(metric)) assert(standing.every(Number.isFinite), metric);
    else {standing.forEach((value, i) =>
        assertAlmostEquals(value, lying[i], 1e-6 * Math.max(1, Math.abs(value)), metric)
      );}
  }
});
