/** A small pack for tests. */
import { loadKernels } from "../../../core/kernels.ts";
import { pyramidSizes, range, seedImages } from "../../../core/pyramid.ts";
import { squareOf } from "../../../core/shape.ts";
import type { Pack } from "../../../datasets/formats/pack.ts";
import { compiled } from "../../kernels_under_test.ts";
import { blobs, small } from "../../small_world.ts";

/** New kernels with a memory of their own. */
export function newKernels() {
  return loadKernels(compiled("kernels.wasm"));
}

/** 24 blobs of 14x14 pixels and 6 seed images, of classes 2, 5 and 7 in turn unless they shall have none. */
export function smallPack({ labelled = true, classwise = true } = {}): Pack {
  const train = { ...blobs(24, 14), channels: 1 },
    labels = (count: number) => Uint8Array.from({ length: count }, (_, i) => [2, 5, 7][i % 3]);
  const seeds = seedImages(newKernels(), blobs(6, 14, 2), pyramidSizes(squareOf(16), 2), range(6));
  return {
    profile: { ...small, classwise },
    origin: "24 blobs",
    train: { images: train, ...labelled ? { labels: labels(24) } : {} },
    seeds: { count: 6, height: 4, width: 4, channels: 1, images: seeds, ...labelled ? { labels: labels(6) } : {} },
  };
}
