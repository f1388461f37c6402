/**
 * Finds for each patch that reaches into a hole the patch of known pixels that is most like it, and fills the hole with what these
 * patches say (Wexler, Shechtman and Irani, "Space-Time Completion of Video", 2007). Patches are found by trying those of neighbours and
 * random ones (Barnes et al., "PatchMatch", 2009).
 */
import type { Stream } from "../../core/random.ts";
import { areaOf } from "../../core/shape.ts";
import { depthsOf, type HoledPicture } from "./holed_picture.ts";

/** Side of a patch in pixels. */
export const PATCH = 7;
/** A pixel counts by this factor less than one that lies a pixel nearer to known ones. */
const NEARER = 1.3;
/** The least weight of a pixel. */
const MIN_WEIGHT = 0.02;
/** Random patches lie within ever smaller distances, each this part of the one before. */
const CLOSER = 0.5;
/** A distance greater than those of patches that were found: of targets whose half had none. */
const FAR = 1e3;
/** Random patches to begin with lie at most so many pixels away. */
const NEAR = 40;

/** The patches of a picture that reach into its hole. A patch is named by its first pixel. */
export class PatchField {
  /** The picture's colours, the channels of each pixel side by side. Those of missing pixels are filled by `vote`. */
  readonly colours: Float32Array;
  /** The patches that reach into the hole, row by row. */
  readonly targets: Int32Array;
  /** height x width: for each target the patch of known pixels that is most like it; -1 elsewhere, and before one was found. */
  readonly nearest: Int32Array;
  /** height x width: how far each target is from it. */
  readonly distances: Float64Array;
  /** All patches of pixels that may be copied. */
  readonly sources: Int32Array;
  readonly #isSource: Uint8Array;
  readonly #weights: Float32Array;

  constructor(readonly picture: HoledPicture) {
    const { channels, height, width, values, missing, usable } = picture, area = areaOf(picture);
    this.colours = new Float32Array(values.length);
    for (let i = 0; i < values.length; i++) this.colours[(i % area) * channels + Math.floor(i / area)] = values[i];
    this.#weights = Float32Array.from(depthsOf(picture), weightAt);
    this.#isSource = new Uint8Array(area);
    this.nearest = new Int32Array(area).fill(-1);
    this.distances = new Float64Array(area).fill(Infinity);
    const targets: number[] = [], sources: number[] = [];
    const missingIn = patchSums(missing, height, width), usableIn = patchSums(usable, height, width);
    for (let y = 0; y + PATCH <= height; y++) {
      for (let x = 0; x + PATCH <= width; x++) {
        const p = y * width + x;
        if (missingIn[p] > 0) targets.push(p);
        else if (usableIn[p] === PATCH * PATCH) sources.push(p);
        this.#isSource[p] = usableIn[p] === PATCH * PATCH ? 1 : 0;
      }
    }
    this.targets = Int32Array.from(targets);
    this.sources = Int32Array.from(sources);
  }

  /** Compares every target with all sources. */
  searchAll(): void {
    for (const target of this.targets) {
      // The patch that was nearest before ends most comparisons early.
      this.distances[target] = this.#distance(target, this.nearest[target], Infinity);
      for (const source of this.sources) this.#try(target, source);
    }
  }

  /** Begins with random patches, most of them near. */
  beginAnywhere(random: Stream): void {
    const { height, width } = this.picture;
    for (const target of this.targets) {
      const y = Math.floor(target / width) + Math.round((2 * random.next() - 1) * NEAR);
      const x = target % width + Math.round((2 * random.next() - 1) * NEAR), source = y * width + x;
      const isInside = y >= 0 && y < height && x >= 0 && x < width;
      this.nearest[target] = isInside && this.#isSource[source] ? source : this.#anySource(random);
    }
  }

  /** Begins with the patches that were found in the picture's half. */
  beginFrom(coarse: PatchField, random: Stream): void {
    const { width } = this.picture, small = coarse.picture;
    for (const target of this.targets) {
      const y = Math.floor(target / width), x = target % width;
      const up = Math.min(y >> 1, small.height - PATCH), left = Math.min(x >> 1, small.width - PATCH);
      const found = coarse.nearest[up * small.width + left];
      const row = 2 * Math.floor(found / small.width) + (y & 1), column = 2 * (found % small.width) + (x & 1);
      const source = row * width + column;
      this.nearest[target] = found >= 0 && this.#isSource[source] ? source : this.#anySource(random);
      this.distances[target] = found >= 0 ? coarse.distances[up * small.width + left] : FAR;
    }
  }

  /** Looks for more similar patches once: forwards by those of the targets above and on the left, or backwards. */
  search(random: Stream, isForwards: boolean): void {
    const { targets, nearest, distances, picture: { height, width } } = this, step = isForwards ? -1 : 1;
    for (const target of targets) distances[target] = this.#distance(target, nearest[target], Infinity);
    for (let n = 0; n < targets.length; n++) {
      const target = targets[isForwards ? n : targets.length - 1 - n];
      for (const move of [step, step * width]) {
        const neighbour = target + move;
        if (neighbour < 0 || neighbour >= nearest.length || nearest[neighbour] < 0) continue;
        this.#tryAt(target, nearest[neighbour] - move);
      }
      for (let reach = Math.max(height, width); reach >= 1; reach *= CLOSER) {
        const best = nearest[target], y = Math.floor(best / width), x = best % width;
        const row = y + Math.round((2 * random.next() - 1) * reach);
        const column = x + Math.round((2 * random.next() - 1) * reach);
        if (row >= 0 && row < height && column >= 0 && column < width) this.#tryAt(target, row * width + column);
      }
    }
  }

  /** Fills missing pixels with the mean of what the patches that cover them say; patches that fit better count more. */
  vote(): void {
    const { colours, targets, nearest, distances, picture: { channels, width, missing } } = this;
    const sums = new Float64Array(colours.length), totals = new Float64Array(missing.length);
    const scale = quartile(Float64Array.from(targets, (target) => distances[target])) + 1e-6;
    for (const target of targets) {
      const source = nearest[target], fit = 1 / (1 + distances[target] / scale), weight = fit * fit * fit;
      for (let i = 0; i < PATCH * PATCH; i++) {
        const offset = Math.floor(i / PATCH) * width + i % PATCH, at = target + offset;
        if (!missing[at]) continue;
        totals[at] += weight;
        for (let c = 0; c < channels; c++) {
          sums[at * channels + c] += weight * colours[(source + offset) * channels + c];
        }
      }
    }
    for (let i = 0; i < colours.length; i++) {
      const p = Math.floor(i / channels);
      if (missing[p]) colours[i] = sums[i] / totals[p];
    }
  }

  /** The source of each pixel: of a missing one that which the patch of the least distance copies to it. */
  sourcesOfPixels(): Int32Array {
    const { targets, nearest, distances, picture: { width, missing } } = this;
    const sources = Int32Array.from(missing, (is, p) => is ? -1 : p);
    const least = new Float64Array(missing.length).fill(Infinity);
    for (const target of targets) {
      for (let i = 0; i < PATCH * PATCH; i++) {
        const offset = Math.floor(i / PATCH) * width + i % PATCH, at = target + offset;
        // The middle of a patch is most sure.
        const middle = Math.max(Math.abs(Math.floor(i / PATCH) - 3), Math.abs(i % PATCH - 3));
        const cost = distances[target] * (1 + middle);
        if (!missing[at] || cost >= least[at]) continue;
        least[at] = cost;
        sources[at] = nearest[target] + offset;
      }
    }
    return sources;
  }

  #anySource(random: Stream): number {
    return this.sources[Math.floor(random.next() * this.sources.length)];
  }

  #tryAt(target: number, source: number): void {
    if (source >= 0 && source < this.#isSource.length && this.#isSource[source]) this.#try(target, source);
  }

  #try(target: number, source: number): void {
    const distance = this.#distance(target, source, this.distances[target]);
    if (distance >= this.distances[target]) return;
    this.distances[target] = distance;
    this.nearest[target] = source;
  }

  /** How far two patches are apart; of those farther than `limit`, at least that. */
  #distance(target: number, source: number, limit: number): number {
    const { colours, picture: { channels, width } } = this, weights = this.#weights;
    let sum = 0;
    for (let row = 0; row < PATCH && sum < limit; row++) {
      const at = target + row * width;
      for (let a = at * channels, b = (source + row * width) * channels, p = at; p < at + PATCH; p++) {
        let squares = 0;
        for (let c = 0; c < channels; c++, a++, b++) squares += (colours[a] - colours[b]) * (colours[a] - colours[b]);
        sum += weights[p] * squares;
      }
    }
    return sum;
  }
}

/** The weight of a pixel at a depth in the hole. Powers would differ between engines. */
function weightAt(depth: number): number {
  let weight = 1;
  for (let n = 0; n < depth && weight > MIN_WEIGHT; n++) weight /= NEARER;
  return weight;
}

/** How many ones lie in the patch that begins at each pixel; 0 where it would reach across an edge. */
function patchSums(ones: Uint8Array, height: number, width: number): Uint8Array {
  const rows = new Uint8Array(ones.length), out = new Uint8Array(ones.length);
  for (let p = 0; p < ones.length; p++) {
    if (p % width + PATCH > width) continue;
    for (let i = 0; i < PATCH; i++) rows[p] += ones[p + i];
  }
  for (let p = 0; p + (PATCH - 1) * width < ones.length; p++) {
    for (let i = 0; i < PATCH; i++) out[p] += rows[p + i * width];
  }
  return height < PATCH ? out.fill(0) : out;
}

/** The value below which a quarter of the values lie. */
function quartile(values: Float64Array): number {
  return values.sort()[values.length >> 2] ?? 0;
}
