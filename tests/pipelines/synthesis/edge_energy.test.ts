import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { edgeEnergy, edgeText, meanEdgeEnergy } from "../../../pipelines/synthesis/edge_energy.ts";

const wave = (height: number, width: number, turnsX: number, turnsY: number) =>
  Uint8Array.from({ length: 2 * height * width }, (_, p) => {
    const x = p % width / width, y = Math.floor(p / width) % height / height;
    return 128 + 60 * Math.sin(2 * Math.PI * turnsX * x) + 60 * Math.sin(2 * Math.PI * turnsY * y);
  });

Deno.test("edgeEnergy: about 1 where waves meet themselves, far above where they do not, 1 for a flat image", () => {
  const shape = { height: 30, width: 40 }, seamless = edgeEnergy(shape, wave(30, 40, 3, 2), "both");
  // A wave is steepest where it begins.
  for (const ratio of [seamless.x!, seamless.y!]) assert(ratio > 0.5 && ratio < 2.2, `${ratio}`);
  const seam = edgeEnergy(shape, wave(30, 40, 3.25, 2), "both");
  assert(seam.x! > 5 && seam.y! < 2.2, `${seam.x} ${seam.y}`);
  assert(seam.x! > 2 * seam.mostX! && seam.y! <= 1.01 * seam.mostY!, "a seam is above all columns inside");
  assertEquals(Object.keys(edgeEnergy(shape, wave(30, 40, 1, 1), "x")), ["x", "mostX"]);
  assertEquals(Object.keys(edgeEnergy(shape, wave(30, 40, 1, 1), "y")), ["y", "mostY"]);
  assertEquals(edgeEnergy(shape, new Uint8Array(1200), "both"), { x: 1, mostX: 1, y: 1, mostY: 1 });
  assertEquals(edgeEnergy({ height: 1, width: 1 }, Uint8Array.of(7), "both"), { x: 1, mostX: 1, y: 1, mostY: 1 });
});

Deno.test("edgeEnergy: an edge between rows of stripes is above 1, and no higher than the others", () => {
  const stripes = Uint8Array.from({ length: 24 * 10 }, (_, p) => Math.floor(p / 10) % 6 < 3 ? 200 : 50);
  const { y, mostY } = edgeEnergy({ height: 24, width: 10 }, stripes, "y");
  assertAlmostEquals(y!, mostY!);
  assert(y! > 3, `${y}`);
});

Deno.test("meanEdgeEnergy: of each direction that there is", () => {
  assertEquals(meanEdgeEnergy([{ x: 1 }, { x: 3 }]), { x: 2 });
  const { x, y } = meanEdgeEnergy([{ x: 1, y: 0.5 }, { x: 2, y: 1 }]);
  assertAlmostEquals(x! + y!, 2.25);
  assertEquals(meanEdgeEnergy([]), {});
});

Deno.test("edgeText: begins with whether a seam can be seen, and names the picture", () => {
  assertEquals(
    edgeText({ x: 0.73, mostX: 1.9, y: 1.901, mostY: 1.9 }, "out/tiled.png"),
    "No seam can be seen across the edges: edge energy ratio 0.73 in x (inside at most 1.90), 1.90 in y (inside at most 1.90). " +
      "out/tiled.png shows it",
  );
  assertEquals(
    edgeText({ y: 4, mostY: 1.9 }, "tiled.png"),
    "A seam may be seen across the edges in y: edge energy ratio 4.00 in y (inside at most 1.90). tiled.png shows it",
  );
});
