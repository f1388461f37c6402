import { assertEquals } from "@std/assert";
import { ballsAround, ballsAt } from "../../../plugins/metrics/balls.ts";
import { testBoth } from "../../kernels_under_test.ts";
import { line, rowsOf } from "./generators.ts";

testBoth("ballsAround, ballsAt: rims belong to balls; without neighbours there are none", (kernels) => {
  const set = rowsOf(kernels, line(0, 10, 40)), balls = ballsAround(kernels, set, 1, "drawn");
  assertEquals([[...balls.squared], balls.k, balls.warnings], [[100, 100, 900], 1, []]);
  assertEquals([...ballsAt(kernels, rowsOf(kernels, line(0, 10, 20, 21, 71)), balls)], [2, 3, 2, 1, 0]);
  const lone = ballsAround(kernels, { ...set, count: 1 }, 3, "drawn");
  assertEquals([[...lone.squared], [...ballsAt(kernels, set, lone)]], [[NaN], [NaN, NaN, NaN]]);
});
