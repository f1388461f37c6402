/** Takes seed images out of a pack or a request, with a check of their shape. */
import type { Plan } from "../../core/plan.ts";
import { pyramidSizes } from "../../core/pyramid.ts";
import { lengthOf, sameShape, type Shape, shapeText, type Size } from "../../core/shape.ts";
import type { SeedImages } from "../../datasets/data_set.ts";

/** The entries of a plan that say how large images are. */
type Shapes = Pick<Plan, "sizes" | "channels">;

/** Returns the shape of a plan's seed images: its last size. */
export function seedShape({ sizes, channels }: Shapes): Required<Shape> {
  return { ...sizes.at(-1)!, channels };
}

/**
 * Returns the sizes that lead to the seed images of a profile's packs: those of all its layers, also where its images come from
 * noise by default, since a request may ask for the pack's seed images.
 */
export function packedSizes({ profile, sizes: [finest] }: Plan): Size[] {
  return pyramidSizes(finest, profile.layers.length);
}

/**
 * Takes the seed images of these numbers, one after another: channels x height x width values in [0, 1] each.
 *
 * @throws {Error} if seed images have another shape than the plan's
 */
export function takeSeedImages(seeds: SeedImages, numbers: readonly number[], plan: Shapes): Float32Array {
  const last = seedShape(plan), values = lengthOf(seeds), out = new Float32Array(numbers.length * values);
  if (!sameShape(seeds, last)) {
    throw new Error(`Cannot use the seed images: expected ${shapeText(last)}, got ${shapeText(seeds)}`);
  }
  numbers.forEach((n, i) => out.set(seeds.images.subarray(n * values, (n + 1) * values), i * values));
  return out;
}
