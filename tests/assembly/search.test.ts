/** Exact search against sorting all distances. */
import { assertAlmostEquals, assertEquals } from "@std/assert";
import fc from "fast-check";
import { stream } from "../../core/random.ts";
import {
  ask,
  check,
  floats,
  LENGTHS,
  put,
  putPlanes,
  type Question,
  question,
  range,
  testBoth,
  wasm,
} from "../kernels_under_test.ts";

testBoth("toQueries: 255 * scale * value, rounded, clamped to what an example can be", (kernels) => {
  const pixels = 9, images = floats(1, 3 * pixels, -0.5, 1.5), numbers = [8, 0, 0, 5], scales = [64, 1, 0, 33];
  images.set([1, 0], 0);
  const out = kernels.allocate(3 * 4 * 2);
  const at = put(kernels, Uint32Array.from(numbers)), scale = put(kernels, Int16Array.from(scales));
  kernels.toQueries(put(kernels, images), pixels, 3, at, scale, 4, out);
  kernels.i16(out, 12).forEach((query, i) => {
    const value = images[Math.floor(i / 4) * pixels + numbers[i % 4]];
    // Half a step, and the rounding of f32 at the largest query.
    assertAlmostEquals(query, 255 * scales[i % 4] * Math.min(Math.max(value, 0), 1), 0.5 + 2 ** -8);
  });
  assertEquals(kernels.i16(out, 4)[1], 255);
});

/** The result of `search` by sorting all distances. */
function bruteForce(asked: Question): { index: number; distance: number }[][] {
  const { known, k } = asked;
  return distancesOf(asked).map((distances, b) =>
    distances.map((distance, index) => ({ index, distance: distance + (known?.[b][index] ?? 0) })).sort((a, b) =>
      a.distance - b.distance || a.index - b.index
    ).slice(0, k)
  );
}

/** The distances of all examples, for each query. */
function distancesOf({ examples, scale, queries }: Question): number[][] {
  return queries.map((query) =>
    examples.flatMap((planes) =>
      Array.from(
        planes[0],
        (_, j) => scale.reduce((sum, factor, p) => sum + (factor * planes[p][j] - query[p]) ** 2, 0),
      )
    )
  );
}

testBoth("search: the k nearest of a brute-force sort, nearest first", (kernels, scratch) => {
  for (const count of [...LENGTHS, 700]) {
    for (const [batch, planes] of [[1, 2], [4, 4], [5, 6], [9, 24]]) {
      for (const k of [1, 7, 100]) {
        const height = kernels.mark(), asked = question(count, { segments: 3, planes, count, batch, k });
        assertEquals(ask(kernels, scratch, asked), bruteForce(asked));
        kernels.release(height);
      }
    }
  }
});

testBoth(
  "search: long lists are sorted, with many equal distances or with one that is far from all others",
  (kernels, scratch) => {
    for (const levels of [2, 3, 256]) {
      const shape = { segments: 2, planes: 4, count: 900, batch: 2, k: 1300, levels }, height = kernels.mark();
      const asked = question(levels, shape), far = question(levels, { ...shape, levels: 2, k: 1800 });
      far.examples[1].forEach((plane) => plane[77] = 255);
      for (const one of [asked, far]) assertEquals(ask(kernels, scratch, one), bruteForce(one));
      kernels.release(height);
    }
  },
);

testBoth("search: equal distances come in the order of their indices", (kernels, scratch) => {
  for (const k of [1, 10, 300]) {
    const asked = question(1, { segments: 2, planes: 4, count: 150, batch: 5, k, levels: 1 });
    const first = Array.from({ length: k }, (_, index) => ({ index, distance: 0 }));
    assertEquals(ask(kernels, scratch, asked), asked.queries.map(() => first));
    const few = question(2, { segments: 2, planes: 2, count: 150, batch: 5, k, levels: 2 });
    assertEquals(ask(kernels, scratch, few), bruteForce(few));
  }
});

testBoth("search: of examples as near the lower index counts, though its sums look farther", (kernels, scratch) => {
  // Far examples come first. Then those whose two first planes are off by 3 both upwards; then those off up and down, which
  // sums do not see.
  const planes = 16, count = 400, up = 320, down = 360;
  const value = (p: number, j: number) =>
    j < up ? 130 + 7 * j % 100 : 100 + (p === 0 || p === 1 && j < down ? 3 : p === 1 ? -3 : 0);
  const plane = (p: number) => Uint8Array.from({ length: count }, (_, j) => value(p, j));
  for (const k of [1, 30, 35]) {
    const scale = new Array<number>(planes).fill(4), queries = range(0, 4, 5).map(() => scale.map(() => 400));
    const hints = queries.map((_, b) => range(0, k - 1, k).map((i) => (b % 2 === 0 ? up : down) + i));
    const asked = {
      examples: [Array.from({ length: planes }, (_, p) => plane(p))],
      scale,
      queries,
      k,
      runs: true,
      hints,
    };
    assertEquals(bruteForce(asked)[0][k - 1], { index: up + k - 1, distance: 2 * 12 ** 2 });
    assertEquals(ask(kernels, scratch, asked), bruteForce(asked));
  }
});

testBoth("search: every next example nearer than all before, so that each must enter the list", (kernels, scratch) => {
  const falling = Array.from(
    { length: 6 },
    (_, segment) =>
      [0, 1].map((plane) =>
        Uint8Array.from({ length: 200 }, (_, j) => 255 - ((segment * 200 + j) * (plane + 1) >> 4) % 256)
      ),
  );
  for (const k of [1, 2, 50, 1200]) {
    const asked = { examples: falling, scale: [16, 1], queries: range(0, 4, 5).map((b) => [b, 0]), k };
    assertEquals(ask(kernels, scratch, asked), bruteForce(asked));
  }
});

testBoth("search: the largest scales and distances that are allowed do not overflow", (kernels, scratch) => {
  // sum(scale^2) * 255^2 = 33025 * 255^2 = 2147450625, the largest such sum below 2^31 - 1.
  const scale = [64, 64, 64, 64, 64, 64, 64, 64, 16, 1],
    top = scale.map((factor) => 255 * factor),
    none = scale.map(() => 0);
  const flat = (value: number) => scale.map(() => new Uint8Array(9).fill(value));
  for (const [value, query, distance] of [[255, none, 2147450625], [0, top, 2147450625], [255, top, 0]] as const) {
    const asked = { examples: [flat(value)], scale, queries: [query, query, query, query, query], k: 9 };
    assertEquals(bruteForce(asked)[0][0].distance, distance);
    assertEquals(ask(kernels, scratch, asked), bruteForce(asked));
  }
});

testBoth("search: the bytes behind a plane do not matter", (kernels, scratch) => {
  for (const count of LENGTHS) {
    const asked = question(count, { segments: 2, planes: 4, count, batch: 5, k: 20 });
    // Nearest to what lies behind: if it counted, it would win.
    const nearest = { ...asked, queries: asked.queries.map(() => asked.scale.map((factor) => 255 * factor)) };
    assertEquals(ask(kernels, scratch, { ...nearest, behind: 255 }), ask(kernels, scratch, { ...nearest, behind: 0 }));
    assertEquals(ask(kernels, scratch, nearest), bruteForce(nearest));
  }
});

/** Images of soft stripes, so that neighbouring planes are alike, as pixels are; queries are such images too. */
function stripes(seed: number, count: number, planes: number, batch: number, k: number): Question {
  const random = stream(seed), side = Math.ceil(Math.sqrt(planes));
  const image = () => {
    const [a, b, c, light] = [random.next(), random.next(), 6 * random.next(), 60 + 60 * random.next()];
    return (p: number) => light * (1 + Math.sin(a * (p % side) + b * Math.floor(p / side) + c)) + 8 * random.next();
  };
  const images = Array.from({ length: count }, image), wanted = Array.from({ length: batch }, image);
  const plane = (p: number) => Uint8Array.from(images, (at) => Math.min(255, Math.floor(at(p))));
  const scale = Array.from({ length: planes }, (_, p) => p < planes / 4 ? 36 : 11);
  return {
    examples: [Array.from({ length: planes }, (_, p) => plane(p))],
    scale,
    queries: wanted.map((at) => scale.map((factor, p) => Math.min(255 * factor, Math.floor(factor * at(p))))),
    k,
  };
}

testBoth("search: with runs, sums of planes give lower bounds", (kernels, scratch) => {
  for (const [planes, count] of [[2, 50], [26, 90], [64, 300], [66, 130], [70, 41], [72, 8], [130, 129]]) {
    for (const [batch, k] of [[1, 5], [5, 1], [6, 20]]) {
      const height = kernels.mark(), alike = { ...stripes(planes, count, planes, batch, k), runs: true };
      assertEquals(ask(kernels, scratch, alike), bruteForce(alike));
      kernels.release(height);
      // Of no structure, with scales of all sizes (0, too) in every group.
      const least = Math.min(count, 100),
        noise = { segments: 2, planes, count: least, batch, k, levels: 256, most: 11 };
      const asked = { ...question(planes, noise), runs: true };
      assertEquals(ask(kernels, scratch, asked), bruteForce(asked));
      kernels.release(height);
      const few = { ...question(planes + 1, { ...noise, segments: 1, levels: 2, most: 1 }), runs: true };
      assertEquals(ask(kernels, scratch, few), bruteForce(few));
      kernels.release(height);
    }
  }
});

/** Axes of the largest length that the kernel takes: `features` sums and differences of planes, each of two of its own. */
function axesOf(planes: number, features: number): number[][] {
  const half = 4095; // of 2^12.5, for each of two planes
  return Array.from({ length: features }, (_, f) => {
    const first = f - f % 2, sign = f % 2 === 0 ? 1 : -1;
    return Array.from({ length: planes }, (_, p) => p === first ? half : p === first + 1 ? sign * half : 0);
  });
}

testBoth("search: with axes, projections give lower bounds", (kernels, scratch) => {
  for (const [planes, features, count] of [[2, 2, 50], [26, 8, 90], [16, 16, 130], [26, 2, 41]]) {
    for (const [batch, k] of [[1, 5], [5, 1], [6, 20]]) {
      const axes = axesOf(planes, features);
      for (const levels of [256, 2]) {
        const height = kernels.mark(), shape = { segments: 3, planes, count, batch, k, levels };
        const asked = { ...question(planes + levels, shape), axes };
        assertEquals(ask(kernels, scratch, asked), bruteForce(asked));
        kernels.release(height);
      }
      const height = kernels.mark(), alike = { ...stripes(planes, count, planes, batch, k), axes };
      assertEquals(ask(kernels, scratch, alike), bruteForce(alike));
      kernels.release(height);
    }
  }
});

Deno.test("search: with axes, black examples and others that are as far come in the order of their indices", () => {
  // Long enough for a sample. Most examples are black; some that are not are as far from the queries, nearer, or farther.
  const planes = 16, count = 14_000, scale = Array.from({ length: planes }, () => 4), random = stream(1);
  const kinds = Array.from({ length: count }, () => Math.floor(random.next() * 12));
  const value = (p: number, j: number) => kinds[j] < 8 ? 0 : kinds[j] === 8 ? 2 * (p % 2) : kinds[j] + p;
  const segment = Array.from({ length: planes }, (_, p) => Uint8Array.from(kinds, (_, j) => value(p, j)));
  // Black and kind 8 are as far from grey level 1 in every second plane.
  const queries = [0, 1, 1, 2, 9].map((level) => scale.map((factor, p) => factor * level * (p % 2)));
  for (const k of [1, 40]) {
    const height = wasm.mark(), asked = { examples: [segment, segment], scale, queries, k, axes: axesOf(planes, 8) };
    assertEquals(ask(wasm, wasm.allocate(1 << 18), asked), bruteForce(asked));
    wasm.release(height);
  }
});

Deno.test("search: the bound that a sample gives may be wrong", () => {
  // Long enough for a sample, which is every sixteenth block from the eighth on. The nearest examples lie in one stretch, of
  // which the sample holds all, a part or nothing: its bound is then too low, or too high to help.
  for (
    const { planes, count, block } of [{ planes: 62, count: 5000, block: 128 }, {
      planes: 288,
      count: 7000,
      block: 208,
    }]
  ) {
    const stretches = [[8 * block, block], [8 * block + 90, block], [0, 60], [count - 50, 50], [0, 0], [0, count]];
    for (const [from, length] of stretches) {
      const random = stream(from + length), height = wasm.mark();
      const near = (j: number) => j >= from && j < from + length;
      const values = Uint8Array.from({ length: count }, (_, j) => near(j) ? 100 + j % 7 : 150 + 50 * random.next());
      const asked: Question = {
        examples: [
          Array.from({ length: planes }, (_, p) => p % 3 === 0 ? values : values.map((value) => value - p % 3)),
        ],
        scale: Array.from({ length: planes }, () => 4),
        queries: [100, 103, 199].map((level) => Array.from({ length: planes }, (_, p) => 4 * level - p % 5)),
        k: 40,
        runs: planes > 64,
      };
      assertEquals(ask(wasm, wasm.allocate(1 << 18), asked), bruteForce(asked), `nearest from ${from} on`);
      wasm.release(height);
    }
  }
});

/** 0 to length - 1 in a random order. */
function shuffled(random: ReturnType<typeof stream>, length: number): number[] {
  const keys = Array.from({ length }, () => random.next());
  return keys.map((_, i) => i).sort((a, b) => keys[a] - keys[b]);
}

Deno.test("search: for any input, the keys are those of a sort of all distances", () => {
  const shapes = fc.record({
    seed: fc.nat(1 << 20),
    segments: fc.integer({ min: 1, max: 3 }),
    planes: fc.constantFrom(2, 4, 26, 62, 64, 66, 80),
    count: fc.integer({ min: 0, max: 33 }),
    batch: fc.integer({ min: 1, max: 6 }),
    k: fc.integer({ min: 1, max: 120 }),
    levels: fc.constantFrom(1, 2, 3, 256),
    most: fc.constantFrom(1, 11, 20),
    runs: fc.boolean(),
    hinted: fc.boolean(),
    knowing: fc.constantFrom(0, 10, 10_000_000),
  });
  check(shapes, 300, ({ seed, runs, hinted, knowing, ...shape }) => {
    const height = wasm.mark(), random = stream(seed), all = shape.segments * shape.count;
    // Any examples; a fifth of the hints is from another search, which had more examples.
    const some = () =>
      shuffled(random, all).map((index) => random.next() < 0.2 ? all + index : index).slice(0, shape.k);
    const hints = hinted ? Array.from({ length: shape.batch }, some) : undefined;
    const parts = () => Array.from({ length: all }, () => Math.floor(random.next() * knowing));
    const known = knowing > 0 ? Array.from({ length: shape.batch }, parts) : undefined;
    const asked = { ...question(seed, shape), runs, hints, known };
    try {
      assertEquals(ask(wasm, wasm.allocate(1 << 17), asked), bruteForce(asked));
    } finally {
      wasm.release(height);
    }
  });
});

testBoth("addDistances: all distances, added to what was there; leaveOut: all but a stretch", (kernels, scratch) => {
  for (const [count, batch, segments] of [[1, 1, 1], [7, 4, 2], [16, 5, 1], [41, 9, 3], [300, 3, 2]]) {
    const height = kernels.mark(),
      all = segments * count,
      parts = [2, 8, 6].map((planes, part) => {
        return question(part + count, { segments, planes, count, batch, k: 1 });
      });
    const sums: number[] = [], plain: number[][][] = [];
    for (const { examples, scale, queries } of parts) {
      const table = putPlanes(kernels, examples), scales = put(kernels, Int16Array.from(scale));
      const wanted = put(kernels, Int16Array.from(queries.flat())), out = kernels.allocate(batch * all * 4);
      const before = sums.at(-1) ?? 0;
      const comparison = { table, scale: scales, queries: wanted, planes: scale.length, count, segments, batch };
      kernels.addDistances({ ...comparison, known: before, scratch }, out);
      sums.push(out);
      plain.push(distancesOf({ examples, scale, queries, k: 1 }));
    }
    const total = (chosen: readonly number[]) =>
      Array.from({ length: batch * all }, (_, i) => {
        return chosen.reduce((sum, part) => sum + plain[part][Math.floor(i / all)][i % all], 0);
      });
    assertEquals([...kernels.i32(sums[2], batch * all)], total([0, 1, 2]));
    const rest = kernels.allocate(batch * all * 4);
    kernels.leaveOut(sums[2], sums[0], sums[1], batch * all, rest);
    assertEquals([...kernels.i32(rest, batch * all)], total([0, 2]));
    kernels.leaveOut(sums[2], 0, sums[1], batch * all, rest);
    assertEquals([...kernels.i32(rest, batch * all)], total([2]));
    kernels.release(height);
  }
});
