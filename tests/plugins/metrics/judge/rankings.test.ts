import { assertAlmostEquals, assertEquals } from "@std/assert";
import { stream } from "../../../../core/random.ts";
import { rankings } from "../../../../plugins/metrics/judge/rankings.ts";
import { first, mean } from "../generators.ts";

const rank = (decisions: number[], sign: number[], fold = sign.map(() => 0)) =>
  rankings(Float64Array.from(decisions), Int8Array.from(sign), Uint8Array.from(fold));

Deno.test("rankings: by hand, ties count half", () => {
  const { places } = rank([1, 2, 3, 2, 4, 0], [-1, -1, -1, 1, 1, 1]);
  assertEquals([...places], [2 / 3, 0.5, 1 / 3, 0.5, 1, 0]);
});

Deno.test("rankings: items of different folds are not compared", () => {
  assertEquals([...rank([1, 0, 5, 6], [1, -1, 1, -1], [0, 0, 1, 1]).places], [1, 1, 0, 0]);
});

Deno.test("rankings: the mean place of both classes is the area under the curve; the error is that of repetitions", () => {
  const random = stream(11), areas: number[] = [], errors: number[] = [];
  for (let repetition = 0; repetition < 300; repetition++) {
    // The area of uniform numbers against their square roots is 2/3.
    const sign = first(70).map((i) => i < 30 ? 1 : -1);
    const { places, standardError } = rank(sign.map((s) => s > 0 ? Math.sqrt(random.next()) : random.next()), sign);
    const [real, made] = [1, -1].map((own) => mean(places.filter((_, i) => sign[i] === own)));
    assertAlmostEquals(real, made, 1e-12);
    areas.push(made);
    errors.push(standardError);
  }
  assertAlmostEquals(mean(areas), 2 / 3, 0.015);
  const deviation = Math.sqrt(mean(areas.map((area) => (area - mean(areas)) ** 2)));
  assertAlmostEquals(mean(errors) / deviation, 1, 0.15);
});

Deno.test("rankings: sets that are separated have an error: areas that often separate so few items lie in the interval", () => {
  for (const count of [10, 60, 300]) {
    const sign = first(2 * count).map((i) => i < count ? 1 : -1);
    const { places, standardError } = rank(sign, sign);
    assertEquals(places.every((place) => place === 1), true);
    // Uniform numbers of which real ones are shifted by 1 - share: for small shares the area is 1 - share^2 / 2.
    const separates = (share: number) => {
      const random = stream(count), runs = 200;
      const numbers = (shift: number) => first(count).map(() => random.next() + shift);
      return first(runs).filter(() => Math.min(...numbers(1 - share)) > Math.max(...numbers(0))).length / runs;
    };
    // A share at which one run in twenty separates the sets.
    let share = 1 / count;
    while (separates(share) > 0.05) share *= 1.1;
    assertEquals(1 - 1.96 * 1.3 * standardError < 1 - share ** 2 / 2, true, `${count}: ${standardError}, ${share}`);
    assertEquals(standardError < 0.2 / Math.sqrt(count), true, `${count}: ${standardError}`);
  }
  assertEquals(rank([0, 0, 0, 0], [1, 1, -1, -1]).standardError > 0, true, "all ties");
});
