/**
 * A prior that makes new patches which stay sharp, as the paper's discussion asks for: around the example that the local
 * nearest-neighbour prior would draw lies a plane, spanned by the differences to those candidates that look most like it,
 * and the patch is drawn from a Gaussian on that plane.
 *
 * With p the drawn example and D the matrix whose rows are the `directions` differences, z = p + D^T c with c normal of
 * variance radius^2 / directions; equation (patch posterior) then makes c Gaussian again, with precision
 * A = (directions / radius^2) I + rho D D^T and mean A^-1 rho D (R X + u - p), which is drawn from exactly. The example itself
 * is drawn as in equation (posterior example based), without regard to its plane.
 *
 * Coefficients are as often negative as positive, so that a difference is added, not averaged away: the plane keeps the
 * contrast that a mean of neighbours loses.
 */
import { aroundTheLocation, exampleSearch } from "./example/example_prior.ts";
import { definePlugin } from "../core/plugin.ts";
import { lengthOf } from "../core/shape.ts";
import type { FittedPrior, LayerData } from "../core/types.ts";

/** A sum of this many uniform numbers stands for a normal one: no patch lies farther out than examples reach. */
const UNIFORMS = 4;
/** Examples whose weight is below this part of the largest do not show in the mean. */
const NEGLIGIBLE = 1 / 1024;

/** The prior of new patches near examples. */
export const tangentPlane = definePlugin({
  api: 1,
  kind: "prior",
  name: "tangent-plane",
  about: "a new patch on the plane through an example and those most like it: sharp as examples, but no copy",
  options: {
    neighbours: {
      default: 100,
      min: 1,
      max: 65535,
      integer: true,
      about: "nearest LR examples to draw from; more: more variety, fewer: closer to the seed and safer",
    },
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
  },
  create: ({ neighbours, directions, radius }) => ({
    fit: (layer) => fit(layer, neighbours, directions, radius),
  }),
});

function fit(layer: LayerData, neighbours: number, directions: number, radius: number): FittedPrior {
  const { kernels, hr, patch, channels, batch } = layer, inPatch = patch * patch, pixels = channels * inPatch;
  const choice = { name: "tangent-plane", neighbours, ...aroundTheLocation(layer, "tangent-plane") };
  const { posterior } = exampleSearch(layer, choice);
  const uniform = kernels.allocate(batch * 8), drawn = kernels.allocate(batch * 4);
  const most = Math.min(directions, neighbours - 1), normals = new Float64Array(batch * most);
  const example = new Float64Array(pixels), patches = new Float64Array(neighbours * pixels);
  const distances = new Float64Array(neighbours),
    nearest = new Int32Array(most),
    plane = new Float64Array(most * pixels);
  const system = new Float64Array(most * most), coefficients = new Float64Array(most);

  /** Reads the HR patches of one image's candidates. */
  const read = (image: number, { found, keys, count, corners, stride }: ReturnType<typeof posterior>) => {
    const words = kernels.u32(keys + image * neighbours * 8, found * 2);
    const plane = hr.height * hr.width, bytes = kernels.u8(hr.at, hr.count * lengthOf(hr));
    for (let c = 0; c < found; c++) {
      const index = words[2 * c], [corner] = kernels.u32(corners + 4 * Math.floor(index / count), 1);
      for (let p = 0; p < pixels; p++) {
        const channel = Math.floor(p / inPatch), row = Math.floor(p % inPatch / patch), column = p % patch;
        const value = bytes[(index % count) * stride + corner + channel * plane + row * hr.width + column];
        patches[c * pixels + p] = value / 255;
      }
    }
  };

  /** The plane at a candidate: differences to the nearest others, those that are its equals left out. Their number. */
  const planeAt = (centre: number, found: number): number => {
    for (let c = 0; c < found; c++) {
      let sum = 0;
      for (let p = 0; p < pixels; p++) sum += (patches[c * pixels + p] - patches[centre * pixels + p]) ** 2;
      distances[c] = sum;
    }
    let count = 0;
    for (let c = 0; c < found; c++) {
      if (distances[c] === 0) continue;
      if (count === most && (most === 0 || distances[c] >= distances[nearest[most - 1]])) continue;
      let at = count < most ? count++ : most - 1;
      for (; at > 0 && distances[nearest[at - 1]] > distances[c]; at--) nearest[at] = nearest[at - 1];
      nearest[at] = c;
    }
    for (let p = 0; p < pixels; p++) example[p] = patches[centre * pixels + p];
    for (let d = 0; d < count; d++) {
      for (let p = 0; p < pixels; p++) plane[d * pixels + p] = patches[nearest[d] * pixels + p] - example[p];
    }
    return count;
  };

  /** Adds `weight` times p + D^T c to `out`, with c the posterior's mean and, where given, the noise of its covariance. */
  const place = (
    count: number,
    measured: Float32Array,
    rho: number,
    noise: Float64Array | undefined,
    weight: number,
    out: Float32Array,
  ) => {
    if (radius > 0 && count > 0) {
      for (let d = 0; d < count; d++) {
        let toward = 0;
        for (let p = 0; p < pixels; p++) toward += plane[d * pixels + p] * (measured[p] - example[p]);
        coefficients[d] = rho * toward;
        for (let e = 0; e <= d; e++) {
          let product = 0;
          for (let p = 0; p < pixels; p++) product += plane[d * pixels + p] * plane[e * pixels + p];
          system[d * count + e] = rho * product + (d === e ? count / (radius * radius) : 0);
        }
      }
      solve(system, coefficients, count, noise);
    } else {
      coefficients.fill(0);
    }
    for (let p = 0; p < pixels; p++) {
      let value = example[p];
      for (let d = 0; d < count; d++) value += coefficients[d] * plane[d * pixels + p];
      out[p] += weight * Math.min(Math.max(value, 0), 1);
    }
  };

  return {
    draw(at, now, step, random, out) {
      const found = posterior(at, now, step), sampled = step.zStep === "sample";
      const weights = kernels.f64(found.weights, batch * neighbours);
      // The likeliest is looked for before its weight becomes one of many: ties go to the nearer one.
      const likeliest = Array.from({ length: now.batch }, (_, b) => {
        let best = 0;
        for (let c = 1; c < found.found; c++) {
          if (weights[b * neighbours + c] > weights[b * neighbours + best]) best = c;
        }
        return best;
      });
      random.uniforms(kernels.f64(uniform, now.batch));
      kernels.categorical(found, uniform, drawn);
      const chosen = kernels.i32(drawn, now.batch);
      if (sampled) {
        drawNormals(
          now.batch,
          (n) => {
            random.uniforms(kernels.f64(uniform, now.batch), n);
            return kernels.f64(uniform, now.batch);
          },
          normals,
          most,
        );
      }
      out.sources.fill(-1);
      for (let b = 0; b < now.batch; b++) {
        const measured = now.patches.subarray(b * pixels, (b + 1) * pixels);
        const own = out.patches.subarray(b * pixels, (b + 1) * pixels).fill(0);
        read(b, found);
        if (step.zStep !== "mean") {
          const count = planeAt(sampled ? chosen[b] : likeliest[b], found.found);
          place(count, measured, step.rho, sampled ? normals.subarray(b * most) : undefined, 1, own);
          continue;
        }
        // The mean over the examples, each with its plane.
        const part = weights.subarray(b * neighbours, b * neighbours + found.found);
        const used = [...part.keys()].filter((c) => part[c] >= NEGLIGIBLE);
        const total = used.reduce((sum, c) => sum + part[c], 0);
        for (const c of used) place(planeAt(c, found.found), measured, step.rho, undefined, part[c] / total, own);
      }
    },
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

/**
 * Solves A c = b in place by Cholesky's decomposition A = L L^T, and adds L^-T of the noise, whose covariance is A^-1. `a`:
 * the lower triangle of a positive definite matrix, `count` x `count`, overwritten; `b`: its right side, then the solution.
 */
function solve(a: Float64Array, b: Float64Array, count: number, noise?: Float64Array): void {
  for (let i = 0; i < count; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = a[i * count + j];
      for (let k = 0; k < j; k++) sum -= a[i * count + k] * a[j * count + k];
      a[i * count + j] = i === j ? Math.sqrt(sum) : sum / a[j * count + j];
    }
  }
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < i; k++) b[i] -= a[i * count + k] * b[k];
    b[i] /= a[i * count + i];
  }
  for (let i = count - 1; i >= 0; i--) {
    if (noise) b[i] += noise[i];
    for (let k = i + 1; k < count; k++) b[i] -= a[k * count + i] * b[k];
    b[i] /= a[i * count + i];
  }
}
