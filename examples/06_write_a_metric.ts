// A metric of one's own ranks synthesized eights by their symmetry: deno run -A examples/06_write_a_metric.ts
import { builtinData, builtins, definePlugin, digits, finish, loadKernels, makePack } from "@patchloom/patchloom";
import { openSynthesizer, plan, png, readImage, sheet } from "@patchloom/patchloom";
const symmetry = definePlugin({
  api: 1,
  kind: "metric",
  name: "symmetry",
  about: "1: the same as its mirror image; lower: less so",
  options: {},
  create: () => ({
    separable: true, // an image's value depends on that image alone
    measure({ generated, training, kernels }) {
      const { count, width } = generated;
      if (count * training.count === 0) throw new Error("Cannot measure symmetry: expected images, got none");
      const values = Float64Array.from({ length: count }, (_, i) => {
        const pixels = readImage(kernels, generated, i), mirrored = (p: number) => p + width - 1 - 2 * (p % width);
        const differences = pixels.reduce((sum, value, p) => sum + Math.abs(value - pixels[mirrored(p)]), 0);
        return 1 - differences / pixels.length / 255;
      });
      return { values, of: "generated", series: {}, settings: {}, warnings: [] };
    },
  }),
});
const wasm = await Deno.readFile(new URL("../assembly/kernels.wasm", import.meta.url));
const kernels = loadKernels(await WebAssembly.compile(wasm));
const data = { name: "digits", origin: "drawn by rule", files: [], ...builtinData("mnist") };
const pack = makePack(kernels, plan(digits, builtins), data, { classes: [8], seedImagesPerClass: 16 });
const { images } = finish(
  openSynthesizer(kernels, pack, builtins).synthesize({ seed: 1, images: [...Array(16).keys()] }),
);
const at = kernels.allocate(16 * 32 * 32);
images.forEach(({ pixels }, i) => kernels.u8(at + i * 32 * 32, 32 * 32).set(pixels));
const generated = { at, count: 16, channels: 1, height: 32, width: 32 };
const input = { generated, training: generated, patch: 6, overlap: 2, window: 2, kernels };
const { values } = symmetry.create({}).measure(input);
const ranked = images.map(({ pixels }, i) => [{ pixels, colour: "blue" as const, text: values[i].toFixed(3) }]);
ranked.sort(([a], [b]) => Number(b.text) - Number(a.text));
await Deno.writeFile("symmetry.png", png(sheet(ranked, { width: 32, height: 32 }, 8, 3)));
