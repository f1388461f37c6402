import { assert, assertEquals } from "@std/assert";
import { stream } from "../../../../core/random.ts";
import { FOLDS, foldsOfPairs } from "../../../../plugins/metrics/judge/folds.ts";
import { first } from "../generators.ts";

/** Squared distances of points on a line. */
const squaredOf = (points: readonly number[]) =>
  Float64Array.from(points.flatMap((a) => points.map((b) => (a - b) ** 2)));

Deno.test("foldsOfPairs: near twins share a fold, whatever their classes", () => {
  const random = stream(3), points = first(40).map(() => 1000 * random.next());
  const all = points.flatMap((point) => [point, point + 1e-3]);
  for (const sign of [(i: number) => i % 2, (i: number) => Number(i < 40)]) {
    const fold = foldsOfPairs(squaredOf(all), Int8Array.from(all, (_, i) => sign(i) ? 1 : -1));
    for (const i of first(40)) assertEquals(fold[2 * i], fold[2 * i + 1]);
  }
});

Deno.test("foldsOfPairs: with 10 items of each class every fold has both", () => {
  const random = stream(4);
  for (let repetition = 0; repetition < 500; repetition++) {
    const counts = [10 + Math.floor(6 * random.next()), 10 + Math.floor(30 * random.next())];
    const sign = Int8Array.from({ length: counts[0] + counts[1] }, (_, i) => i < counts[0] ? 1 : -1);
    // Classes that mix, that do not, and items that are all equal.
    const apart = [0, 0.5, 5][repetition % 3], spread = repetition % 7 === 0 ? 0 : 1;
    const fold = foldsOfPairs(squaredOf(Array.from(sign, (s) => s * apart + spread * random.next())), sign);
    for (const f of first(FOLDS)) {
      for (const own of [1, -1]) assert(sign.some((s, i) => s === own && fold[i] === f), `${counts}, fold ${f}`);
    }
    assert(fold.every((f) => f < FOLDS));
  }
});
