/** Puts a visitor's face into a pack of faces. */
import type { Kernels } from "../../../core/kernels.ts";
import { plan } from "../../../core/plan.ts";
import { seedImages } from "../../../core/pyramid.ts";
import { shapeText } from "../../../core/shape.ts";
import type { Pack } from "../../../datasets/formats/pack.ts";
import { packedSizes } from "../../../pipelines/synthesis/take_seed_images.ts";
import { builtins } from "../../../plugins/mod.ts";

/** A face in a photograph, aligned by its eyes. */
export interface AlignedFace {
  /** Side x side grey levels, of the size of the pack's images. */
  readonly pixels: Uint8Array;
  /** The name of the photograph's file, for people. */
  readonly name: string;
  /** Whether it becomes one of the training images, too. */
  readonly joins: boolean;
}

/**
 * Returns the pack with the face reduced to its first seed image and, where it joins them, as its first training image.
 *
 * @throws {Error} if the face has another size than the pack's images
 */
export function withFace(kernels: Kernels, pack: Pack, { pixels, name, joins }: AlignedFace): Pack {
  const { profile, train: { images }, seeds } = pack;
  const { count, ...shape } = images;
  const length = images.pixels.length / count;
  if (pixels.length !== length) {
    throw new Error(`Cannot use a face of ${pixels.length} pixels: expected ${shapeText({ ...shape })} pixels`);
  }
  const face = { ...images, count: 1, pixels };
  const seedImage = seedImages(kernels, face, packedSizes(plan(profile, builtins)), [0]);
  const joined = new Uint8Array(images.pixels.length + length);
  joined.set(pixels);
  joined.set(images.pixels, length);
  const all = new Float32Array(seedImage.length + seeds.images.length);
  all.set(seedImage);
  all.set(seeds.images, seedImage.length);
  return {
    ...pack,
    origin: `${pack.origin}; your photograph ${name} gives a seed image${joins ? " and an example" : ""}`,
    train: joins ? { images: { ...images, count: count + 1, pixels: joined } } : pack.train,
    seeds: { ...seeds, count: seeds.count + 1, images: all },
  };
}
