/** A minimal context, metric and denoiser that pass their suites. Tests break them in one way each and check which checks fail. */
import { assertEquals, assertMatch } from "@std/assert";
import type { Check } from "@patchloom/patchloom/testing";
import type { DenoiserData, FittedDenoiser } from "../../../core/denoiser.ts";
import { borrowing } from "../../../core/kernels.ts";
import { readImage } from "../../../core/patches.ts";
import { definePlugin } from "../../../core/plugin.ts";
import type { MetricInput, MetricResult } from "../../../core/metric.ts";

/** The errors of the checks that fail, by title, both without the plugin's name. */
export async function failures(checks: Iterable<Check>): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const [title, check] of checks) {
    try {
      await check();
    } catch (error) {
      found.set(title.replace(/^\w+ ".*?" /, ""), (error as Error).message);
    }
  }
  return found;
}

/** A fault: what it is, the plugin that has it, and the sentences by which it is caught, by what their checks' titles begin with. */
export type Fault<P> = readonly [what: string, plugin: P, caught: Readonly<Record<string, RegExp>>];

/** Registers a test for each fault: the checks that are named fail with their sentences, and no others. */
export function testFaults<P>(faults: readonly Fault<P>[], checksOf: (plugin: P) => Iterable<Check>): void {
  for (const [what, plugin, caught] of faults) {
    Deno.test(`caught: ${what}`, async () => {
      const found = [...await failures(checksOf(plugin))], wanted = Object.entries(caught);
      const isWanted = ([title]: [string, unknown]) => wanted.some(([start]) => title.startsWith(start));
      assertEquals(found.filter((one) => !isWanted(one)), []);
      for (const [start, sentence] of wanted) {
        const [, said] = found.find(([title]) => title.startsWith(start)) ?? [];
        assertMatch(said ?? `nothing where "${start}" was to fail`, sentence);
        // One sentence, which names the plugin.
        assertMatch(said!, /^\w+ ".*?": expected .+, got.+$/);
      }
    });
  }
}

/** A context of the pixels to the left. */
export const plainContext = definePlugin({
  api: 1,
  kind: "context",
  name: "left",
  about: "the pixels to the left",
  options: { reach: { default: 2, min: 1, max: 9, integer: true, about: "how far; larger: slower" } },
  create: ({ reach }) => ({
    mask: () => Array.from({ length: reach }, (_, i) => ({ dy: 0, dx: -1 - i, weight: 0.5 })),
  }),
});

/** A metric: the mean distance to the first training image, at every step-th pixel. */
export const plainMetric = definePlugin({
  api: 1,
  kind: "metric",
  name: "far",
  about: "how far images are",
  options: { step: { default: 1, min: 1, max: 9, integer: true, about: "every so many pixels; larger: faster" } },
  create: ({ step }) => ({ separable: true, measure: (input: MetricInput) => farFrom(input, step) }),
});

function farFrom({ generated, training, kernels }: MetricInput, step: number): MetricResult {
  if (!(generated.count > 0 && training.count > 0)) throw new Error("Cannot measure far: expected images, got none");
  return borrowing(kernels, () => {
    const values = kernels.f64(kernels.allocate(8 * generated.count), generated.count);
    const to = readImage(kernels, training, 0);
    for (let i = 0; i < values.length; i++) {
      const from = readImage(kernels, generated, i);
      for (let p = 0; p < to.length; p += step) values[i] += Math.abs(from[p] - to[p]);
    }
    return { values: values.slice(), of: "generated", series: {}, settings: { step }, warnings: [] };
  });
}

/** A denoiser: half-way from the noisy image to the mean of the training images, or as far as `share` says. */
export const plainDenoiser = definePlugin({
  api: 1,
  kind: "denoiser",
  name: "half",
  about: "part of the way to the mean image",
  options: { share: { default: 0.5, min: 0.1, max: 1, about: "of the mean image; larger: smoother" } },
  create: ({ share }) => ({ fit: (data: DenoiserData) => towardsMean(data, share) }),
});

function towardsMean({ training, kernels }: DenoiserData, share: number): FittedDenoiser {
  const first = readImage(kernels, training, 0), mean = new Float64Array(first.length);
  for (let n = 0; n < training.count; n++) {
    readImage(kernels, training, n).forEach((byte, i) => mean[i] += (2 * byte / 255 - 1) / training.count);
  }
  return {
    denoise({ batch, images }, { alphaBar }, out) {
      for (let i = 0; i < batch * mean.length; i++) {
        out.images[i] = (1 - share) * images[i] / Math.sqrt(alphaBar) + share * mean[i % mean.length];
      }
    },
    weights(_, __, ___, out) {
      out.fill(1 / out.length);
    },
  };
}
