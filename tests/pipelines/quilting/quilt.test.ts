import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { stream } from "../../../core/random.ts";
import type { Exemplars } from "../../../pipelines/quilting/exemplars.ts";
import type { Size } from "../../../core/shape.ts";
import { finish } from "../../../core/steps.ts";
import type { Tile } from "../../../core/tiling.ts";
import { quilt } from "../../../pipelines/quilting/quilt.ts";
import { floats } from "../../kernels_under_test.ts";
import { distinct, sourcesOf } from "./distinct_exemplars.ts";

/** The values of a quilted image. */
function quilted(exemplars: Exemplars, size: Size, seed: number, image: number, tile?: Tile): Float32Array {
  return finish(quilt(exemplars, size, { seed, image, tile })).values;
}

Deno.test("quilt: made of pixels of the exemplars, in pieces that lie there side by side", () => {
  const exemplars = distinct(2, 20, 24), size = { height: 30, width: 41 }, used = new Set<number>();
  for (let number = 0; number < 10; number++) {
    const sources = sourcesOf(exemplars, quilted(exemplars, size, 1, number));
    let together = 0;
    sources.forEach(([image, y, x], p) => {
      assert(image < 2 && y < 20 && x < 24);
      used.add(image);
      const [image1, y1, x1] = sources[p + 1] ?? [];
      if (image1 === image && y1 === y && x1 === x + 1) together++;
    });
    assert(together > 0.7 * sources.length, `only ${together} of ${sources.length} pixels go on as in the exemplar`);
  }
  assertEquals(used.size, 2, "both exemplars are used");
});

Deno.test("quilt: a pattern that repeats is continued without a seam, whatever is drawn", () => {
  // Checks of 3 x 5 pixels: 16 x 16 blocks have one phase that fits.
  const check = (y: number, x: number) => (Math.floor(y / 3) + Math.floor(x / 5)) % 2;
  const height = 34, width = 38, values = new Float32Array(height * width);
  values.forEach((_, p) => values[p] = check(Math.floor(p / width), p % width));
  for (const image of [0, 1, 2]) {
    const size = { height: 50, width: 61 },
      out = quilted({ count: 1, height, width, channels: 1, values }, size, 7, image);
    const fits = (dy: number, dx: number) =>
      out.every((value, p) => value === check(Math.floor(p / 61) + dy, p % 61 + dx));
    assert(Array.from({ length: 60 }, (_, n) => fits(Math.floor(n / 10), n % 10)).includes(true), `image ${image}`);
  }
});

Deno.test("quilt: of any size, also from an exemplar smaller than a block; by seed and image alone", () => {
  const small: Exemplars = { count: 1, height: 3, width: 5, channels: 1, values: floats(1, 15) };
  for (const [height, width] of [[1, 1], [3, 5], [2, 40], [33, 4]]) {
    const out = quilted(small, { height, width }, 1, 0);
    assertEquals(out.length, height * width);
    assert(out.every((value) => small.values.includes(value)));
  }
  const exemplars = distinct(1, 30, 30), size = { height: 20, width: 20 };
  const made = (seed: number, image: number) => quilted(exemplars, size, seed, image);
  assertEquals(made(1, 3), made(1, 3));
  assertNotEquals(made(1, 3), made(1, 4));
  assertNotEquals(made(1, 3), made(2, 3));
});

Deno.test("quilt: with tile a pattern that repeats continues across the edges, of any size and block", () => {
  const check = (y: number, x: number) => (Math.floor(y / 3) + Math.floor(x / 5)) % 2, height = 34, width = 38;
  const values = Float32Array.from({ length: height * width }, (_, p) => check(Math.floor(p / width), p % width));
  const exemplars: Exemplars = { count: 1, height, width, channels: 1, values }, size = { height: 42, width: 50 };
  const out = quilted(exemplars, size, 7, 1, "both"), at = (y: number, x: number) => out[y % 42 * 50 + x % 50];
  // Whole periods of 6 and 10: the whole plane is the pattern.
  for (let p = 0; p < 84 * 100; p++) {
    const y = Math.floor(p / 100), x = p % 100;
    assertEquals([at(y + 3, x), at(y, x + 5)], [1 - at(y, x), 1 - at(y, x)], `${y} ${x}`);
  }
  const random = distinct(1, 30, 30);
  for (const tile of ["x", "y", "both"] as const) {
    for (const [height, width] of [[1, 1], [2, 3], [7, 40], [33, 17]]) {
      sourcesOf(random, quilted(random, { height, width }, 3, 0, tile)); // every pixel is one of the exemplar
    }
  }
});

Deno.test("quilt: of an exemplar with much room, fewer pixels are taken twice", () => {
  const side = 80, area = side * side, noise = stream(1, 3);
  // Stripes with noise, except for a corner that fits best everywhere; the other channels tell places by little.
  const values = Float32Array.from({ length: 3 * area }, (_, i) => {
    const y = Math.floor(i % area / side), x = i % side;
    const level = 0.5 + 0.3 * Math.sin(x * Math.PI / 4) + (y < 24 && x < 28 ? 0 : 0.1 * noise.next());
    return i < area ? level : (i < 2 * area ? y : x) / 1e4;
  });
  const exemplars = { count: 1, channels: 3, height: side, width: side, values };
  let twice = 0;
  for (let image = 0; image < 6; image++) {
    const out = quilted(exemplars, { height: 60, width: 60 }, 1, image), times = new Map<string, number>();
    for (let p = 0; p < 3600; p++) {
      const place = [1, 2].map((channel) => Math.round(out[channel * 3600 + p] * 1e4)).join();
      times.set(place, (times.get(place) ?? 0) + 1);
    }
    twice += [...times.values()].reduce((sum, count) => sum + (count > 1 ? count : 0), 0) / 21600;
  }
  // 0.63 where what was taken before does not count.
  assert(twice < 0.5, `${twice} of the pixels lie twice in the seed image`);
});

Deno.test("quilt: blocks meet where they differ least", () => {
  const side = 48, area = side * side, noise = stream(1, 5);
  // Spots without a period; the other channels tell places by little.
  const spots = Array.from({ length: 40 }, () => [noise.next() * side, noise.next() * side]);
  const values = Float32Array.from({ length: 3 * area }, (_, i) => {
    const y = Math.floor(i % area / side), x = i % side;
    if (i >= area) return (i < 2 * area ? y : x) / 1e4;
    return spots.some(([cy, cx]) => (y - cy) ** 2 + (x - cx) ** 2 < 7) ? 1 : 0;
  });
  const exemplars = { count: 1, channels: 3, height: side, width: side, values };
  let sum = 0, pairs = 0;
  for (let image = 0; image < 4; image++) {
    const out = quilted(exemplars, { height: 60, width: 60 }, 1, image);
    const place = (p: number) => Math.round(out[3600 + p] * 1e4) * side + Math.round(out[7200 + p] * 1e4);
    for (let p = 0; p < 3600; p++) {
      if (p % 60 === 59 || place(p + 1) === place(p) + 1) continue;
      // What follows in the exemplar, and what follows in the seed image.
      sum += Math.abs(values[Math.min(place(p) + 1, area - 1)] - out[p + 1]);
      pairs++;
    }
  }
  // 0.080 with straight boundaries, 0.012 if they are not mended.
  assert(pairs > 500 && sum / pairs < 0.01, `${sum / pairs} at ${pairs} places`);
});
