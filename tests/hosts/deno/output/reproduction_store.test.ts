import { assert, assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import type { GroupImage } from "../../../../pipelines/synthesis/synthesis_tasks.ts";
import type { MetricScore } from "../../../../pipelines/assessment/metric_score.ts";
import { openStore } from "../../../../hosts/deno/output/reproduction_store.ts";
import { withFolder } from "../with_folder.ts";

const WORK = { profile: { name: "digits", rho: [0.1, 1] }, seed: 1 };

function image(number: number): GroupImage {
  return {
    number,
    group: number % 3,
    pixels: Uint8Array.from({ length: 16 }, (_, i) => (17 * i + 31 * number) % 256),
    nearest: { image: number + 5, distance: 1 / 3 + number, trainingDistance: number === 2 ? Infinity : Math.PI },
    contributors: [{ image: 4, share: 0.1 + 0.2 }, { image: 2, share: 1e-300 }],
    correction: number === 1 ? NaN : 5e-324,
  };
}

const MEASURED: MetricScore[] = [{
  metric: "originality",
  about: 'how "far"',
  score: NaN,
  pooled: -Infinity,
  interval: [-Infinity, Infinity],
  range: [-0, NaN],
  groups: [{ label: 3, score: 0.1 + 0.2, count: 2 }, { label: 4, score: NaN, count: 0 }],
  count: 2,
  results: [{
    label: 3,
    result: {
      values: Float64Array.of(1 / 3, NaN, Infinity, -Infinity, -0, 5e-324),
      of: "generated",
      series: { nearest: Float64Array.of(), dG: new Float64Array([9, 8, 7, 6]).subarray(1, 3) },
      settings: { perplexity: 10, window: "+-1" },
      warnings: ["a line\nand \u2028 another"],
    },
  }],
  images: [Uint32Array.of(0, 7, 4294967295)],
  settings: { number: 3, array: "Float64Array" },
  warnings: [],
}];

const lost = () => Promise.reject(new Error("measured again"));

Deno.test("openStore: images and scores come back exactly, numbers that JSON lacks too", async () => {
  await withFolder(async (folder) => {
    const place = join(folder, "deep/work"), first = await openStore(place, WORK, false);
    assertEquals(first.finished.size, 0);
    await first.add([image(3), image(0)]);
    await first.add([image(1)]);
    await first.add([image(2), image(4)]);
    assertEquals(await first.measured("generated", () => Promise.resolve(MEASURED)), MEASURED);
    for (let time = 0; time < 2; time++) {
      const again = await openStore(place, WORK, true);
      assertEquals([...again.finished.keys()], [3, 0, 1, 2, 4]);
      for (const [number, found] of again.finished) assertEquals(found, image(number));
      const found = await again.measured("generated", lost);
      assertEquals(found, MEASURED);
      assert(Object.is(found[0].results[0].result.values[4], -0));
      await assertRejects(() => again.measured("test", lost), Error, "measured again");
    }
    assertEquals((await Array.fromAsync(Deno.readDir(place), ({ name }) => name)).sort(), [
      "generated.json",
      "images.jsonl",
    ]);
  });
});

Deno.test("openStore: wherever an interruption cuts the last line, the lines before it are kept and work goes on", async () => {
  await withFolder(async (folder) => {
    const path = join(folder, "images.jsonl"), first = await openStore(folder, WORK, false);
    await first.add([image(0), image(1)]);
    const kept = (await Deno.readFile(path)).length;
    await first.add([image(2), image(3)]);
    const whole = await Deno.readFile(path);
    for (let length = kept; length < whole.length; length++) {
      await Deno.writeFile(path, whole.subarray(0, length));
      const { finished } = await openStore(folder, WORK, true);
      assertEquals([...finished.keys()], [0, 1], `cut at ${length} of ${whole.length}`);
    }
    // What is added after such a cut is not glued to its rest.
    await Deno.writeFile(path, whole.subarray(0, whole.length - 9));
    const again = await openStore(folder, WORK, true);
    await again.add([image(5)]);
    const { finished } = await openStore(folder, WORK, true);
    assertEquals([...finished.values()], [image(0), image(1), image(5)]);
  });
});

Deno.test("openStore: other work is refused and stays; without resume it is replaced", async () => {
  await withFolder(async (folder) => {
    const path = join(folder, "images.jsonl"), first = await openStore(folder, WORK, false);
    await first.add([image(0)]);
    await first.measured("test", () => Promise.resolve(MEASURED));
    const before = await Deno.readTextFile(path);
    for (const other of [{ ...WORK, seed: 2 }, { ...WORK, profile: { name: "digits", rho: [0.1, 2] } }, {}]) {
      const error = await assertRejects(() => openStore(folder, other, true), Error);
      assertEquals(
        error.message,
        `Cannot resume in ${folder}: it holds work with other data, settings or versions; leave out --resume`,
      );
      assertEquals(await Deno.readTextFile(path), before);
    }
    const anew = await openStore(folder, { ...WORK, seed: 2 }, false);
    assertEquals(anew.finished.size, 0);
    assertNotEquals(await Deno.readTextFile(path), before);
    // Scores of the other work lie there still, and are not taken for this one's.
    await assertRejects(() => anew.measured("test", lost), Error, "measured again");
    const resumed = await openStore(folder, { ...WORK, seed: 2 }, true);
    await assertRejects(() => resumed.measured("test", lost), Error, "measured again");
  });
});

Deno.test("openStore: a folder without work starts anew; a folder that cannot be written is an error of one sentence", async () => {
  await withFolder(async (folder) => {
    const { finished } = await openStore(join(folder, "new"), WORK, true);
    assertEquals(finished.size, 0);
    await Deno.writeTextFile(join(folder, "file"), "");
    for (const place of [join(folder, "file"), join(folder, "file/below")]) {
      await assertRejects(() => openStore(place, WORK, false), Error, `Cannot write to ${place}: `);
    }
    await Deno.mkdir(join(folder, "taken/images.jsonl"), { recursive: true });
    await assertRejects(() => openStore(join(folder, "taken"), WORK, true), Error, "Cannot read ");
  });
});
