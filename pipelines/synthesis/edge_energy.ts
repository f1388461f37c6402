/** Measures whether an image that tiles has a visible seam. */
import { areaOf, type Shape } from "../../core/shape.ts";
import type { Tile } from "../../core/tiling.ts";

/** The edge energy ratio in each direction in which an image tiles. */
export interface EdgeEnergy {
  /** Across the left and the right edge. */
  readonly x?: number;
  /** Across the upper and the lower edge. */
  readonly y?: number;
}

/**
 * Computes the edge energy ratio of an image: the mean square of the differences of pixels that meet across its edges, over that of
 * neighbouring pixels inside. About 1: the edges are like the rest, which is seamless; a seam is far above. 1 for a flat image.
 *
 * @param pixels channels x height x width bytes
 */
export function edgeEnergy(shape: Shape, pixels: Uint8Array, tile: Tile): EdgeEnergy {
  const { height, width } = shape, planes = pixels.length / areaOf(shape);
  /** The ratio along lines of `length` pixels, `step` bytes apart; there are `lines` of them, `next` bytes apart, in each plane. */
  const along = (length: number, step: number, lines: number, next: number) => {
    let edge = 0, inside = 0;
    for (let line = 0; line < planes * lines; line++) {
      const first = Math.floor(line / lines) * height * width + line % lines * next;
      for (let i = 0; i < length; i++) {
        const squared = (pixels[first + i * step] - pixels[first + (i + 1) % length * step]) ** 2;
        if (i + 1 < length) inside += squared;
        else edge += squared;
      }
    }
    return edge === 0 && inside === 0 ? 1 : edge * (length - 1) / inside;
  };
  return {
    ...tile !== "y" && { x: along(width, 1, height, width) },
    ...tile !== "x" && { y: along(height, width, width, 1) },
  };
}

/** The mean ratio of some images in each direction. */
export function meanEdgeEnergy(energies: readonly EdgeEnergy[]): EdgeEnergy {
  const mean = (direction: "x" | "y") => {
    return energies.reduce((sum, energy) => sum + energy[direction]!, 0) / energies.length;
  };
  const [first = {}] = energies;
  return { ..."x" in first && { x: mean("x") }, ..."y" in first && { y: mean("y") } };
}
