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
import { numbersOfClass } from "../datasets/groups.ts";
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

/** A search whose arrays are copies: their bytes in place of their addresses. */
interface SearchBytes extends Omit<RecordedSearch, "table" | "scale" | "queries" | "hints"> {
  readonly tableBytes: Uint8Array;
  readonly scaleBytes: Uint8Array;
  readonly queryBytes: Uint8Array;
  readonly hintBytes: Uint8Array;
}

/** Keeps the searches of one layer, in copies outside the kernel memory. */
class SearchRecorder {
  /** The layer that is synthesized; the searches of the finest one, 0, are kept. */
  layer: number;
  readonly #kernels: Kernels;
  readonly #searches: SearchBytes[] = [];

  constructor(kernels: Kernels, coarsest: number) {
    this.#kernels = kernels;
    this.layer = coarsest;
  }

  /** The kernels, with a `search` that tells the recorder what it is asked. */
  listening(): Kernels {
    const kernels = this.#kernels;
    return {
      ...kernels,
      search: (comparison, k, hints, out) => {
        if (this.layer === 0) this.#searches.push(this.#copied(comparison, k, hints));
        return kernels.search(comparison, k, hints, out);
      },
    };
  }

  /** Puts the copies into kernel memory, which stays allocated. */
  recorded(): RecordedSearch[] {
    return this.#searches.map(({ tableBytes, scaleBytes, queryBytes, hintBytes, ...numbers }) => ({
      ...numbers,
      table: this.#put(tableBytes),
      scale: this.#put(scaleBytes),
      queries: this.#put(queryBytes),
      hints: hintBytes.length > 0 ? this.#put(hintBytes) : 0,
    }));
  }

  #copied(comparison: Comparison, k: number, hints: Address): SearchBytes {
    const { table, scale, queries, planes, runs = 0, stride = 0, count, segments, batch } = comparison;
    const copy = (at: Address, length: number) => this.#kernels.u8(at, length).slice();
    const breadth = planes + 8 * runs;
    return {
      tableBytes: copy(table, segments * (planes + runs) * 4),
      scaleBytes: copy(scale, breadth * 2),
      hintBytes: copy(hints, hints === 0 ? 0 : batch * k * 8),
      queryBytes: copy(queries, batch * breadth * 2),
      planes,
      runs,
      stride,
      count,
      segments,
      batch,
      k,
    };
  }

  #put(bytes: Uint8Array): Address {
    const at = this.#kernels.allocate(bytes.length);
    this.#kernels.u8(at, bytes.length).set(bytes);
    return at;
  }
}

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
  const examples = numbersOfClass(train.labels, label, train.images.count);
  const training = finish(trainingPyramid(kernels, train.images, planned.sizes, examples));
  const chosen = numbersOfClass(test.labels, label, test.images.count).slice(0, batch);
  const seeds = seedImages(kernels, test.images, planned.sizes, chosen);
  const recorder = new SearchRecorder(kernels, planned.layers.length - 1);
  const mark = kernels.mark();
  const model = finish(fitModel(recorder.listening(), planned, training, batch));
  const numbers = Array.from({ length: chosen.length }, (_, i) => i);
  let iterations = 0;
  for (const event of synthesize(model, { seed: 1, images: numbers, seedImages: seeds })) {
    if (event.type !== "iteration") continue;
    // An event is yielded after its iteration: the next one may be another layer's.
    if (++iterations < planned.layers[event.layer].iterations.length) continue;
    recorder.layer = event.layer - 1;
    iterations = 0;
  }
  kernels.release(mark);
  return recorder.recorded();
}
