import { assertAlmostEquals, assertEquals } from "@std/assert";
import { decompose, solveLower, solvePositive } from "../../core/cholesky.ts";

/** A positive definite matrix of 3 x 3; the upper half is never read. */
const MATRIX = [[4, 2, -1], [2, 5, 3], [-1, 3, 6]];
const lower = () => Float64Array.from(MATRIX.flatMap((row, i) => row.map((value, j) => j <= i ? value : NaN)));
const times = (x: ArrayLike<number>) => MATRIX.map((row) => row.reduce((sum, value, j) => sum + value * x[j], 0));

Deno.test("cholesky: solves a system by the lower triangle of its matrix", () => {
  const b = Float64Array.from([1, -2, 3]);
  solvePositive(lower(), b, 3);
  times(b).forEach((value, i) => assertAlmostEquals(value, [1, -2, 3][i], 1e-12));
  const one = Float64Array.of(6), none = new Float64Array();
  solvePositive(Float64Array.of(4), one, 1);
  solvePositive(none, none, 0);
  assertEquals([one[0], none.length], [1.5, 0]);
});

Deno.test("cholesky: noise is added with the inverse matrix as covariance", () => {
  // What is added to the solution is V = L^-T, column by column; V V^T is the inverse matrix.
  const columns = [0, 1, 2].map((n) => {
    const added = new Float64Array(3);
    solvePositive(lower(), added, 3, Float64Array.from([0, 1, 2], (i) => i === n ? 1 : 0));
    return added;
  });
  for (let j = 0; j < 3; j++) {
    const covariance = [0, 1, 2].map((i) => columns.reduce((sum, column) => sum + column[i] * column[j], 0));
    times(covariance).forEach((value, i) => assertAlmostEquals(value, i === j ? 1 : 0, 1e-12));
  }
});

Deno.test("cholesky: the lower triangle times its transpose is the matrix, and systems of it are solved", () => {
  const l = lower();
  decompose(l, 3);
  const at = (i: number, j: number) => j > i ? 0 : l[3 * i + j];
  MATRIX.forEach((row, i) => {
    row.forEach((value, j) =>
      assertAlmostEquals([0, 1, 2].reduce((sum, k) => sum + at(i, k) * at(j, k), 0), value, 1e-12)
    );
  });
  const b = Float64Array.from([1, -2, 3]);
  solveLower(l, b, 3);
  [1, -2, 3].forEach((value, i) => {
    assertAlmostEquals([0, 1, 2].reduce((sum, k) => sum + at(i, k) * b[k], 0), value, 1e-12);
  });
});
