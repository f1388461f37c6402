import { assert, assertEquals } from "@std/assert";
import { Matrix, solve } from "ml-matrix";
import { stream } from "../../../../core/random.ts";
import { heldOutDecisions } from "../../../../plugins/metrics/judge/discriminant.ts";
import { assertClose } from "../../../kernels_under_test.ts";
import { first } from "../generators.ts";

const COUNT = 30, FEATURES = 6, random = stream(8);
const features = first(COUNT).map((i) => first(FEATURES).map((f) => random.next() + (f === 2 && i < 12 ? 1.2 : 0)));
const sign = Int8Array.from({ length: COUNT }, (_, i) => i < 12 ? -1 : 1);
const fold = Uint8Array.from({ length: COUNT }, (_, i) => i % 5);
const squared = Float64Array.from(
  features.flatMap((a) => features.map((b) => a.reduce((sum, value, f) => sum + (value - b[f]) ** 2, 0))),
);

Deno.test("heldOutDecisions: ridge regression on the features themselves, of the items of the other folds", () => {
  for (const ridge of [1e-3, 0.1, 10]) {
    const found = heldOutDecisions({ squared, sign, fold }, ridge), wanted = new Float64Array(COUNT);
    for (const left of first(5)) {
      const inside = first(COUNT).filter((i) => fold[i] !== left),
        mean = (values: number[]) => values.reduce((a, b) => a + b) / values.length;
      const centre = first(FEATURES).map((f) => mean(inside.map((i) => features[i][f])));
      const centred = (i: number) => features[i].map((value, f) => value - centre[f]);
      const X = new Matrix(inside.map(centred)), target = mean(inside.map((i) => sign[i]));
      const y = Matrix.columnVector(inside.map((i) => sign[i] - target));
      const variance = mean(inside.map((i) => centred(i).reduce((sum, value) => sum + value * value, 0)));
      const w = solve(X.transpose().mmul(X).add(Matrix.eye(FEATURES).mul(ridge * variance)), X.transpose().mmul(y));
      for (const i of first(COUNT).filter((i) => fold[i] === left)) {
        wanted[i] = centred(i).reduce((sum, value, f) => sum + value * w.get(f, 0), 0);
      }
    }
    assertClose(found, wanted, 1e-9);
  }
});

Deno.test("heldOutDecisions: larger for items of +1, which it has not seen; items that are all equal decide nothing", () => {
  const found = heldOutDecisions({ squared, sign, fold }, 0.1);
  const right = found.filter((decision, i) => decision * sign[i] > 0).length;
  assert(right >= 0.7 * COUNT, `${right} of ${COUNT}`);
  assertEquals([...new Set(heldOutDecisions({ squared: squared.map(() => 0), sign, fold }, 0.1))], [0]);
});
