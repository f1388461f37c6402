/**
 * A prior that makes new patches which stay sharp, as the paper's discussion asks for: around the example that the local
 * nearest-neighbour prior would draw lies a plane, spanned by the differences to those candidates that look most like it,
 * and the patch is drawn from a Gaussian on that plane.
 *
 * With p the drawn example and D the matrix whose rows are the m differences (m is `directions`, or the number of candidates
 * that differ from p where these are fewer),
 *
 *   z = p + D^T c,   c ~ N(0, radius^2 / m I).
 *
 * Equation (patch posterior) then makes c Gaussian again. It is drawn with exactly this mean and covariance; sums of four uniform
 * numbers stand for normal ones, so that no patch lies far out:
 *
 *   c ~ N(A^-1 rho D (R_i X + u_i - p), A^-1),   A = (m / radius^2) I + rho D D^T.
 *
 * The example itself is drawn as in equation (posterior example based), without regard to its plane. Coefficients are as often
 * negative as positive, so that a difference is added, not averaged away: the plane keeps the contrast that a mean of
 * neighbours loses.
 */
import { solvePositive } from "../core/cholesky.ts";
import { readPatch } from "../core/patches.ts";
import { definePlugin, type Options as OptionTable, type Values } from "../core/plugin.ts";
import { offsetsInWindow } from "../core/compared.ts";
import type { Steps } from "../core/steps.ts";
import type { FittedPrior, LayerData, LayerOutline, ZStep } from "../core/types.ts";
import { exampleFitWork, exampleWork } from "./example/example_work.ts";
import { neighboursOf, neighboursOption } from "./example/neighbours.ts";
import { aroundTheLocation } from "./example/neighbourhood.ts";
import { examplePosterior } from "./example/posterior.ts";

/** A sum of this many uniform numbers stands for a normal one: no patch lies farther out than examples reach. */
const UNIFORMS = 4;
/** Examples whose weight is below this part of the largest do not show in the mean. */
const NEGLIGIBLE = 1 / 1024;

const OPTIONS = {
  neighbours: neighboursOption(),
  directions: {
    default: 8,
    min: 0,
    max: 64,
    integer: true,
    about: "examples that span the plane; more: newer patches, at a higher price; 0: copies only",
  },
  radius: {
    default: 1.5,
    min: 0,
    max: 10,
    about: "how far from the example, in mean distances to those that span the plane; larger: newer, and less safe",
  },
} as const satisfies OptionTable;

/** The prior of new patches near examples. */
export const tangentPlane = definePlugin({
  api: 1,
  kind: "prior",
  name: "tangent-plane",
  about: "a new patch on the plane through an example and those most like it: sharp as examples, but no copy",
  options: OPTIONS,
  create: (options) => ({
    cost(layer, question) {
      const { neighbours, directions } = withNeighbours(options, layer), { channels, patch, hr } = layer;
      const from = { neighbours, offsets: offsetsInWindow(layer) };
      const candidates = Math.min(neighbours, hr.count * from.offsets);
      const planes = planeWork(channels * patch ** 2, candidates, directions, question.zStep);
      return {
        fit: exampleFitWork(layer, question, from),
        draw: (before) => exampleWork(layer, before, from) + planes,
      };
    },
    fitChoices: (layer) => String(withNeighbours(options, layer).neighbours),
    fit: (layer) => fit(layer, withNeighbours(options, layer)),
  }),
});

function withNeighbours(options: Values<typeof OPTIONS>, { hr }: LayerOutline): Values<typeof OPTIONS> {
  return { ...options, neighbours: neighboursOf(options.neighbours, hr.count) };
}

/**
 * The work of a draw beside that of weighing candidates: all are read, and one, or each for the mean, is compared with the others.
 * Each value takes some nanoseconds here.
 */
function planeWork(length: number, candidates: number, directions: number, zStep: ZStep): number {
  const planes = zStep === "mean" ? candidates : 1;
  return PER_VALUE * length * (candidates + planes * (candidates + directions ** 2));
}

/** To add up a value takes about two nanoseconds in plain TypeScript. */
const PER_VALUE = 20;

/** Fits the prior to a layer. Its parts stay inside: they work in the same buffers. */
function* fit(layer: LayerData, { neighbours, directions, radius }: Values<typeof OPTIONS>): Steps<FittedPrior> {
  const { kernels, patch, channels, batch } = layer, length = channels * patch * patch;
  const settings = { name: "tangent-plane", neighbours, ...aroundTheLocation(layer, "tangent-plane") };
  const { candidates, choose, capacity, compared } = yield* examplePosterior(layer, settings);
  const uniform = kernels.allocate(batch * 8);
  const most = Math.min(directions, neighbours - 1), normals = new Float64Array(batch * most);
  /** The HR patches of one image's candidates. */
  const patches = Array.from({ length: capacity }, () => new Float64Array(length));
  const distances = new Float64Array(capacity), nearest = new Int32Array(most);
  /** p, and D row by row: the plane that `spanPlane` found last. */
  const example = new Float64Array(length), differences = new Float64Array(most * length);
  /** A, lower triangle, and c. */
  const system = new Float64Array(most * most), coefficients = new Float64Array(most);

  /** Finds the plane at a candidate: D, the differences to the nearest others, equal ones left out. Returns their number. */
  const spanPlane = (centre: number, found: number): number => {
    example.set(patches[centre]);
    let count = 0;
    for (let c = 0; c < found; c++) {
      let sum = 0;
      for (let p = 0; p < length; p++) sum += (patches[c][p] - example[p]) ** 2;
      distances[c] = sum;
      if (sum === 0) continue;
      if (count === most && (most === 0 || sum >= distances[nearest[most - 1]])) continue;
      // Insert it where it belongs; the farthest makes room.
      let at = count < most ? count++ : most - 1;
      for (; at > 0 && distances[nearest[at - 1]] > sum; at--) nearest[at] = nearest[at - 1];
      nearest[at] = c;
    }
    for (let d = 0; d < count; d++) {
      for (let p = 0; p < length; p++) differences[d * length + p] = patches[nearest[d]][p] - example[p];
    }
    return count;
  };

  /** Finds c on a plane of `count` differences: the posterior's mean and, where `noise` is given, noise of its covariance. */
  const findCoefficients = (count: number, measured: Float32Array, rho: number, noise?: Float64Array) => {
    coefficients.fill(0);
    if (radius === 0 || count === 0) return;
    for (let d = 0; d < count; d++) {
      let toward = 0;
      for (let p = 0; p < length; p++) toward += differences[d * length + p] * (measured[p] - example[p]);
      coefficients[d] = rho * toward;
      for (let e = 0; e <= d; e++) {
        let product = 0;
        for (let p = 0; p < length; p++) product += differences[d * length + p] * differences[e * length + p];
        system[d * count + e] = rho * product + (d === e ? count / (radius * radius) : 0);
      }
    }
    solvePositive(system, coefficients, count, noise);
  };

  /** Adds `weight` times the patch p + D^T c to `out`. */
  const addPatch = (count: number, weight: number, out: Float32Array) => {
    for (let p = 0; p < length; p++) {
      let value = example[p];
      for (let d = 0; d < count; d++) value += coefficients[d] * differences[d * length + p];
      out[p] += weight * Math.min(Math.max(value, 0), 1);
    }
  };

  return {
    draw(at, measurements, step, random, out) {
      const lists = candidates(at, measurements, step), { found } = lists, { rho, zStep } = step;
      const chosenAt = choose(lists, zStep === "map" ? "map" : "sample", random);
      const chosen = kernels.i32(chosenAt, measurements.batch),
        weights = kernels.f64(lists.weights, measurements.batch * capacity);
      if (zStep === "sample") {
        const uniforms = (draw: number) => {
          const numbers = kernels.f64(uniform, measurements.batch);
          random.uniforms(numbers, draw);
          return numbers;
        };
        drawNormals(measurements.batch, uniforms, normals, most);
      }
      out.sources.fill(-1);
      for (let b = 0; b < measurements.batch; b++) {
        const measured = measurements.patches.subarray(b * length, (b + 1) * length);
        const own = out.patches.subarray(b * length, (b + 1) * length).fill(0);
        for (let c = 0; c < found; c++) {
          const position = lists.candidatePosition(b, c);
          readPatch(layer, position.image, position, patches[c]);
        }
        const add = (centre: number, weight: number, noise?: Float64Array) => {
          const count = spanPlane(centre, found);
          findCoefficients(count, measured, rho, noise);
          addPatch(count, weight, own);
        };
        if (zStep !== "mean") add(chosen[b], 1, zStep === "sample" ? normals.subarray(b * most) : undefined);
        else {
          // The mean over the examples, each with its plane; after a random choice the weights are T, relative to the largest.
          const part = weights.subarray(b * capacity, b * capacity + found);
          const used = [...part.keys()].filter((c) => part[c] >= NEGLIGIBLE);
          const total = used.reduce((sum, c) => sum + part[c], 0);
          for (const c of used) add(c, part[c] / total);
        }
      }
    },
    compared,
  };
}

/** Fills `out` with `count` nearly normal numbers for each image: mean 0, variance 1. Uniform numbers 1, 2, ... are used up. */
function drawNormals(batch: number, uniforms: (draw: number) => Float64Array, out: Float64Array, count: number): void {
  const scale = Math.sqrt(12 / UNIFORMS);
  out.fill(0);
  for (let n = 0; n < count * UNIFORMS; n++) {
    const numbers = uniforms(n + 1), which = Math.floor(n / UNIFORMS);
    for (let b = 0; b < batch; b++) out[b * count + which] += scale * (numbers[b] - 0.5);
  }
}
