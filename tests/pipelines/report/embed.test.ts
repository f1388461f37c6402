import { assert, assertEquals, assertLess, assertRejects } from "@std/assert";
import { stream } from "../../../core/random.ts";
import { embed, type Embedding, embeddingWork } from "../../../pipelines/report/embed.ts";

const WIDTH = 20;

/** Vectors around one of three centres in turn, as far apart from each other as `apart` deviations. */
function blobs(count: number, apart = 8): Float32Array[] {
  const random = stream(7, 1);
  // A sum of uniforms is near enough to a Gaussian.
  const noise = () =>
    Array.from({ length: 6 }, () => random.next()).reduce((a, b) => a + b) * Math.SQRT2 - 3 * Math.SQRT2;
  return Array.from(
    { length: count },
    (_, i) => Float32Array.from({ length: WIDTH }, (_, k) => noise() + (k === i % 3 ? apart : 0)),
  );
}

/** The share of points whose nearest point on the map is of the same of three sets. */
function agreement({ x, y }: Embedding): number {
  const nearest = Array.from(x, (_, i) => {
    const far = Array.from(x, (_, j) => i === j ? Infinity : (x[i] - x[j]) ** 2 + (y[i] - y[j]) ** 2);
    return far.indexOf(Math.min(...far));
  });
  return nearest.filter((j, i) => i % 3 === j % 3).length / x.length;
}

Deno.test("embed: the same vectors give the same map", async () => {
  const vectors = blobs(120), options = { iterations: 60 };
  const first = await embed(vectors, options);
  assertEquals(await embed(vectors, options), first);
  assertEquals(first.notes, []);
});

Deno.test("embed: what is far apart stays apart", async () => {
  const map = await embed(blobs(300));
  assert(agreement(map) > 0.95, String(agreement(map)));
  // Without clusters there are none on the map: the measure is one.
  assertLess(agreement(await embed(blobs(300, 0))), 0.5);
});

Deno.test("embed: the scale of the numbers does not matter", async () => {
  const vectors = blobs(150), large = vectors.map((vector) => vector.map((value) => value * 256));
  const [one, other] = [await embed(vectors, { iterations: 50 }), await embed(large, { iterations: 50 })];
  one.x.forEach((at, i) => assertLess(Math.abs(at - other.x[i]), 1e-6));
});

Deno.test("embed: fewer images than the perplexity needs lower it, down to none at all", async () => {
  for (const count of [0, 1, 2, 3, 4, 5, 10, 40]) {
    const { x, y, notes } = await embed(blobs(count), { iterations: 200 });
    assertEquals([x.length, y.length], [count, count]);
    assert([...x, ...y].every((at) => Number.isFinite(at) && Math.abs(at) < 1000), `${count}`);
    assertEquals(notes.length, count > 1 ? 1 : 0);
    const perplexity = Number(/^The perplexity is (\S+) instead/.exec(notes[0] ?? "The perplexity is 1 instead")?.[1]);
    assert(perplexity >= 1 && perplexity <= Math.max(1, count / 3));
  }
});

Deno.test("embed: identical and equally distant images have places too", async () => {
  const [vector, other] = blobs(2), notes: string[] = [];
  const sets = [
    Array(50).fill(vector),
    [...Array(60).fill(vector), other],
    Array.from({ length: 50 }, (_, i) => Float32Array.from({ length: 50 }, (_, k) => i === k ? 1 : 0)),
    Array(50).fill(new Float32Array(0)),
  ];
  for (const vectors of sets) {
    const map = await embed(vectors, { iterations: 100 });
    assert([...map.x, ...map.y].every(Number.isFinite));
    notes.push(...map.notes.filter((note) => !note.startsWith("The perplexity is")));
  }
  assertEquals(notes.map((note) => note.replace("Identical to an earlier image: ", "")), [
    "49 of 50.",
    "59 of 61.",
    "49 of 50.",
  ]);
});

Deno.test("embed: what makes no map is a sentence", async () => {
  const vectors = blobs(5);
  const bad = [...vectors.slice(0, 3), vectors[3].with(2, NaN), vectors[4]];
  await assertRejects(() => embed(bad), Error, "image 3 holds NaN");
  await assertRejects(
    () => embed([...vectors, new Float32Array(3)]),
    Error,
    "image 5 has 3 numbers, the first one has 20",
  );
});

Deno.test("embed: says how much is done, and lets others work", async () => {
  const done: number[] = [], { comparing, steps } = embeddingWork(60, blobs(1)[0].length);
  let ticks = 0;
  const timer = setInterval(() => ticks++, 0);
  await embed(blobs(60), { iterations: 40, progress: (share) => done.push(share) });
  clearInterval(timer);
  // To compare the vectors is done before the first step.
  const shares = Array.from({ length: 40 }, (_, i) => (comparing + (i + 1) / 40 * steps) / (comparing + steps));
  done.forEach((share, i) => assert(Math.abs(share - shares[i]) < 1e-12, `${share} ${shares[i]}`));
  assertEquals(done.length, 40);
  assert(ticks > 0);
});
