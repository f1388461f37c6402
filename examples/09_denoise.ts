// Shows what a denoiser estimates at each step, from noise to a digit: deno run -A examples/09_denoise.ts
import { builtinData, builtins, diffuse, fitDiffusion, loadKernels, optionValues } from "@patchloom/patchloom";
import { png, sheet } from "@patchloom/patchloom";

const wasm = await Deno.readFile(new URL("../assembly/kernels.wasm", import.meta.url));
const kernels = loadKernels(await WebAssembly.compile(wasm));

// The training images, threes here, lie in kernel memory, a byte for each channel and pixel.
const { images, labels } = builtinData("mnist").train, [height, width, area] = [28, 28, 28 * 28];
const threes = [...labels!.keys()].filter((i) => labels![i] === 3);
const at = kernels.allocate(threes.length * area);
threes.forEach((i, n) => kernels.u8(at + n * area, area).set(images.pixels.subarray(i * area, (i + 1) * area)));

// `local-score` weighs training images by windows around each pixel: 13 pixels wide in the first step, 3 in the last.
const plugin = builtins.find("denoiser", "local-score"), steps = 8;
const model = fitDiffusion({
  kernels,
  plugin,
  values: optionValues(plugin, {}), // the defaults of its options
  training: { count: threes.length, height, width, channels: 1, at },
  batch: 1,
  settings: { schedule: "cosine", steps, windows: Array.from({ length: steps }, (_, i) => 13 - 2 * Math.min(i, 5)) },
});

// Each step has x_t and E[x_0 | x_t], float32 about -1 to 1. They are views of kernel memory: copied, to be kept.
const shown = (values: Float32Array) => Uint8Array.from(values, (v) => 127.5 * Math.min(Math.max(v + 1, 0), 2));
const columns = [];
for (const { step, alphaBar, window, noisy, denoised } of diffuse(model, { seed: 1, images: [0] })) {
  console.log(`step ${step}: ${(100 * (1 - alphaBar)).toFixed(1)} % noise, windows of ${window} pixels`);
  columns.push([{ pixels: shown(noisy), colour: "grey" as const }, {
    pixels: shown(denoised),
    colour: "blue" as const,
  }]);
}
model.dispose();

await Deno.writeFile("denoised.png", png(sheet(columns, { width, height }, 2, 3)));
