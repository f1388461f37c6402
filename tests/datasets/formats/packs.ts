/** A small pack for tests. */
import { loadKernels } from "../../../core/kernels.ts";
import { range } from "../../../core/numbers.ts";
import { pyramidSizes, seedImages } from "../../../core/pyramid.ts";
import { stream } from "../../../core/random.ts";
import { squareOf } from "../../../core/shape.ts";
import type { Pack } from "../../../datasets/formats/pack.ts";
import { facesPaper } from "../../../datasets/profiles/faces_paper.ts";
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

/** A pack of the profile faces-paper with noise in place of faces: as much work, and quick to make. */
export function noisyFaces(count: number): Pack {
  const random = stream(1), noise = (length: number) => Float32Array.from({ length }, () => random.next());
  const pixels = Uint8Array.from(noise(count * 128 * 128), (value) => 256 * value);
  return {
    profile: facesPaper,
    origin: "noise",
    train: { images: { count, height: 128, width: 128, channels: 1, pixels } },
    seeds: { count: 1, height: 8, width: 8, channels: 1, images: noise(64) },
  };
}
