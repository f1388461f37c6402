// Quality against size: packs of several sizes, images made from each, scored against the whole training set.
//   deno run -A bench/packs.ts [PROFILE] [--sizes 1,2,4,8,all] [--count N] [--choose coverage,random,farthest] [--set NAME=VALUE]...
import { parseArgs } from "@std/cli/parse-args";
import { loadKernels } from "../core/kernels.ts";
import { range } from "../core/numbers.ts";
import { plan } from "../core/plan.ts";
import { withSetting } from "../core/profile_changes.ts";
import { stream } from "../core/random.ts";
import { finish } from "../core/steps.ts";
import { coverage } from "../datasets/coverage.ts";
import { openSynthesizer } from "../pipelines/synthesis/synthesizer.ts";
import { makePack } from "../pipelines/synthesis/make_pack.ts";
import { profiles } from "../datasets/profiles/mod.ts";
import { writePack } from "../datasets/formats/pack.ts";
import { findData } from "../hosts/deno/data/find_data.ts";
import { runMetrics } from "../pipelines/assessment/run_metrics.ts";
import { denoRunner } from "../hosts/deno/workers/deno_runner.ts";
import { builtins } from "../plugins/mod.ts";

const words = parseArgs(Deno.args, { string: ["sizes", "count", "choose", "set"], collect: ["set"] });
const { sizes = "1,2,4,8,all", count = "500", choose = "coverage,random", set } = words as Partial<
  Record<string, string>
>;
const name = String(words._[0] ?? "digits-paper"), settings = (set ?? []) as readonly string[];
const MEGABYTE = 1e6, METRICS = ["likelihood", "originality"].map((name) => ({ name, options: {} }));

/** Ways to choose k of some images; what `coverage` is compared with. */
const CHOICES: Readonly<Record<string, typeof coverage>> = {
  coverage,
  random(_kernels, _images, among, k) {
    const random = stream(1), order = Array.from(among, (image) => [random.next(), image]);
    return order.sort(([a], [b]) => a - b).slice(0, k).map(([, image]) => image).sort((a, b) => a - b);
  },
  /** The farthest point each time (greedy k-center). */
  farthest(_kernels, images, among, k) {
    const length = images.pixels.length / images.count,
      of = (i: number) => images.pixels.subarray(i * length, (i + 1) * length);
    const nearest = new Float64Array(among.length).fill(Infinity), chosen = [0];
    while (chosen.length < Math.min(k, among.length)) {
      const last = of(among[chosen.at(-1)!]);
      let far = 0;
      for (let j = 0; j < among.length; j++) {
        const other = of(among[j]);
        let sum = 0;
        for (let p = 0; p < length; p++) sum += (last[p] - other[p]) ** 2;
        nearest[j] = Math.min(nearest[j], sum);
        if (nearest[j] > nearest[far]) far = j;
      }
      chosen.push(far);
    }
    return chosen.sort((a, b) => a - b).map((i) => among[i]);
  },
};

const profile = settings.reduce(withSetting, profiles[name]), planned = plan(profile, builtins);
const data = await findData(profile.dataset), { train, test } = data;
const classes = profile.classwise && train.labels ? [...new Set(train.labels)].sort((a, b) => a - b) : [undefined];
const module = await WebAssembly.compile(await Deno.readFile(new URL("../assembly/kernels.wasm", import.meta.url)));
console.error(`Data: ${data.origin}; ${count} images a row, ${settings.join(" ")}`);
console.log("| choice | MB | images | LL | originality | choosing, s | images/s |");
console.log("| --- | --- | --- | --- | --- | --- | --- |");
for (const size of sizes.split(",")) {
  for (const choice of size === "all" ? ["coverage"] : choose.split(",")) {
    const begin = performance.now(), most = size === "all" ? Infinity : Number(size) * MEGABYTE;
    const pack = makePack(loadKernels(module), planned, data, {
      maxSize: most,
      seedImagesPerClass: 200,
      choose: CHOICES[choice],
    });
    const bytes = writePack(pack).length, packed = performance.now();
    const { images } = finish(
      openSynthesizer(loadKernels(module), pack, builtins).synthesize({
        seed: 1,
        images: [...range(Number(count))],
      }),
    );
    const made = performance.now(), length = images[0].pixels.length;
    const pixels = new Uint8Array(images.length * length);
    images.forEach((image, i) => pixels.set(image.pixels, i * length));
    const labels = images[0].label === undefined ? undefined : Uint8Array.from(images, ({ label }) => label!);
    const generated = { images: { count: images.length, ...planned.sizes[0], pixels }, labels };
    const scores = await runMetrics(
      denoRunner({ threads: 2 }),
      { plan: planned, generated, training: train, heldOut: test, classes },
      METRICS,
    );
    const cells = [
      size === "all" ? "all" : choice,
      (bytes / MEGABYTE).toFixed(1),
      pack.train.images.count,
      scores[0].score.toFixed(2),
      scores[1].score.toFixed(3),
      ((packed - begin) / 1000).toFixed(1),
      (images.length / (made - packed) * 1000).toFixed(1),
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
}
