/** Measures whether an image that tiles has a visible seam. */
import { areaOf, type Shape } from "../../core/shape.ts";
import type { Tile } from "../../core/tiling.ts";

/** The edge energy ratio in each direction in which an image tiles. */
export interface EdgeEnergy {
  /** Across the left and the right edge. */
  readonly x?: number;
  /** The largest between two neighbouring columns inside. */
  readonly mostX?: number;
  /** Across the upper and the lower edge. */
  readonly y?: number;
  /** The largest between two neighbouring rows inside. */
  readonly mostY?: number;
}

/**
 * Computes the edge energy ratio of an image: the mean square of the differences of pixels that meet across its edges, over that of
 * neighbouring pixels inside. About 1: the edges are like the rest, which is seamless. In a texture of rows, such as text or a wall, an
 * edge that lies along a row is above 1 as other rows are: it is a seam only if it is above the largest ratio inside. 1 for a flat
 * image.
 *
 * @param pixels channels x height x width bytes
 */
export function edgeEnergy(shape: Shape, pixels: Uint8Array, tile: Tile): EdgeEnergy {
  const { height, width } = shape, planes = pixels.length / areaOf(shape);
  /** The ratios along lines of `length` pixels, `step` bytes apart; there are `lines` of them, `next` bytes apart, in each plane. */
  const along = (length: number, step: number, lines: number, next: number) => {
    const sums = new Float64Array(length); // across the line between pixel i and the next one
    for (let line = 0; line < planes * lines; line++) {
      const first = Math.floor(line / lines) * height * width + line % lines * next;
      for (let i = 0; i < length; i++) {
        sums[i] += (pixels[first + i * step] - pixels[first + (i + 1) % length * step]) ** 2;
      }
    }
    const edge = sums[length - 1], inside = sums.subarray(0, -1), all = inside.reduce((sum, one) => sum + one, 0);
    const ratio = (one: number) => one === 0 && all === 0 ? 1 : one * inside.length / all;
    return { edge: ratio(edge), most: ratio(inside.reduce((most, one) => Math.max(most, one), 0)) };
  };
  const x = tile === "y" ? undefined : along(width, 1, height, width);
  const y = tile === "x" ? undefined : along(height, width, width, 1);
  return { ...x && { x: x.edge, mostX: x.most }, ...y && { y: y.edge, mostY: y.most } };
}

/** The means of the ratios of some images. */
export function meanEdgeEnergy(energies: readonly EdgeEnergy[]): EdgeEnergy {
  const names = Object.keys(energies[0] ?? {}) as (keyof EdgeEnergy)[];
  return Object.fromEntries(names.map((name) => {
    return [name, energies.reduce((sum, energy) => sum + energy[name]!, 0) / energies.length];
  }));
}

/**
 * Says whether a seam can be seen across the edges of images, and by how much neighbouring pixels differ there and inside.
 *
 * @param tiled the name of the picture that shows it
 */
export function edgeText({ x, mostX, y, mostY }: EdgeEnergy, tiled: string): string {
  const edges = [{ name: "x", edge: x, most: mostX }, { name: "y", edge: y, most: mostY }].flatMap(
    ({ name, edge, most }) => edge === undefined ? [] : [{ name, edge, most: most! }],
  );
  const seams = edges.filter(({ edge, most }) => Number(edge.toFixed(2)) > Number(most.toFixed(2))).map(({ name }) =>
    name
  );
  const seen = seams.length > 0
    ? `A seam may be seen across the edges in ${seams.join(" and ")}`
    : "No seam can be seen across the edges";
  const ratios = edges.map(({ name, edge, most }) =>
    `${edge.toFixed(2)} in ${name} (inside at most ${most.toFixed(2)})`
  );
  return `${seen}: edge energy ratio ${ratios.join(", ")}. ${tiled} shows it`;
}
