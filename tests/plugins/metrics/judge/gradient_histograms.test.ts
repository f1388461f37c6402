import { assert, assertEquals } from "@std/assert";
import { stream } from "../../../../core/random.ts";
import { squareOf } from "../../../../core/shape.ts";
import { gradientHistograms, histogramsLength } from "../../../../plugins/metrics/judge/gradient_histograms.ts";
import { first } from "../generators.ts";

const rowsOf = (size: number, count = 1, channels = 1) => ({ count, ...squareOf(size), channels, at: 0 });

Deno.test("gradientHistograms: 8x8 cells for digits, 16x16 for faces, eight directions; any size has some", () => {
  assertEquals([32, 128, 256, 1, 2, 5].map((size) => histogramsLength(rowsOf(size)) / 8), [64, 256, 256, 1, 1, 4]);
});

Deno.test("gradientHistograms: a ramp has one direction; its mirror image the mirrored one", () => {
  // Directions from 0 to below half a turn, in steps of 22.5 degrees; y grows downwards.
  for (const bin of first(8)) {
    const angle = bin * Math.PI / 8, [dx, dy] = [Math.cos(angle), Math.sin(angle)];
    const ramp = Uint8Array.from({ length: 32 * 32 }, (_, p) => 128 + 5 * (dx * (p % 32 - 16) + dy * ((p >> 5) - 16)));
    const [cells] = [gradientHistograms(rowsOf(32), ramp)], inner = cells.subarray((3 * 8 + 3) * 8, (3 * 8 + 4) * 8);
    assertEquals(inner.indexOf(Math.max(...inner)), bin, inner.join(" "));
    const mirrored = Uint8Array.from(ramp, (_, p) => ramp[p - p % 32 + 31 - p % 32]);
    const other = gradientHistograms(rowsOf(32), mirrored).subarray((3 * 8 + 4) * 8, (3 * 8 + 5) * 8);
    assertEquals(other.indexOf(Math.max(...other)), (8 - bin) % 8, other.join(" "));
  }
});

Deno.test("gradientHistograms: brightness does not count, contrast hardly, channels are averaged", () => {
  const random = stream(5), size = 32, noise = Uint8Array.from({ length: size * size }, () => 64 + 128 * random.next());
  const found = gradientHistograms(rowsOf(size), noise);
  assertEquals(gradientHistograms(rowsOf(size), noise.map((grey) => grey + 60)), found);
  const half = gradientHistograms(rowsOf(size), noise.map((grey) => grey >> 1));
  const change = found.reduce((sum, value, i) => sum + Math.abs(value - half[i]), 0) / found.reduce((a, b) => a + b);
  assert(change < 0.06, `${change}`);
  const grey = Uint8Array.from([...noise, ...noise, ...noise]);
  assertEquals(gradientHistograms(rowsOf(size, 1, 3), grey), found);
  const two = gradientHistograms(rowsOf(size, 2), Uint8Array.from([...noise, ...noise.map(() => 9)]));
  assertEquals([two.slice(0, found.length), new Set(two.subarray(found.length))], [found, new Set([0])]);
});
