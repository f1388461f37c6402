import { assert, assertEquals } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import { digits } from "../../../datasets/profiles/digits.ts";
import { denoRunner } from "../../../hosts/deno/workers/deno_runner.ts";
import { runMetricJob } from "../../../pipelines/assessment/metric_job.ts";
import { MAX_TRIES } from "../../../pipelines/run/redraw_forecast.ts";
import {
  openSynthesis,
  type SynthesisInput,
  synthesizeNumbers,
} from "../../../pipelines/synthesis/synthesize_images.ts";
import { builtins } from "../../../plugins/mod.ts";
import { blobs } from "../../hosts/deno/cli.ts";

const planned = plan(digits, builtins), COUNT = 6;
const images = (count: number, first: number) => ({ count, height: 32, width: 32, pixels: blobs(count, 32, first) });

const INPUT: SynthesisInput = {
  plan: planned,
  size: planned.sizes[0],
  data: {
    name: "blobs",
    origin: "blobs",
    train: { images: images(12, 0), labels: Uint8Array.from({ length: 12 }, (_, i) => i % 2) },
    test: { images: images(4, 100), labels: Uint8Array.of(0, 1, 0, 1) },
    files: [],
  },
  classes: [0, 1],
  count: COUNT,
  seed: 3,
  seedSource: "test",
};

/** Makes the images in ranges of `together`. */
async function made(minLl: number, together: number, threads = 1) {
  const runner = denoRunner({ threads, quiet: true, folder: undefined });
  const open = (await openSynthesis(runner, { ...INPUT, minLl }, together))!, all = [];
  const numbers = Array.from({ length: COUNT }, (_, i) => i);
  for (let first = 0; first < COUNT; first += together) {
    all.push(...(await synthesizeNumbers(runner, open, numbers.slice(first, first + together), () => {}))!);
  }
  return { all, kernels: open.kernels };
}

Deno.test("minLl: measures what assess measures, in any batch, and draws again what is less likely", async () => {
  const { all, kernels } = await made(-Infinity, COUNT), lls = all.map(({ ll }) => ll!);
  for (const label of [0, 1]) {
    const of = (set: { pixels: Uint8Array }, count: number) => {
      const chosen = Array.from({ length: count }, (_, i) => i).filter((i) => i % 2 === label);
      const pixels = Uint8Array.from(chosen.flatMap((i) => [...set.pixels.subarray(i * 1024, (i + 1) * 1024)]));
      return { count: chosen.length, height: 32, width: 32, pixels };
    };
    const generated = of({ pixels: Uint8Array.from(all.flatMap(({ pixels }) => [...pixels])) }, COUNT);
    const training = of(INPUT.data.train.images, 12);
    const job = { metric: "likelihood", options: {}, generated, training, ...planned.compared };
    assertEquals([...runMetricJob(kernels, job).values], lls.filter((_, i) => i % 2 === label));
  }
  assertEquals(all.map(({ tries }) => tries), all.map(() => 1));

  const middle = lls.toSorted((a, b) => a - b)[COUNT / 2];
  const { all: again } = await made(middle, COUNT);
  assertEquals((await made(middle, 4, 2)).all, again, "on any machine");
  for (const [i, { ll, tries, pixels }] of again.entries()) {
    assert(ll! >= lls[i], `${ll} ${lls[i]}`);
    assert(ll! >= middle || tries === MAX_TRIES);
    assertEquals(tries === 1, lls[i] >= middle);
    if (tries === 1) assertEquals(pixels, all[i].pixels);
  }
  assert(again.filter(({ ll }) => ll! >= middle).length > COUNT / 2);
});
