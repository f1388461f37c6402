/**
 * Coherence (Ashikhmin, "Synthesizing natural textures", I3D 2001): patches that overlap rather come from the same training image.
 * Not in the paper.
 */
import type { PatchPosition } from "../../core/locations.ts";
import type { LayerOutline, Measurements } from "../../core/types.ts";

/**
 * Returns the training images that patches overlapping this one were drawn from, each once: those at its corners and its centre, in
 * this iteration, else in the one before, else, in the first, in the coarser layer.
 *
 * @param b The number of the image in the batch.
 */
export function coherentImages(
  { patch }: Pick<LayerOutline, "patch">,
  at: PatchPosition,
  { sources, previousSources, coarserSources }: Measurements,
  b: number,
): number[] {
  const far = patch - 1;
  const middle = patch >> 1;
  const images = [[0, 0], [0, far], [far, 0], [far, far], [middle, middle]].map(([dy, dx]) => {
    const y = at.y + dy;
    const x = at.x + dx;
    const image = sources.sourceAt(b, y, x);
    if (image >= 0) return image;
    if (previousSources) return previousSources.sourceAt(b, y, x);
    return coarserSources?.sourceAt(b, y >> 1, x >> 1) ?? -1;
  });
  return [...new Set(images)].filter((image) => image >= 0);
}
