import { assert, assertEquals } from "@std/assert";
import { stream } from "../../../core/random.ts";
import { boundaryCut } from "../../../pipelines/synthesis/boundary_cut.ts";

Deno.test("boundaryCut: follows the pixels of least error, one step aside a line", () => {
  const errors = [
    [9, 9, 0, 9],
    [9, 0, 9, 9],
    [0, 9, 9, 0], // the right one cannot be reached
    [9, 1, 9, 9],
  ];
  const { before, error } = boundaryCut(4, 4, (line, at) => errors[line][at]);
  assertEquals([[...before], error], [[2, 1, 0, 1], 1]);
});

Deno.test("boundaryCut: the least of all paths, of one line and of one pixel a line, too", () => {
  const random = stream(1, 4);
  for (const [lines, depth] of [[1, 1], [1, 5], [6, 1], [5, 3], [4, 4]]) {
    const errors = Array.from({ length: lines * depth }, () => random.next());
    const { before, error } = boundaryCut(lines, depth, (line, at) => errors[line * depth + at]);
    const paths = (line: number, at: number): number => {
      if (at < 0 || at >= depth) return Infinity;
      const rest = line + 1 < lines ? Math.min(...[-1, 0, 1].map((step) => paths(line + 1, at + step))) : 0;
      return errors[line * depth + at] + rest;
    };
    const least = Math.min(...Array.from({ length: depth }, (_, at) => paths(0, at)));
    assert(Math.abs(error - least) < 1e-12);
    assertEquals(error, before.reduce((sum, at, line) => sum + errors[line * depth + at], 0));
    before.forEach((at, line) => line > 0 && assert(Math.abs(at - before[line - 1]) <= 1));
  }
});
