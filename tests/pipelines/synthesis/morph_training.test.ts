/** Morphs of a data set: on any number of threads, kept and taken from the folder, the same images. */
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { closestCorrelations } from "../../../core/correlation.ts";
import { structureRows } from "../../../core/structure.ts";
import type { DataSet } from "../../../datasets/data_set.ts";
import { originsOfClass } from "../../../datasets/training_names.ts";
import { withMorphedTraining, withoutFirst } from "../../../datasets/morphs/with_morphs.ts";
import { denoRunner } from "../../../hosts/deno/workers/deno_runner.ts";
import type { Runner } from "../../../pipelines/run/runner.ts";
import { rowsOf } from "../../../core/nearest.ts";
import { morphHere, morphsOf, morphTraining } from "../../../pipelines/synthesis/morph_training.ts";
import { withFolder } from "../../hosts/deno/cli.ts";
import { wasm } from "../../kernels_under_test.ts";
import { blobs } from "../../small_world.ts";

function dataOf(count: number, classes = 2): DataSet {
  const train = { images: blobs(count, 16), labels: Uint8Array.from({ length: count }, (_, i) => i % classes) };
  return { name: "blobs", origin: "some blobs", train, test: train, files: [] };
}

const PAIRS = { morph: 5, morphOf: "pairs" } as const, FOURS = { morph: 5, morphOf: "fours" } as const;

Deno.test("morphs: the same on threads, in one, and of the folder where they are kept", async () => {
  await withFolder(async (folder) => {
    const data = dataOf(24);
    for (const plan of [PAIRS, FOURS]) {
      const expected = morphHere(wasm, data, plan);
      for (const threads of [1, 2, 2]) {
        using runner = denoRunner({ threads, quiet: true, folder });
        assertEquals(await morphTraining(runner, data, plan), expected);
      }
    }
    // Of the folder: a byte that was changed there is not read.
    const [version] = [...Deno.readDirSync(join(folder, "fitted"))].map(({ name }) => join(folder, "fitted", name));
    const files = [...Deno.readDirSync(version)].map(({ name }) => join(version, name));
    assertEquals(files.length, 3, "pairs, the pairs that fours are made of, and fours");
    for (const file of files) {
      const bytes = await Deno.readFile(file);
      bytes[bytes.length - 1] ^= 1;
      await Deno.writeFile(file, bytes);
    }
    using runner = denoRunner({ threads: 1, quiet: true, folder });
    assertEquals(await morphTraining(runner, data, FOURS), morphHere(wasm, data, FOURS));
  });
});

Deno.test("morphs: pairs come after the images, fours in their place, and the origin says how many", () => {
  const data = dataOf(24), pairs = morphHere(wasm, data, PAIRS), fours = morphHere(wasm, data, FOURS);
  const count = pairs.train.images.count - 24;
  assert(count > 20 && count <= 120, `${count}`);
  assertEquals(pairs.train.images.pixels.subarray(0, 24 * 256), data.train.images.pixels);
  assert(pairs.origin.startsWith(`some blobs, and ${count} morphs of two of them`), pairs.origin);
  assert(fours.origin.startsWith(`some blobs, as ${fours.train.images.count} morphs of four of them`), fours.origin);
  for (const { parents } of [pairs.morphs!, fours.morphs!]) {
    for (const images of parents.values()) assert(images.every((image) => image % 2 === images[0] % 2), "one class");
  }
  for (const number of fours.kept!.numbers) {
    assertEquals(new Set(fours.morphs!.parents.get(number)).size, 4, "four images, none of them twice");
  }
  assertEquals(morphHere(wasm, data, { ...PAIRS, morph: 0 }), data);
});

Deno.test("morphs: of four, those of each class that share most structure with one image are left out", () => {
  const data = dataOf(24), count = 24, mark = wasm.mark();
  const first = withoutFirst(morphHere(wasm, data, PAIRS), count), parents = originsOfClass(first);
  const partners = 4, seconds = morphsOf(wasm, { set: first.train, partners, parents });
  const { train, kept } = withoutFirst(withMorphedTraining(first, partners, seconds), first.train.images.count);
  const [ofMorphs, ofReal] = [train.images, data.train.images].map((images) => {
    return structureRows(wasm, rowsOf(wasm, images));
  });
  const { correlation } = closestCorrelations(wasm, ofMorphs, ofReal);
  const left = [0, 1].flatMap((label) => {
    const places = [...correlation.keys()].filter((place) => train.labels![place] === label);
    const least = places.toSorted((a, b) => correlation[a] - correlation[b]);
    assert(places.length > 10);
    return least.slice(0, Math.ceil(0.6 * places.length));
  });
  const expected = left.map((place) => kept!.numbers[place]).sort((a, b) => a - b);
  assertEquals([...morphHere(wasm, data, FOURS).kept!.numbers], expected);
  wasm.release(mark);
});

Deno.test("morphs: images without partners give none, and cannot be replaced by morphs", async () => {
  const data = dataOf(3, 3), pairs = morphHere(wasm, data, PAIRS);
  assertEquals([pairs.train, pairs.origin], [data.train, "some blobs, and 0 morphs of two of them"]);
  assertThrows(() => morphHere(wasm, data, FOURS), Error, "expected images of which pairs can be morphed, got none");
  using runner = denoRunner({ threads: 1, quiet: true, folder: undefined });
  await assertRejects(() => morphTraining(runner, data, FOURS), Error, "Cannot learn from morphs of four images");
});

Deno.test("morphs: a runner that was stopped makes none", async () => {
  using runner = denoRunner({ threads: 1, quiet: true, folder: undefined, signal: AbortSignal.abort() });
  await assertRejects(() => morphTraining(runner, dataOf(24), PAIRS), Error, "Stopped before all pairs");
});

Deno.test("morphs: a run that was stopped goes on where it was", async () => {
  await withFolder(async (folder) => {
    const data = dataOf(40), stop = new AbortController(), expected = morphHere(wasm, data, PAIRS);
    /** Counts the pairs that are morphed, and stops after some. */
    const morphed = async (most: number, signal?: AbortSignal) => {
      using runner = denoRunner({ threads: 1, quiet: true, folder, signal });
      let tasks = 0;
      const run: Runner["run"] = async function* (program, work) {
        for await (const event of runner.run(program, work)) {
          yield event;
          if (event.type === "result" && ++tasks === most) stop.abort();
        }
      };
      const made = await morphTraining({ ...runner, run }, data, PAIRS).catch(({ message }: Error) => message);
      return { tasks, made };
    };
    const all = Math.ceil((expected.train.images.count - 40) / 24);
    assertEquals(await morphed(2, stop.signal), {
      tasks: 2,
      made: "Stopped before all pairs of training images were morphed",
    });
    assertEquals(await morphed(Infinity), { tasks: all - 2, made: expected });
    assertEquals(await morphed(Infinity), { tasks: 0, made: expected });
  });
});
