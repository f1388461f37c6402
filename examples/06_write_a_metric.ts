// A metric of one's own ranks synthesized eights by their symmetry: deno run -A examples/06_write_a_metric.ts
import { builtinData, builtins, definePlugin, digits, loadKernels, makePack } from "@patchloom/patchloom";
import { openSynthesizer, plan, png, sheet } from "@patchloom/patchloom";
const symmetry = definePlugin({
  api: 1,
  kind: "metric",
  name: "symmetry",
  about: "1: the same as its mirror image; lower: less so",
  options: {},
  create: () => ({
    separable: true, // an image's value depends on that image alone
    measure({ generated: { at, count, channels, height, width }, kernels }) {
      const length = channels * height * width, values = new Float64Array(count).fill(1);
      const pixels = kernels.u8(at, count * length);
      for (let p = 0; p < pixels.length; p++) {
        values[Math.floor(p / length)] -= Math.abs(pixels[p] - pixels[p + width - 1 - 2 * (p % width)]) / 255 / length;
      }
      return { values, of: "generated", series: {}, settings: {}, warnings: [] };
    },
  }),
});
const wasm = await Deno.readFile(new URL("../assembly/kernels.wasm", import.meta.url));
const kernels = loadKernels(await WebAssembly.compile(wasm));
const data = { name: "digits", origin: "drawn by rule", files: [], ...builtinData("mnist") };
const pack = makePack(kernels, plan(digits, builtins), data, { classes: [8], seeds: 16 });
const steps = openSynthesizer(kernels, pack, builtins).synthesize({ seed: 1, images: [...Array(16).keys()] });
let step = steps.next();
while (!step.done) step = steps.next();
const { images } = step.value, at = kernels.allocate(16 * 32 * 32);
images.forEach(({ pixels }, i) => kernels.u8(at + i * 32 * 32, 32 * 32).set(pixels));
const generated = { at, count: 16, channels: 1, height: 32, width: 32 };
const input = { generated, training: generated, patch: 6, overlap: 2, window: 2, kernels };
const { values } = symmetry.create({}).measure(input);
const ranked = images.map(({ pixels }, i) => [{ pixels, colour: "blue" as const, text: values[i].toFixed(3) }]);
ranked.sort(([a], [b]) => Number(b.text) - Number(a.text));
await Deno.writeFile("symmetry.png", png(sheet(ranked, { width: 32, height: 32 }, 8, 3)));
