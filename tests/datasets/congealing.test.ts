import { assert, assertEquals } from "@std/assert";
import { stream } from "../../core/random.ts";
import { aligned, type Alignment, congeal } from "../../datasets/congealing.ts";
import { proceduralDigits } from "../../datasets/procedural/digits.ts";
import { padded } from "../../datasets/border.ts";
import type { Images } from "../../core/types.ts";

const SIDE = 40;

function congealed(images: Images): Alignment[] {
  const steps = congeal(images);
  for (let step = steps.next();; step = steps.next()) if (step.done) return step.value;
}

/** Where an alignment puts a point of a square image. */
function put({ dx, dy, scale, angle }: Alignment, [x, y]: readonly [number, number]): [number, number] {
  const middle = (SIDE - 1) / 2, c = Math.cos(angle) * Math.exp(scale), s = Math.sin(angle) * Math.exp(scale);
  return [
    middle + c * (x - middle) - s * (y - middle) + dx * SIDE,
    middle + s * (x - middle) + c * (y - middle) + dy * SIDE,
  ];
}

Deno.test("congeal: copies of a digit that were moved, scaled and turned come back to within a pixel of each other", () => {
  const { images } = proceduralDigits("train", 1), area = 28 * 28, count = 24;
  const three = { count: 1, height: 28, width: 28, pixels: images.pixels.slice(3 * area, 4 * area) };
  const digit = padded(three, { height: SIDE, width: SIDE }, [0, 0, 0]),
    random = stream(3),
    around = (most: number) => (2 * random.next() - 1) * most;
  const moves = Array.from(
    { length: count },
    () => ({ dx: around(0.1), dy: around(0.1), scale: around(0.15), angle: around(0.3) }),
  );
  const pixels = new Uint8Array(count * SIDE * SIDE);
  moves.forEach((move, i) => pixels.set(aligned(digit, move).pixels, i * SIDE * SIDE));
  const set = { count, height: SIDE, width: SIDE, pixels }, found = congealed(set);
  assertEquals(congealed(set), found, "the same images are aligned in the same way");
  for (const point of [[12, 12], [28, 12], [20, 28]] as const) {
    const places = moves.map((move, i) => put(found[i], put(move, point)));
    const mean = [0, 1].map((k) => places.reduce((sum, place) => sum + place[k], 0) / count);
    const off = places.map(([x, y]) => Math.hypot(x - mean[0], y - mean[1])).sort((a, b) => a - b);
    assert(off[Math.floor(count * 0.9)] < 1, `${point}: ${off.map((o) => o.toFixed(2))}`);
  }
  for (const key of ["dx", "dy", "scale", "angle"] as const) {
    assert(Math.abs(found.reduce((sum, one) => sum + one[key], 0)) < 1e-9, "the set as a whole stays in its place");
  }
});

Deno.test("congeal: one image, flat images and none stay as they are", () => {
  const flat = (count: number) => ({ count, height: 9, width: 9, pixels: new Uint8Array(count * 81).fill(5) });
  for (const count of [0, 1, 3]) {
    assertEquals(congealed(flat(count)), Array.from({ length: count }, () => ({ dx: 0, dy: 0, scale: 0, angle: 0 })));
  }
});
