/** The X-step by conjugate gradients. */
import type { KernelFunctions } from "../kernel_functions.ts";
import { resampleKernels } from "./resample.ts";
import type { Views } from "../views.ts";

const f = Math.fround;

/** The inner product: four running sums, as in the kernel. */
function dot(a: Float32Array, b: Float32Array): number {
  const sums = [0, 0, 0, 0];
  for (let i = 0; i < a.length; i++) sums[i % 4] += a[i] * b[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/** target += factor * source. */
function axpy(target: Float32Array, factor: number, source: Float32Array): void {
  for (let i = 0; i < target.length; i++) target[i] = f(target[i] + f(f(factor) * source[i]));
}

/** The twin of assembly/solve.ts. */
export function solveKernel(memory: Views): Pick<KernelFunctions, "solve"> {
  const { f32 } = memory;
  const { down, downTransposed } = resampleKernels(memory);
  return {
    solve(system, ratio, tolerance, maxSteps) {
      const { images, sums, diagonal, lr, height, width, batch, scratch } = system;
      const pixels = height * width;
      const bytes = pixels * 4;
      const direction = f32(scratch, pixels);
      const product = f32(scratch + bytes, pixels);
      const residual = f32(scratch + 2 * bytes, pixels);
      ratio = f(ratio);
      const apply = (v: Float32Array, own: Float32Array) => {
        down(v.byteOffset, scratch + 3 * bytes, height, width, 1);
        downTransposed(scratch + 3 * bytes, product.byteOffset, height, width, 1);
        for (let i = 0; i < pixels; i++) product[i] = f(f(ratio * product[i]) + f(own[i] * v[i]));
      };
      let worst = 0;
      for (let b = 0; b < batch; b++) {
        const x = f32(images + b * bytes, pixels);
        const right = f32(sums + b * bytes, pixels);
        const own = f32(diagonal + b * bytes, pixels);
        if (ratio === 0) {
          for (let i = 0; i < pixels; i++) if (own[i] > 0) x[i] = f(right[i] / own[i]);
          continue;
        }
        downTransposed(lr + b * bytes / 4, product.byteOffset, height, width, 1);
        axpy(right, ratio, product);
        const enough = tolerance * tolerance * dot(right, right);
        apply(x, own);
        residual.set(right);
        axpy(residual, -1, product);
        direction.set(residual);
        let norm = dot(residual, residual);
        for (let step = 0; step < maxSteps && norm > enough; step++) {
          apply(direction, own);
          const length = f(norm / dot(direction, product));
          axpy(x, length, direction);
          axpy(residual, -length, product);
          const next = dot(residual, residual);
          const keep = f(next / norm);
          for (let i = 0; i < pixels; i++) direction[i] = f(residual[i] + f(keep * direction[i]));
          norm = next;
        }
        if (enough > 0) worst = Math.max(worst, Math.sqrt(norm / enough) * tolerance);
      }
      return worst;
    },
  };
}
