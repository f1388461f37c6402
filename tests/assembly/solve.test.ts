/** The X-step against a dense direct solution in float64, with H taken from the kernel's own images of unit vectors. */
import { assert, assertEquals, assertLess } from "@std/assert";
import { Matrix, pseudoInverse, solve } from "ml-matrix";
import type { Kernels } from "../../core/kernels.ts";
import { assertClose, floats, matrixOf, put, testBoth } from "../kernels_under_test.ts";

/** An X-step of a batch: for each image D, X before, the right side but for Y, and Y. */
interface Problem {
  size: number;
  batch: number;
  ratio: number;
  diagonal: Float32Array;
  before: Float32Array;
  sums: Float32Array;
  low: Float32Array;
}

/** Random images under patches of which `cover` lie on a pixel; of the second image, half of the pixels are observed, too. */
function problem(size: number, batch: number, ratio: number, cover: (pixel: number) => number): Problem {
  const pixels = size * size,
    observed = (i: number) => i >= pixels && i < 1.5 * pixels && cover(i % pixels) > 0 ? 10 : 0;
  const diagonal = Float32Array.from({ length: batch * pixels }, (_, i) => cover(i % pixels) + observed(i));
  const sums = floats(1, batch * pixels).map((value, i) => diagonal[i] * value);
  return {
    size,
    batch,
    ratio,
    diagonal,
    before: floats(2, batch * pixels),
    sums,
    low: floats(3, batch * pixels / 4),
  };
}

/** Solves and returns X and the residual that the kernel names. */
function run(kernels: Kernels, scratch: number, given: Problem, tolerance: number, most: number) {
  const { size, batch, ratio, diagonal, before, sums, low } = given, images = put(kernels, before);
  const [right, own, small] = [sums, diagonal, low].map((values) => put(kernels, values));
  const system = { images, sums: right, diagonal: own, lr: small, height: size, width: size, batch, scratch };
  const left = kernels.solve(system, ratio, tolerance, most);
  return { x: kernels.f32(images, before.length).slice(), left };
}

/** X, the right sides and the solution, each image a column, and the matrix of each image. */
function dense(kernels: Kernels, { size, batch, ratio, diagonal, before, sums, low }: Problem) {
  const H = matrixOf(kernels, "down", size, size / 2), pixels = size * size;
  const columns = (values: Float32Array) => Matrix.from1DArray(batch, values.length / batch, values).transpose();
  const matrices = Array.from({ length: batch }, (_, b) => {
    const own = Matrix.diag([...diagonal.subarray(b * pixels, (b + 1) * pixels)]);
    return Matrix.add(Matrix.mul(H.transpose().mmul(H), ratio), own);
  });
  return {
    matrices,
    b: Matrix.add(Matrix.mul(H.transpose().mmul(columns(low)), ratio), columns(sums)),
    columns,
    before: columns(before),
  };
}

/** The largest relative residual of the images, in float64. */
function residual(kernels: Kernels, given: Problem, x: Float32Array): number {
  const { matrices, b, columns } = dense(kernels, given), images = columns(x);
  return Math.max(...matrices.map((A, i) => {
    const right = b.getColumnVector(i);
    return Matrix.sub(right, A.mmul(images.getColumnVector(i))).norm() / right.norm();
  }));
}

testBoth("solve: the dense direct solution, where every pixel is covered", (kernels, scratch) => {
  for (const size of [2, 4, 8, 16]) {
    for (const ratio of [0, 0.01, 1, 1000]) {
      const given = problem(size, 3, ratio, (i) => 1 + i * 7 % 4),
        { x, left } = run(kernels, scratch, given, 1e-6, 500);
      const { matrices, b } = dense(kernels, given);
      const wanted = matrices.flatMap((A, i) => solve(A, b.getColumnVector(i)).to1DArray());
      assert(left <= 1e-6);
      // A residual moves X the more, the worse the condition, which grows with the ratio.
      assertClose(x, wanted, 1e-5 * Math.sqrt(1 + ratio), `size ${size}, ratio ${ratio}, pixel`);
    }
  }
});

testBoth("solve: where no patch covers, X keeps what the small image does not tell", (kernels, scratch) => {
  // Two columns without a patch, as at the right border of the paper's digits.
  const given = problem(4, 2, 10, (i) => i % 4 < 2 ? 1 + i % 3 : 0), { x } = run(kernels, scratch, given, 1e-6, 500);
  const { matrices, b, before } = dense(kernels, given);
  const nearest = matrices.flatMap((A, i) => {
    const old = before.getColumnVector(i), rest = Matrix.sub(b.getColumnVector(i), A.mmul(old));
    return Matrix.add(old, pseudoInverse(A, 1e-6).mmul(rest)).to1DArray();
  });
  assertClose(x, nearest, 2e-5, "pixel");
});

testBoth("solve: ratio 0 is the mean of the patches, an uncovered pixel keeps its value", (kernels, scratch) => {
  const given = problem(8, 2, 0, (i) => i % 5), { diagonal, before, sums } = given;
  const { x, left } = run(kernels, scratch, given, 1e-6, 500);
  assertEquals(left, 0);
  assertEquals(x, before.map((value, i) => diagonal[i] > 0 ? sums[i] / diagonal[i] : value));
});

testBoth("solve: the residual it returns is the true one and within the tolerance", (kernels, scratch) => {
  for (const tolerance of [1e-1, 1e-3, 1e-5]) {
    const given = problem(8, 3, 10, (i) => 1 + i % 3), { x, left } = run(kernels, scratch, given, tolerance, 500);
    const truth = residual(kernels, given, x);
    assert(left <= tolerance, `${left} left`);
    assert(Math.abs(truth - left) <= 0.01 * left + 1e-6, `${left} named, ${truth} in truth`);
  }
});

testBoth("solve: stops after `most` steps, each of them an improvement", (kernels, scratch) => {
  const given = problem(8, 3, 10, (i) => 1 + i % 3), truths: number[] = [];
  for (const most of [0, 1, 2, 3, 4]) {
    const { x, left } = run(kernels, scratch, given, 1e-9, most), truth = residual(kernels, given, x);
    assert(Math.abs(truth - left) <= 1e-4 * left + 1e-6, `${left} named, ${truth} in truth`);
    if (most === 0) assertEquals(x, given.before);
    else assertLess(truth, truths[most - 1]);
    truths.push(truth);
  }
});

testBoth("solve: nothing to fit gives 0 and no NaN", (kernels, scratch) => {
  const given = problem(8, 1, 10, (i) => 1 + i % 3),
    none = { ...given, sums: new Float32Array(64), low: new Float32Array(16) };
  assertClose(run(kernels, scratch, none, 1e-5, 200).x, new Float32Array(64), 1e-6);
  const black = run(kernels, scratch, { ...none, before: new Float32Array(64) }, 1e-5, 200);
  assertEquals(black, { x: new Float32Array(64), left: 0 });
});
