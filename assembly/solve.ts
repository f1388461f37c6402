// The X-step, equation (epll x step), divided by rho:
//   (ratio H^T H + D) X = ratio H^T Y + sum_i R_i^T M (z_i - u_i) + W V / rho,   ratio = lambda / rho.
// D = C + W / rho is diagonal: C = sum_i R_i^T M R_i with the merge weights M (1 in the paper), and W are the weights of the
// observed pixels V (none in synthesis). Conjugate gradients start from the current X and need no matrix.
// deno-lint-ignore verbatim-module-syntax -- AssemblyScript knows no "import type"
import { MergeSystem } from "./descriptors";
import { down, downTransposed } from "./resample";

/** The inner product in f64: four running sums, so that the order of additions is the same with and without vectors. */
function dot(a: usize, b: usize, length: i32): f64 {
  let even = f64x2.splat(0), odd = even;
  for (let i: usize = 0; i < <usize> length << 2; i += 16) {
    const va = v128.load(a + i), vb = v128.load(b + i);
    even = f64x2.add(even, f64x2.mul(f64x2.promote_low_f32x4(va), f64x2.promote_low_f32x4(vb)));
    const ha = i8x16.shuffle(va, va, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15);
    const hb = i8x16.shuffle(vb, vb, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15);
    odd = f64x2.add(odd, f64x2.mul(f64x2.promote_low_f32x4(ha), f64x2.promote_low_f32x4(hb)));
  }
  return (f64x2.extract_lane(even, 0) + f64x2.extract_lane(even, 1)) +
    (f64x2.extract_lane(odd, 0) + f64x2.extract_lane(odd, 1));
}

/** target += factor * source. */
function axpy(target: usize, factor: f32, source: usize, length: i32): void {
  const by = f32x4.splat(factor);
  for (let i: usize = 0; i < <usize> length << 2; i += 16) {
    v128.store(target + i, f32x4.add(v128.load(target + i), f32x4.mul(by, v128.load(source + i))));
  }
}

/** out = ratio H^T H v + D v. */
function apply(v: usize, diagonal: usize, ratio: f32, height: i32, width: i32, small: usize, out: usize): void {
  down(v, small, height, width, 1);
  downTransposed(small, out, height, width, 1);
  const by = f32x4.splat(ratio);
  for (let i: usize = 0; i < <usize> (height * width) << 2; i += 16) {
    const scaled = f32x4.mul(v128.load(diagonal + i), v128.load(v + i));
    v128.store(out + i, f32x4.add(f32x4.mul(by, v128.load(out + i)), scaled));
  }
}

/**
 * Solves the X-step for each image of a batch, in place. Stops when the residual's norm is below `tolerance` times the right side's,
 * or after `maxSteps` steps. Returns the largest relative residual left.
 */
export function solve(system: MergeSystem, ratio: f32, tolerance: f64, maxSteps: i32): f64 {
  const images = system.images, sums = system.sums, diagonal = system.diagonal, lr = system.lr;
  const height = system.height, width = system.width, batch = system.batch, scratch = system.scratch;
  const pixels = height * width, bytes = <usize> pixels << 2;
  const direction = scratch, product = direction + bytes, residual = product + bytes, small = residual + bytes;
  let worst: f64 = 0.0;
  for (let b = 0; b < batch; b++) {
    const x = images + <usize> b * bytes, right = sums + <usize> b * bytes, own = diagonal + <usize> b * bytes;
    if (ratio == 0.0) {
      for (let i: usize = 0; i < bytes; i += 4) {
        const weight = load<f32>(own + i);
        if (weight > 0.0) store<f32>(x + i, load<f32>(right + i) / weight);
      }
      continue;
    }
    downTransposed(lr + <usize> b * (bytes >> 2), product, height, width, 1);
    axpy(right, ratio, product, pixels);
    const enough = tolerance * tolerance * dot(right, right, pixels);
    apply(x, own, ratio, height, width, small, product);
    memory.copy(residual, right, bytes);
    axpy(residual, -1.0, product, pixels);
    memory.copy(direction, residual, bytes);
    let norm = dot(residual, residual, pixels);
    for (let step = 0; step < maxSteps && norm > enough; step++) {
      apply(direction, own, ratio, height, width, small, product);
      const length = <f32> (norm / dot(direction, product, pixels));
      axpy(x, length, direction, pixels);
      axpy(residual, -length, product, pixels);
      const next = dot(residual, residual, pixels), keep = <f32> (next / norm);
      for (let i: usize = 0; i < bytes; i += 16) {
        v128.store(
          direction + i,
          f32x4.add(v128.load(residual + i), f32x4.mul(f32x4.splat(keep), v128.load(direction + i))),
        );
      }
      norm = next;
    }
    if (enough > 0.0) worst = max(worst, Math.sqrt(norm / enough) * tolerance);
  }
  return worst;
}
