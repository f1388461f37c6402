import { assertAlmostEquals, assertEquals } from "@std/assert";
import { type Stream, stream } from "../../../core/random.ts";
import { gridCut, type GridGraph } from "../../../pipelines/quilting/grid_cut.ts";

/** A graph with random capacities; about a third of them are 0. */
function randomGraph(height: number, width: number, random: Stream): GridGraph {
  const area = height * width, some = () => Math.max(0, random.next() * 3 - 1);
  const edges = (has: (y: number, x: number) => boolean) => {
    return Float64Array.from({ length: area }, (_, p) => has(Math.floor(p / width), p % width) ? some() : 0);
  };
  return {
    height,
    width,
    terminals: Float64Array.from({ length: area }, () => 4 * random.next() - 2),
    capacities: [
      edges((_, x) => x < width - 1),
      edges((_, x) => x > 0),
      edges((y) => y < height - 1),
      edges((y) => y > 0),
    ],
  };
}

/** What a cut costs: the capacities from the source's side to the sink's. */
function costOf({ height, width, terminals, capacities }: GridGraph, isSink: (p: number) => boolean): number {
  const steps = [1, -1, width, -width];
  let sum = 0;
  for (let p = 0; p < height * width; p++) {
    if (isSink(p) === terminals[p] > 0) sum += Math.abs(terminals[p]);
    steps.forEach((step, d) => sum += !isSink(p) && isSink(p + step) ? capacities[d][p] : 0);
  }
  return sum;
}

Deno.test("gridCut: the cut of least cost among all, of small grids", () => {
  for (const [height, width] of [[1, 1], [1, 4], [4, 1], [2, 3], [3, 3], [3, 4]]) {
    for (let seed = 0; seed < 12; seed++) {
      const graph = () => randomGraph(height, width, stream(seed, height, width)), cut = gridCut(graph());
      let least = Infinity;
      for (let set = 0; set < 2 ** (height * width); set++) {
        least = Math.min(least, costOf(graph(), (p) => (set >> p) % 2 === 1));
      }
      assertAlmostEquals(costOf(graph(), (p) => cut[p] === 1), least, 1e-9, `${height}x${width}, ${seed}`);
    }
  }
});

Deno.test("gridCut: no pixel of a larger grid can change its side alone and cost less", () => {
  const graph = () => randomGraph(40, 30, stream(1, 40)),
    cut = gridCut(graph()),
    whole = costOf(graph(), (p) => cut[p] === 1);
  for (let changed = 0; changed < 1200; changed += 7) {
    const cost = costOf(graph(), (p) => (cut[p] === 1) !== (p === changed));
    assertEquals(cost >= whole - 1e-9, true, `pixel ${changed}`);
  }
});
