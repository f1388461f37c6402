/**
 * Records the searches of a real synthesis, the calls of `search` while a batch of images is made, so that the kernel can be
 * measured alone. The planes stay in kernel memory; all other arrays are copied.
 */
import { examplePrior } from "../priors/example/example_prior.ts";
import { aroundTheLocation } from "../priors/example/neighbourhood.ts";
import type { Address, Comparison, Kernels } from "../core/kernels.ts";
import { fitModel } from "../core/model.ts";
import { plan } from "../core/plan.ts";
import type { Profile } from "../core/profile.ts";
import { definePlugin } from "../core/plugin.ts";
import { seedImages, trainingPyramid } from "../core/pyramid.ts";
import { registry } from "../core/registry.ts";
import { finish } from "../core/steps.ts";
import { synthesize } from "../core/synthesize.ts";
import type { DataSet } from "../datasets/data_set.ts";
import { chosenBy } from "../datasets/groups.ts";
import { builtins } from "../plugins/mod.ts";
import { localNn } from "../priors/local_nn.ts";

/** One call of `search`: its arguments, in copies that stay, without the scratch and the axes, which change no key. */
export interface RecordedSearch extends Required<Omit<Comparison, "known" | "scratch" | "axes" | "features">> {
  /** Neighbours that are found for each query. */
  readonly k: number;
  /** Keys that an earlier search wrote, or 0. */
  readonly hints: Address;
}

/** The paper's prior without distances that rows share: each of its searches compares all planes. */
const apart = definePlugin({
  ...localNn,
  create: ({ neighbours }) => ({
    fit: (layer) => {
      const around = aroundTheLocation(layer, "local-nn");
      return finish(examplePrior(layer, { name: "local-nn", neighbours, sharesRows: false, ...around }));
    },
  }),
});

/**
 * Synthesizes one batch and returns the searches of its finest layer. The kernel memory stays allocated: it holds the planes.
 *
 * @param label the one class of seed images and training images; all classes if left out
 */
export function recordSearches(
  kernels: Kernels,
  profile: Profile,
  { train, test }: DataSet,
  batch: number,
  label?: number,
): RecordedSearch[] {
  const plugins = registry(apart, ...builtins.plugins.filter((plugin) => plugin !== localNn));
  const planned = plan(profile, plugins);
  const training = finish(trainingPyramid(
    kernels,
    train.images,
    planned.sizes,
    chosenBy(train.labels, label, train.images.count),
  ));
  const chosen = chosenBy(test.labels, label, test.images.count).slice(0, batch);
  const seeds = seedImages(kernels, test.images, planned.sizes, chosen);
  type Bytes = Record<"tables" | "scales" | "wanted" | "near", Uint8Array>;
  const recorded: (Omit<RecordedSearch, "table" | "scale" | "queries" | "hints"> & Bytes)[] = [];
  let layer = planned.layers.length - 1;
  const listening: Kernels = {
    ...kernels,
    search(comparison, k, hints, out) {
      const { table, scale, queries, planes, runs = 0, stride = 0, count, segments, batch } = comparison;
      if (layer === 0) {
        recorded.push({
          tables: kernels.u8(table, segments * (planes + runs) * 4).slice(),
          scales: kernels.u8(scale, (planes + 8 * runs) * 2).slice(),
          near: kernels.u8(hints, hints === 0 ? 0 : batch * k * 8).slice(),
          wanted: kernels.u8(queries, batch * (planes + 8 * runs) * 2).slice(),
          planes,
          runs,
          stride,
          count,
          segments,
          batch,
          k,
        });
      }
      return kernels.search(comparison, k, hints, out);
    },
  };
  const mark = kernels.mark(), model = finish(fitModel(listening, planned, training, batch));
  const numbers = Array.from({ length: chosen.length }, (_, i) => i);
  let iterations = 0;
  for (const event of synthesize(model, { seed: 1, images: numbers, seedImages: seeds })) {
    if (event.type !== "iteration") continue;
    // An event is yielded after its iteration: the next one may be another layer's.
    const of = planned.layers[event.layer].iterations.length;
    if (++iterations === of) [layer, iterations] = [event.layer - 1, 0];
  }
  kernels.release(mark);
  const put = (bytes: Uint8Array) => {
    const at = kernels.allocate(bytes.length);
    kernels.u8(at, bytes.length).set(bytes);
    return at;
  };
  return recorded.map(({ tables, scales, wanted, near, ...numbers }) => ({
    ...numbers,
    table: put(tables),
    scale: put(scales),
    queries: put(wanted),
    hints: near.length > 0 ? put(near) : 0,
  }));
}
