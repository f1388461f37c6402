/**
 * Nearest images by the means of blocks. By the inequality of Cauchy and Schwarz, the distance of the means of two images, times the side
 * of a block, is at most the distance of the images: most images are left out by it, and few are compared pixel by pixel.
 */
import { borrowing, type Kernels } from "./kernels.ts";
import { eachRow, type Neighbours } from "./image_distances.ts";
import { lengthOf, type Shape } from "./shape.ts";
import type { Rows } from "./types.ts";

/** Blocks along each side of an image: 256 means rule out 98 to 99 % of MNIST's digits and of photographs of faces. */
const BLOCKS = 16;
/** Images that are compared with a query first, those with the nearest means, and at a time later. */
const FIRST = 4, AT_ONCE = 64;

/** Whether images have a side of several pixels for each block. */
export function hasBlocks({ height, width }: Shape): boolean {
  return height === width && height % BLOCKS === 0 && height > BLOCKS;
}

/** The means of the blocks of images, rounded: of each image and channel 16x16 bytes. */
export function blockMeans(kernels: Kernels, rows: Rows): Uint8Array {
  const { width, channels, count, at } = rows, side = width / BLOCKS, area = side * side;
  const planes = count * channels, pixels = kernels.u8(at, count * lengthOf(rows));
  const means = new Uint8Array(planes * BLOCKS * BLOCKS), sums = new Int32Array(BLOCKS);
  for (let row = 0, pixel = 0; row < planes * BLOCKS; row++) {
    sums.fill(0);
    for (let y = 0; y < side; y++) {
      for (let block = 0; block < BLOCKS; block++) {
        for (let x = 0; x < side; x++) sums[block] += pixels[pixel++];
      }
    }
    for (let block = 0; block < BLOCKS; block++) means[row * BLOCKS + block] = Math.round(sums[block] / area);
  }
  return means;
}

/**
 * Finds the nearest image of a set to each query, as `nearestIn` does.
 *
 * @param means those of the set
 * @param least images at a smaller squared distance are left out
 */
export function nearestByMeans(
  kernels: Kernels,
  queries: Rows,
  set: Rows,
  means: Uint8Array,
  least: number,
): Neighbours {
  const index = new Int32Array(queries.count).fill(-1), squared = new Float64Array(queries.count).fill(Infinity);
  borrowing(kernels, () => {
    const small = (of: Uint8Array, count: number): Rows => {
      const at = kernels.allocate(of.length);
      kernels.u8(at, of.length).set(of);
      return { count, channels: set.channels, height: BLOCKS, width: BLOCKS, at };
    };
    const ofQueries = small(blockMeans(kernels, queries), queries.count), ofSet = small(means, set.count);
    const compare = comparison(kernels, set), length = lengthOf(set);
    eachRow(kernels, ofQueries, ofSet, (query, row) => {
      const nearest = { index: -1, squared: Infinity, least };
      const first = smallest(row, FIRST);
      compare(queries.at + query * length, first, nearest);
      const reach = reachOf(set, nearest.squared), others: number[] = [];
      for (let i = 0; i < row.length; i++) if (row[i] <= reach && !first.includes(i)) others.push(i);
      compare(queries.at + query * length, others, nearest);
      [index[query], squared[query]] = [nearest.index, nearest.squared];
    });
  });
  return { index, squared };
}

/** The squared distance of means beyond which images are farther than `squared`. Each mean is off by at most half a grey level. */
function reachOf({ width, channels }: Rows, squared: number): number {
  const side = width / BLOCKS, rounding = Math.sqrt(channels) * BLOCKS;
  return (Math.sqrt(squared) / side + rounding) ** 2 * (1 + 1e-9);
}

/** The numbers of the smallest values, the smallest first. */
function smallest(values: Float64Array, count: number): number[] {
  const found: number[] = [];
  let last = Infinity;
  for (let i = 0; i < values.length; i++) {
    if (values[i] >= last) continue;
    if (found.length === count) found.pop();
    let at = found.length;
    while (at > 0 && values[found[at - 1]] > values[i]) at--;
    found.splice(at, 0, i);
    if (found.length === count) last = values[found[count - 1]];
  }
  return found;
}

/** The image that is nearest so far. */
interface Nearest {
  index: number;
  squared: number;
  /** Images at a smaller squared distance are left out. */
  readonly least: number;
}

/** Returns a function that compares a query with some images of a set. Of two as near, the one with the lower number counts. */
function comparison(kernels: Kernels, set: Rows) {
  const length = lengthOf(set), copies = kernels.allocate(AT_ONCE * length), out = kernels.allocate(AT_ONCE * 8);
  return (query: number, numbers: readonly number[], nearest: Nearest): void => {
    for (let first = 0; first < numbers.length; first += AT_ONCE) {
      const count = Math.min(AT_ONCE, numbers.length - first), memory = kernels.u8(0, copies + count * length);
      for (let i = 0; i < count; i++) {
        const at = set.at + numbers[first + i] * length;
        memory.copyWithin(copies + i * length, at, at + length);
      }
      // The kernel takes four queries at a time: the images are its queries.
      kernels.distances(copies, count, query, 1, length, out);
      const squared = kernels.f64(out, count);
      for (let i = 0; i < count; i++) {
        const number = numbers[first + i], distance = squared[i];
        const isNearer = distance < nearest.squared || distance === nearest.squared && number < nearest.index;
        if (distance < nearest.least || !isNearer) continue;
        nearest.index = number;
        nearest.squared = distance;
      }
    }
  };
}
