/** A plane at an example, spanned by the differences to the nearest other examples. `priors/tangent_plane.ts` has its equations. */
import { solvePositive } from "../../core/cholesky.ts";

/** Patches of fewer values are flat: they are equal by chance, as when a run looks for copies. */
const GREY_LEVELS = 4;

/** How planes are spanned. */
export interface PlaneSettings {
  /** Values of a patch. */
  readonly length: number;
  /** m: the most differences that span a plane. */
  readonly directions: number;
  /** Standard deviation of the coefficients times the root of the number of differences; 0: the example itself. */
  readonly radius: number;
}

/** The plane that was spanned last, and a point on it. */
export class TangentPlane {
  /** m: the most differences that span a plane. */
  readonly directions: number;
  readonly #length: number;
  readonly #radius: number;
  /** Squared distances of all examples to the one at the centre. */
  readonly #distances: Float64Array;
  /** The examples whose differences span the plane, the nearest first. */
  readonly #nearest: Int32Array;
  /** p: the example at the centre. */
  readonly #example: Float64Array;
  /** D, row by row. */
  readonly #differences: Float64Array;
  /** How many rows D has. */
  #count = 0;
  /** A, lower triangle. */
  readonly #system: Float64Array;
  readonly #coefficients: Float64Array;

  /** @param capacity The most examples that a plane is spanned from. */
  constructor({ length, directions, radius }: PlaneSettings, capacity: number) {
    this.directions = directions;
    this.#length = length;
    this.#radius = radius;
    this.#distances = new Float64Array(capacity);
    this.#nearest = new Int32Array(directions);
    this.#example = new Float64Array(length);
    this.#differences = new Float64Array(directions * length);
    this.#system = new Float64Array(directions * directions);
    this.#coefficients = new Float64Array(directions);
  }

  /** Spans the plane at one of `found` examples, by the differences to the nearest others. Equal examples are left out. */
  span(examples: readonly Float64Array[], found: number, centre: number): void {
    const example = this.#example;
    const nearest = this.#nearest;
    const length = this.#length;
    example.set(examples[centre]);
    this.#findNearest(examples, found);
    for (let d = 0; d < this.#count; d++) {
      const other = examples[nearest[d]];
      for (let p = 0; p < length; p++) this.#differences[d * length + p] = other[p] - example[p];
    }
  }

  #findNearest(examples: readonly Float64Array[], found: number): void {
    const example = this.#example;
    const nearest = this.#nearest;
    const distances = this.#distances;
    const most = this.directions;
    let count = 0;
    for (let c = 0; c < found; c++) {
      let sum = 0;
      for (let p = 0; p < example.length; p++) sum += (examples[c][p] - example[p]) ** 2;
      distances[c] = sum;
      if (sum === 0) continue;
      if (count === most && (most === 0 || sum >= distances[nearest[most - 1]])) continue;
      // Insert it where it belongs; the farthest makes room.
      let at = count < most ? count++ : most - 1;
      for (; at > 0 && distances[nearest[at - 1]] > sum; at--) nearest[at] = nearest[at - 1];
      nearest[at] = c;
    }
    this.#count = count;
  }

  /** Whether the plane is no more than its example, which is not so flat that others equal it by chance. */
  get isCopy(): boolean {
    return (this.#count === 0 || this.#radius === 0) && new Set(this.#example).size >= GREY_LEVELS;
  }

  /** Finds c: the posterior's mean and, where `noise` is given, noise of its covariance. */
  locate(measured: Float32Array, rho: number, noise?: Float64Array): void {
    const count = this.#count;
    const radius = this.#radius;
    const length = this.#length;
    const example = this.#example;
    const differences = this.#differences;
    this.#coefficients.fill(0);
    if (radius === 0 || count === 0) return;
    for (let d = 0; d < count; d++) {
      let toward = 0;
      for (let p = 0; p < length; p++) toward += differences[d * length + p] * (measured[p] - example[p]);
      this.#coefficients[d] = rho * toward;
      for (let e = 0; e <= d; e++) {
        let product = 0;
        for (let p = 0; p < length; p++) product += differences[d * length + p] * differences[e * length + p];
        this.#system[d * count + e] = rho * product + (d === e ? count / (radius * radius) : 0);
      }
    }
    solvePositive(this.#system, this.#coefficients, count, noise);
  }

  /** Adds `weight` times the patch p + D^T c, clamped to [0, 1], to `out`. */
  addPatch(weight: number, out: Float32Array): void {
    const length = this.#length;
    const differences = this.#differences;
    const coefficients = this.#coefficients;
    for (let p = 0; p < length; p++) {
      let value = this.#example[p];
      for (let d = 0; d < this.#count; d++) value += coefficients[d] * differences[d * length + p];
      out[p] += weight * Math.min(Math.max(value, 0), 1);
    }
  }
}
