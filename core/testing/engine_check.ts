/** Checks a prior in the whole method: two layers of a small pyramid, from seed images to images. */
import type { Kernels } from "../kernels.ts";
import { fitModel } from "../model.ts";
import { plan } from "../plan.ts";
import type { Profile } from "../profile.ts";
import { seedImages, trainingPyramid } from "../pyramid.ts";
import { registry } from "../registry.ts";
import { finish } from "../steps.ts";
import { synthesize } from "../synthesize.ts";
import { BATCH, PATCH } from "./prior_fixture.ts";
import { expect, type KernelCheck, type PluginOf } from "./check.ts";
import { blobs, SIDE } from "./small_images.ts";

/** Layers 4 -> 8 -> 16, with lambda = 0 and above, and with a repeated and a new offset. */
function profileOf(prior: string): Profile {
  const layer = { overlap: 1, iterations: 3, window: 2, h: [1, 1, 0.5], lambda: [0, 0.1, 1], rho: [0.01, 1, 10] };
  return {
    name: "small",
    about: "soft blobs",
    dataset: "blobs",
    size: SIDE,
    classwise: false,
    patch: PATCH,
    prior,
    contexts: [],
    layers: [
      { ...layer, offsets: [[0, 0], [0, 0], [1, 2]] },
      { ...layer, window: 0, offsets: [[0, 0], [0, 0], [2, 1]] },
    ],
  };
}

/** Checks that images are the same whether they are synthesized in one batch or in two. */
export function engineCheck(plugin: PluginOf<"prior">): KernelCheck {
  return ["synthesizes an image the same in any batch", (kernels) => {
    const model = fit(plugin, kernels);
    const run = (images: readonly number[]) => {
      const seeds = seedImages(kernels, blobs(16, 2), model.plan.sizes, images);
      return [...finish(synthesize(model, { seed: 1, images, seedImages: seeds })).pixels];
    };
    const together = run(BATCH);
    const apart = [...run(BATCH.slice(0, 2)), ...run(BATCH.slice(2))];
    const other = together.findIndex((grey, i) => grey !== apart[i]);
    const found = `${together[other]} and ${apart[other]} at byte ${other}`;
    expect(other < 0, plugin, "the same images in one batch and in two", found);
  }];
}

function fit(plugin: PluginOf<"prior">, kernels: Kernels) {
  const planned = plan(profileOf(plugin.name), registry(plugin));
  const training = finish(trainingPyramid(kernels, blobs(24), planned.sizes));
  return finish(fitModel(kernels, planned, training, BATCH.length));
}
