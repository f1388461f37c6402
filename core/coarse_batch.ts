/** A batch whose coarser layers are done: what the layer that follows goes on from. */
import { type DrawHistory, drawHistory } from "./draw_history.ts";
import type { PatchPosition } from "./locations.ts";
import type { Model } from "./model.ts";
import { withMargin } from "./tiling.ts";

/** Images up to a layer, without the finer ones. An image of it is the same in any batch. */
export interface CoarseBatch {
  /** The finest layer that is done. */
  readonly layer: number;
  /** How many images there are. */
  readonly count: number;
  /** X of that layer in [0, 1], with its margins: image after image. */
  readonly images: Float32Array;
  /** The locations of its last iteration. */
  readonly locations: readonly PatchPosition[];
  /** For each of these and each image: (training image, y, x) of the patch that was drawn. */
  readonly sources: Int32Array;
}

/** Puts images of several batches that went up to the same layer into one. */
export function coarseBatch(images: readonly { readonly of: CoarseBatch; readonly image: number }[]): CoarseBatch {
  const [{ of: { layer, locations, images: first, count: ofFirst } }] = images, count = images.length;
  const length = first.length / ofFirst, all = new Float32Array(count * length);
  const sources = new Int32Array(locations.length * count * 3);
  images.forEach(({ of, image }, b) => {
    all.set(of.images.subarray(image * length, (image + 1) * length), b * length);
    for (let i = 0; i < locations.length; i++) {
      const from = (i * of.count + image) * 3;
      sources.set(of.sources.subarray(from, from + 3), (i * count + b) * 3);
    }
  });
  return { layer, count, images: all, locations, sources };
}

/** What the layer that follows knows of the draws of a batch. */
export function historyOf(
  { layers, training: { hr } }: Pick<Model, "layers" | "training">,
  { layer, count, locations, sources }: CoarseBatch,
): DrawHistory {
  const { margin, patch, ...size } = layers[layer];
  const history = drawHistory(withMargin(size, margin), patch, count, locations.length, hr[layer].count);
  history.restart(locations);
  for (let i = 0; i < locations.length; i++) history.add(sources.subarray(i * count * 3, (i + 1) * count * 3));
  return history;
}
