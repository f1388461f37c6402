/** The local score machine: kernel and twin byte for byte, and both against plain loops in float64. */
import { assert, assertEquals } from "@std/assert";
import { type Address, type Kernels, type LocalScore, localScoreScratch } from "../../core/kernels.ts";
import { stream } from "../../core/random.ts";
import { assertClose, assertSame, bytes, put, testBoth, wasm } from "../kernels_under_test.ts";

/** What a test asks: a shape, a window, a noise level; the rest as in `LocalScore`. */
interface Question {
  readonly count: number;
  readonly channels?: number;
  readonly answered?: number;
  readonly height: number;
  readonly width: number;
  readonly window: number;
  readonly signal: number;
  readonly variance: number;
  readonly batch?: number;
  readonly shift?: number;
  readonly response?: 0 | 1;
  readonly draw?: boolean;
  readonly numbers?: readonly number[];
  /** Rows and columns at each edge that are equal in all examples. */
  readonly border?: number;
  readonly seed?: number;
}

const NOISY = { signal: 0.4, variance: 0.84 }, CLEAR = { signal: 0.99, variance: 0.0199 };
const BURIED = { signal: 0.0125, variance: 0.99984 };

/** The training images, smooth as pictures are, and noisy versions of some of them. */
function inputs({ count, channels = 1, height, width, signal, variance, batch = 2, border = 0, seed = 1 }: Question) {
  const size = channels * height * width, noise = bytes(seed, count * size);
  const rows = noise.map((_, i) => {
    const x = i % width, y = Math.floor(i / width) % height, inside = Math.min(x, y, width - 1 - x, height - 1 - y);
    const near = [0, 1, 2, 3, 4].map((step) => noise[Math.max(i - step, 0)]);
    return inside < border ? 7 * inside : Math.min(near.reduce((a, b) => a + b) / 5 * 2 - 128, 255);
  });
  const random = stream(seed + 1),
    normal = () => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(7 * random.next());
  const images = Float32Array.from({ length: batch * size }, (_, i) => {
    const example = (3 * Math.floor(i / size) + 1) % count;
    return signal * (rows[example * size + i % size] / 127.5 - 1) + Math.sqrt(variance) * normal();
  });
  const uniform = Float64Array.from({ length: batch * height * width }, () => random.next());
  return { rows, images, uniform };
}

/** Puts a question into kernel memory. */
function ask(kernels: Kernels, scratch: Address, question: Question): LocalScore {
  const { count, channels = 1, answered = channels, height, width, window, batch = 2, shift, response, numbers } =
    question;
  const { rows, images, uniform } = inputs(question), pixels = batch * height * width;
  const listed = numbers?.length ?? count, shape = { channels, height, width, window };
  assert(localScoreScratch(shape) <= 1 << 19, "The scratch is too small for this question");
  return {
    ...{ ...shape, answered, batch, shift, response, scratch, count: listed, rows: put(kernels, rows) },
    images: put(kernels, images),
    numbers: numbers && put(kernels, Uint32Array.from(numbers)),
    uniform: question.draw ? put(kernels, uniform) : undefined,
    drawn: question.draw ? kernels.allocate(pixels * 4) : undefined,
    used: kernels.allocate(batch * listed),
    out: kernels.allocate(batch * answered * height * width * 4),
  };
}

function denoise(kernels: Kernels, scratch: Address, question: Question) {
  const given = ask(kernels, scratch, question), { batch, answered = 1, height, width, count } = given;
  kernels.localScore(given, question.signal, question.variance);
  const pixels = batch * height * width;
  return {
    given,
    out: kernels.f32(given.out, pixels * answered).slice(),
    used: kernels.u8(given.used!, batch * count).slice(),
    drawn: given.drawn ? kernels.i32(given.drawn, pixels).slice() : new Int32Array(),
  };
}

/** The definition in float64, plain loops: the normalized weights of all candidates in each window, and what they say. */
function oracle(question: Question, image: number) {
  const { count, channels = 1, answered = channels, height, width, window, signal, variance, shift = 0 } = question;
  const { rows, images } = inputs(question), inPlane = height * width, size = channels * inPlane, reach = window >> 1;
  const clamp = (at: number, length: number) => Math.min(Math.max(at, 0), length - 1);
  const numbers = question.numbers ?? Array.from({ length: count }, (_, n) => n), moves: number[][] = [];
  for (let dy = -shift; dy <= shift; dy++) for (let dx = -shift; dx <= shift; dx++) moves.push([dy, dx]);
  const candidates = numbers.flatMap((n) =>
    moves.map(([dy, dx]) => (channel: number, y: number, x: number) => {
      const row = clamp(y + dy, height), column = clamp(x + dx, width);
      return rows[n * size + (channel * height + row) * width + column] / 127.5 - 1;
    })
  );
  /** Calls back for the pixels of the window around (y, x). */
  const around = (y: number, x: number, visit: (v: number, u: number) => void) => {
    for (let v = Math.max(y - reach, 0); v <= Math.min(y + reach, height - 1); v++) {
      for (let u = Math.max(x - reach, 0); u <= Math.min(x + reach, width - 1); u++) visit(v, u);
    }
  };
  const weights = Array.from({ length: inPlane }, (_, p) => {
    const logs = candidates.map((candidate) => {
      let sum = 0;
      around(Math.floor(p / width), p % width, (v, u) => {
        for (let c = 0; c < channels; c++) {
          sum += (images[image * size + (c * height + v) * width + u] - signal * candidate(c, v, u)) ** 2;
        }
      });
      return -sum / (2 * variance);
    });
    const largest = Math.max(...logs), terms = logs.map((log) => Math.exp(log - largest));
    const total = terms.reduce((a, b) => a + b);
    return terms.map((term) => term / total);
  });
  const out = Float64Array.from({ length: answered * inPlane }, (_, i) => {
    const p = i % inPlane, c = Math.floor(i / inPlane), y = Math.floor(p / width), x = p % width;
    const mean = (q: number) => candidates.reduce((sum, candidate, n) => sum + weights[q][n] * candidate(c, y, x), 0);
    if (!question.response) return mean(p);
    let sum = 0, windows = 0;
    around(y, x, (v, u) => {
      sum += mean(v * width + u);
      windows++;
    });
    return sum / windows;
  });
  return { out, weights, candidates };
}

/** The share of the variance of `wanted` that `actual` explains. */
function r2(actual: ArrayLike<number>, wanted: Float64Array): number {
  const mean = wanted.reduce((a, b) => a + b) / wanted.length;
  const residual = wanted.reduce((sum, want, i) => sum + (actual[i] - want) ** 2, 0);
  return 1 - residual / wanted.reduce((sum, want) => sum + (want - mean) ** 2, 0);
}

/** Sizes where kernels break: around a vector of four and a block of eight; windows of one pixel up to more than the image. */
const QUESTIONS: Question[] = [
  { count: 1, height: 1, width: 1, window: 1, ...NOISY },
  { count: 9, height: 7, width: 8, window: 3, ...CLEAR },
  { count: 30, height: 12, width: 16, window: 5, ...NOISY },
  { count: 30, height: 16, width: 24, window: 7, ...NOISY, border: 3 },
  { count: 12, height: 9, width: 9, window: 31, ...NOISY, batch: 3 },
  { count: 25, height: 8, width: 17, window: 15, ...BURIED },
  { count: 20, channels: 3, height: 10, width: 15, window: 5, ...CLEAR },
  { count: 20, channels: 3, height: 8, width: 8, window: 3, ...NOISY, border: 1 },
  { count: 20, channels: 2, answered: 1, height: 9, width: 12, window: 5, ...NOISY, border: 1 },
  // Candidates are added in pairs: one of them is left, none, or there is only one; some rows and columns are alike; others are listed.
  { count: 21, channels: 2, answered: 1, height: 16, width: 16, window: 7, ...NOISY },
  { count: 40, channels: 2, answered: 1, height: 9, width: 24, window: 5, ...CLEAR, border: 1 },
  { count: 1, channels: 2, answered: 1, height: 8, width: 8, window: 3, ...CLEAR },
  { count: 30, channels: 2, answered: 1, height: 16, width: 16, window: 33, ...BURIED },
  { count: 30, channels: 2, answered: 1, height: 8, width: 8, window: 3, ...NOISY, numbers: [3, 1, 29, 4, 17, 22] },
  { count: 6, channels: 2, answered: 1, height: 48, width: 64, window: 9, ...NOISY }, // too large for pairs
  { count: 20, channels: 6, answered: 3, height: 8, width: 9, window: 3, ...CLEAR, shift: 1 },
  { count: 30, height: 8, width: 16, window: 5, ...NOISY, numbers: [3, 1, 29, 4, 17, 22] },
  { count: 7, height: 8, width: 8, window: 3, ...NOISY, shift: 1, border: 2 },
  { count: 4, channels: 3, height: 6, width: 9, window: 5, ...CLEAR, shift: 2 },
];
const RESPONSES: Partial<Question>[] = [{}, { response: 1 }, { draw: true }, { draw: true, response: 1 }];

Deno.test("localScore: the same bytes from kernel and twin, for every kind of answer", () => {
  for (const question of QUESTIONS) {
    for (const response of RESPONSES) {
      assertSame((kernels, scratch) => void denoise(kernels, scratch, { ...question, ...response }));
    }
  }
});

Deno.test("localScoreWeights: the same bytes from kernel and twin", () => {
  for (const question of QUESTIONS) {
    assertSame((kernels, scratch) => {
      const given = ask(kernels, scratch, question), moves = (2 * (question.shift ?? 0) + 1) ** 2;
      const out = kernels.allocate(given.count * moves * 4), { signal, variance, height, width } = question;
      kernels.localScoreWeights(given, signal, variance, given.batch - 1, height >> 1, width - 1, out);
    });
  }
});

testBoth("localScore: the posterior mean and the patch response by the definition in float64", (kernels, scratch) => {
  for (const question of QUESTIONS.slice(1)) {
    for (const response of [0, 1] as const) {
      const height = kernels.mark(), { given, out } = denoise(kernels, scratch, { ...question, response });
      const wanted = oracle({ ...question, response }, 1).out, answer = out.subarray(wanted.length);
      assert(r2(answer.subarray(0, wanted.length), wanted) > 0.9999, `${JSON.stringify(question)} ${response}`);
      assertEquals(given.batch, question.batch ?? 2);
      kernels.release(height);
    }
  }
});

testBoth(
  "localScoreWeights: the weights of every pixel by the definition in float64; they sum to 1",
  (kernels, scratch) => {
    for (const question of QUESTIONS.slice(1, 8)) {
      const given = ask(kernels, scratch, question), out = kernels.allocate(given.count * 4);
      const { weights } = oracle(question, 1), { signal, variance, width } = question;
      for (const p of [0, width - 1, weights.length >> 1, weights.length - 1]) {
        kernels.localScoreWeights(given, signal, variance, 1, Math.floor(p / width), p % width, out);
        assertClose(kernels.f32(out, given.count), weights[p], 0.02, `weight of ${JSON.stringify(question)} ${p}`);
        assertClose([kernels.f32(out, given.count).reduce((a, b) => a + b)], [1], 1e-6);
      }
    }
  },
);

Deno.test("localScore: draws have the frequencies of the weights, and their mean is the posterior mean", () => {
  const question = { count: 6, height: 8, width: 8, window: 3, ...NOISY, batch: 1 }, runs = 400;
  const mark = wasm.mark(), given = ask(wasm, wasm.allocate(1 << 19), { ...question, draw: true });
  const { weights } = oracle(question, 0), counts = weights.map((of) => of.map(() => 0)), random = stream(9);
  for (let run = 0; run < runs; run++) {
    const uniform = wasm.f64(given.uniform!, 64);
    for (let p = 0; p < 64; p++) uniform[p] = random.next();
    wasm.localScore(given, question.signal, question.variance);
    wasm.i32(given.drawn!, 64).forEach((n, p) => counts[p][n]++);
  }
  let statistic = 0, freedom = 0;
  weights.forEach((of, p) =>
    of.forEach((weight, n) => {
      if (weight * runs < 5) return;
      statistic += (counts[p][n] - weight * runs) ** 2 / (weight * runs);
      freedom++;
    })
  );
  assert(statistic < freedom + 4 * Math.sqrt(2 * freedom), `${statistic} with ${freedom} degrees of freedom`);
  wasm.release(mark);
});

Deno.test("localScore: examples without a weight can be left out, and no byte changes", () => {
  const grey: Question = { count: 60, height: 16, width: 16, window: 9, ...CLEAR, batch: 1, border: 2 };
  const mirrored: Question = { ...grey, channels: 2, answered: 1, border: 0 };
  for (const [question, response] of [[grey, {}], [grey, { response: 1 }], [mirrored, {}]] as const) {
    const mark = wasm.mark(), scratch = wasm.allocate(1 << 19);
    const all = denoise(wasm, scratch, { ...question, ...response });
    const numbers = [...all.used.keys()].filter((n) => all.used[n]);
    assert(numbers.length < question.count, "This question proves nothing: every example counts");
    const some = denoise(wasm, scratch, { ...question, ...response, numbers });
    assertEquals(some.out, all.out);
    assertEquals(some.used, new Uint8Array(numbers.length).fill(1));
    wasm.release(mark);
  }
});

Deno.test("localScore: an image's result does not depend on the batch", () => {
  const question: Question = { count: 40, height: 12, width: 20, window: 5, ...NOISY, batch: 5 };
  for (const response of RESPONSES) {
    const mark = wasm.mark(), scratch = wasm.allocate(1 << 19);
    const { given, out } = denoise(wasm, scratch, { ...question, ...response }), size = 240;
    for (let b = 0; b < 5; b++) {
      const uniform = given.uniform && given.uniform + b * size * 8;
      const one = { ...given, batch: 1, images: given.images + b * size * 4, uniform };
      wasm.localScore(one, question.signal, question.variance);
      assertEquals(wasm.f32(given.out, size), out.subarray(b * size, (b + 1) * size));
    }
    wasm.release(mark);
  }
});

Deno.test("localScore: pixels that all examples share come out exactly, and weigh no example", () => {
  const question: Question = { count: 8, height: 8, width: 8, window: 3, ...NOISY, border: 4 };
  const mark = wasm.mark(), { out, used } = denoise(wasm, wasm.allocate(1 << 19), question);
  const { rows } = inputs(question);
  assertEquals(
    out.subarray(0, 64),
    Float32Array.from(rows.subarray(0, 64), (byte) => Math.fround((byte - 127.5) / 127.5)),
  );
  assertEquals([...used], [1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
  wasm.release(mark);
});

Deno.test("localScore: NaN, infinite and huge pixels give finite answers, the same from kernel and twin", () => {
  for (const value of [NaN, Infinity, -Infinity, 1e30, -1e30, 0]) {
    assertSame((kernels, scratch) => {
      const question: Question = { count: 9, height: 8, width: 9, window: 5, ...BURIED };
      const given = ask(kernels, scratch, question);
      kernels.f32(given.images, 20).fill(value);
      kernels.localScore(given, question.signal, question.variance);
      assert(kernels.f32(given.out, 144).every((pixel) => Math.abs(pixel) <= 1));
    });
  }
});

/** The numbers of the nearest windows, and the images of bytes they were asked for. */
function nearest(kernels: Kernels, scratch: Address, question: Question) {
  const { channels = 1, height, width, batch = 2 } = question, size = channels * height * width;
  const images = bytes(77, batch * size),
    score = ask(kernels, scratch, question),
    out = kernels.allocate(batch * height * width * 4);
  images.set(inputs(question).rows.subarray(0, Math.min(2, question.count) * size));
  kernels.f32(score.images, images.length).set(Float32Array.from(images, (byte) => (byte - 127.5) / 127.5));
  kernels.nearestWindows(score, out);
  return { images, found: kernels.i32(out, batch * height * width) };
}

const NEAREST: readonly (readonly [title: string, question: Question])[] = [
  ["grey", { ...CLEAR, count: 9, height: 7, width: 9, window: 3, batch: 3 }],
  ["colour, one width of vectors", { ...CLEAR, count: 5, channels: 3, height: 5, width: 8, window: 5, batch: 3 }],
  ["whole images", { ...CLEAR, count: 4, height: 6, width: 4, window: 15, batch: 3 }],
  ["equal borders", { ...CLEAR, count: 6, height: 8, width: 8, window: 3, border: 3, batch: 3 }],
  ["one example", { ...CLEAR, count: 1, height: 3, width: 2, window: 1, batch: 2 }],
];
for (const [title, question] of NEAREST) {
  Deno.test(`nearestWindows: the same bytes from both, ${title}`, () => {
    assertSame((kernels, scratch) => nearest(kernels, scratch, question).found.slice());
  });

  testBoth(`nearestWindows: the first example of the least sum of squares, ${title}`, (kernels, scratch) => {
    const { count, channels = 1, height, width, window } = question, area = height * width, reach = window >> 1;
    const { images, found } = nearest(kernels, scratch, question), { rows } = inputs(question);
    found.forEach((number, i) => {
      const b = Math.floor(i / area), x = i % width, y = Math.floor(i % area / width);
      const sums = Array.from({ length: count }, (_, n) => {
        let sum = 0;
        for (let value = 0; value < channels * area; value++) {
          const u = value % width, v = Math.floor(value % area / width);
          if (Math.abs(u - x) > reach || Math.abs(v - y) > reach) continue;
          sum += (images[b * channels * area + value] - rows[n * channels * area + value]) ** 2;
        }
        return sum;
      });
      assertEquals(number, sums.indexOf(Math.min(...sums)), `image ${b}, row ${y}, column ${x}`);
    });
  });
}
