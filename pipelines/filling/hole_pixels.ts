/** What pixels of a hole begin with, before they are searched or where a search left them without a source. */
import type { Stream } from "../../core/random.ts";
import { depthsOf, type HoledPicture } from "./holed_picture.ts";

const NEIGHBOURS = [[0, -1], [0, 1], [-1, 0], [1, 0]] as const;

/** The numbers of a pixel's neighbours, in rows and columns. */
function neighboursOf(p: number, { height, width }: Pick<HoledPicture, "height" | "width">): number[] {
  const y = Math.floor(p / width), x = p % width;
  return NEIGHBOURS.filter(([dy, dx]) => y + dy >= 0 && y + dy < height && x + dx >= 0 && x + dx < width)
    .map(([dy, dx]) => p + dy * width + dx);
}

/**
 * Spreads colours into a hole, from its edge: each pixel becomes the mean of its neighbours that have a colour, and something random.
 *
 * @param colours the channels of each pixel side by side; those of missing pixels are changed
 */
export function spreadColours(picture: HoledPicture, colours: Float32Array, random: Stream, noise: number): void {
  const { channels, missing } = picture, depths = depthsOf(picture);
  const inside = [...missing.keys()].filter((p) => missing[p]).sort((a, b) => depths[a] - depths[b] || a - b);
  const open = missing.slice();
  for (const p of inside) {
    const known = neighboursOf(p, picture).filter((near) => !open[near]);
    for (let c = 0; c < channels; c++) {
      const sum = known.reduce((sum, near) => sum + colours[near * channels + c], 0);
      colours[p * channels + c] = (known.length > 0 ? sum / known.length : 0.5) + noise * (random.next() - 0.5);
    }
    open[p] = 0;
  }
}

/**
 * Gives missing pixels whose source cannot be copied the source beside that of a neighbour; if no neighbour has one that can, a random
 * one.
 *
 * @param sources height x width; changed
 */
export function closeGaps(picture: HoledPicture, sources: Int32Array, random: Stream): void {
  const { height, width, missing, usable } = picture;
  const isGap = (p: number) => missing[p] && !(sources[p] >= 0 && usable[sources[p]]);
  let gaps = [...missing.keys()].filter(isGap);
  while (gaps.length > 0) {
    const closed: [pixel: number, source: number][] = [];
    for (const p of gaps) {
      for (const near of neighboursOf(p, picture)) {
        if (!missing[near] || isGap(near)) continue;
        const y = Math.floor(sources[near] / width) + Math.floor(p / width) - Math.floor(near / width);
        const x = sources[near] % width + p % width - near % width;
        if (y < 0 || y >= height || x < 0 || x >= width || !usable[y * width + x]) continue;
        closed.push([p, y * width + x]);
        break;
      }
    }
    if (closed.length === 0) {
      const known = Array.from(usable.keys()).filter((p) => usable[p]);
      closed.push([gaps[0], known[Math.floor(random.next() * known.length)]]);
    }
    for (const [p, source] of closed) sources[p] = source;
    gaps = gaps.filter(isGap);
  }
}
