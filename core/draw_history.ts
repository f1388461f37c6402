/** Remembers which training images the patches of an iteration were drawn from, for priors that ask. */
import type { PatchPosition } from "./locations.ts";
import { areaOf, type Size } from "./shape.ts";
import type { PatchSources } from "./types.ts";

/** The patches of one iteration. The same object serves one iteration after another: `restart` forgets all. */
export interface DrawHistory extends PatchSources {
  /** For each location, in order, and each image of the batch: (training image, y, x) of the patch, as in `DrawOutput`. */
  readonly sources: Int32Array;
  /** Begins another iteration. */
  restart(locations: readonly PatchPosition[]): void;
  /** Takes the sources of the patches drawn at the next location: batch x (training image, y, x). */
  add(sources: Int32Array): void;
}

/**
 * Opens the history of a layer's images. Nothing is counted and no map is made before a prior asks; then only what was drawn
 * since the last question is added.
 *
 * @param size Height and width of the images.
 * @param patch n: side of a patch.
 * @param batch Number of images.
 * @param mostLocations The most locations that `restart` will be given.
 * @param training Number of training images.
 */
export function drawHistory(
  size: Size,
  patch: number,
  batch: number,
  mostLocations: number,
  training: number,
): DrawHistory {
  const { width } = size;
  const pixels = areaOf(size);
  const sources = new Int32Array(mostLocations * batch * 3);
  let locations: readonly PatchPosition[] = [];
  let drawn = 0;
  let map: Int32Array | undefined;
  let mapped = 0;
  let counts: Uint32Array | undefined;
  let counted = 0;
  const sourceOf = (location: number, image: number) => sources[(location * batch + image) * 3];
  return {
    sources,
    get total() {
      return locations.length;
    },
    restart(next) {
      [locations, drawn, mapped, counted] = [next, 0, 0, 0];
      map?.fill(-1);
      counts?.fill(0);
    },
    add(found) {
      sources.set(found, drawn * batch * 3);
      drawn++;
    },
    sourceAt(image, y, x) {
      map ??= new Int32Array(batch * pixels).fill(-1);
      for (; mapped < drawn; mapped++) {
        const corner = locations[mapped].y * width + locations[mapped].x;
        for (let b = 0; b < batch; b++) {
          const source = sourceOf(mapped, b);
          for (let row = 0; row < patch; row++) {
            const first = b * pixels + corner + row * width;
            map.fill(source, first, first + patch);
          }
        }
      }
      return map[image * pixels + y * width + x];
    },
    count(image, source) {
      counts ??= new Uint32Array(batch * training);
      for (; counted < drawn; counted++) {
        for (let b = 0; b < batch; b++) {
          const one = sourceOf(counted, b);
          if (one >= 0) counts[b * training + one]++;
        }
      }
      return counts[image * training + source] ?? 0;
    },
  };
}
