/**
 * Measures the denoisers as a whole, on one core: seconds of the processor that a fit takes, and an image from noise in 20 steps.
 * `deno run -A bench/denoisers.ts [FILTER [IMAGES]]` prints a Markdown table, of the rows that hold FILTER.
 *
 * Needs MNIST and the faces (PATCHLOOM_DATA).
 */
import process from "node:process";
import { diffuse, fitDiffusion } from "../core/diffuse.ts";
import { loadKernels } from "../core/kernels.ts";
import { optionValues } from "../core/options.ts";
import { numbersOfClass } from "../datasets/groups.ts";
import { CALIBRATED_WINDOWS } from "../datasets/profiles/windows.ts";
import { findData } from "../hosts/deno/data/find_data.ts";
import { paddedImages, reduced } from "../pipelines/assessment/padded_images.ts";
import { builtins } from "../plugins/mod.ts";

const SETTINGS = { schedule: "cosine", steps: 20, windows: CALIBRATED_WINDOWS["mnist-resnet"] } as const;
const SIDE = 32;
const DATA = [
  { name: "MNIST threes", dataset: "mnist", label: 3 },
  { name: "faces", dataset: "faces", label: undefined },
] as const;

/** Seconds that this process has computed: other programs on the machine do not count. */
function cpuSeconds(): number {
  return process.cpuUsage().user / 1e6;
}

const [filter = "", images = "2"] = Deno.args;
const module = await WebAssembly.compile(await Deno.readFile(new URL("../assembly/kernels.wasm", import.meta.url)));
const line = (cells: readonly string[]) => console.log(`| ${cells.join(" | ")} |`);
const HEAD = ["denoiser", "images", "N", "s a fit and first step", "s an image"];
line(HEAD);
line(HEAD.map(() => "---"));
for (const { name, dataset, label } of DATA) {
  for (const plugin of builtins.plugins.filter((one) => one.kind === "denoiser")) {
    if (!`${plugin.name} ${name}`.includes(filter)) continue;
    const { train } = await findData(dataset, undefined, undefined, { channels: 1 });
    const chosen = numbersOfClass(train.labels, label, train.images.count);
    const length = Math.max(SIDE, train.images.height);
    const { pixels } = reduced(paddedImages(train, chosen, { height: length, width: length }), SIDE);
    const kernels = loadKernels(module), at = kernels.allocate(pixels.length);
    kernels.u8(at, pixels.length).set(pixels);
    const training = { count: chosen.length, channels: 1, height: SIDE, width: SIDE, at };
    const numbers = Array.from({ length: Number(images) }, (_, i) => i), started = cpuSeconds();
    const given = { kernels, plugin, values: optionValues(plugin, {}), settings: SETTINGS, training };
    const model = fitDiffusion({ ...given, batch: numbers.length });
    // What a level needs is computed when it is first asked for.
    const first = [...diffuse(model, { seed: 1, images: [0] })].length;
    const fitted = cpuSeconds();
    for (const _ of diffuse(model, { seed: 1, images: numbers }));
    const each = (cpuSeconds() - fitted) / numbers.length;
    const fit = fitted - started - each * first / SETTINGS.steps;
    line([plugin.name, name, String(training.count), fit.toFixed(1), each.toFixed(2)]);
  }
}
