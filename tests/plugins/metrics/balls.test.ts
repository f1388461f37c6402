import { assertEquals } from "@std/assert";
import { ballsAround, ballsAt } from "../../../plugins/metrics/balls.ts";
import { put, testBoth } from "../../kernels_under_test.ts";
import type { Kernels } from "../../../core/kernels.ts";
import { squareOf } from "../../../core/shape.ts";
import { type ImageSet, line } from "./generators.ts";

const rows = (kernels: Kernels, { count, size, pixels }: ImageSet) => ({
  count,
  ...squareOf(size),
  channels: 1,
  at: put(kernels, pixels),
});

testBoth("ballsAround, ballsAt: rims belong to balls; without neighbours there are none", (kernels) => {
  const set = rows(kernels, line(0, 10, 40)), balls = ballsAround(kernels, set, 1, "drawn");
  assertEquals([[...balls.squared], balls.k, balls.warnings], [[100, 100, 900], 1, []]);
  assertEquals([...ballsAt(kernels, rows(kernels, line(0, 10, 20, 21, 71)), balls)], [2, 3, 2, 1, 0]);
  const lone = ballsAround(kernels, { ...set, count: 1 }, 3, "drawn");
  assertEquals([[...lone.squared], [...ballsAt(kernels, set, lone)]], [[NaN], [NaN, NaN, NaN]]);
});
