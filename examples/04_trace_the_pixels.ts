// Colours each pixel by the training image that it came from: deno run -A examples/04_trace_the_pixels.ts
import { builtinData, builtins, digits, finish, type Framed, loadKernels, makePack } from "@patchloom/patchloom";
import { openSynthesizer, pixelSources, plan, png, sheet } from "@patchloom/patchloom";

const wasm = await Deno.readFile(new URL("../assembly/kernels.wasm", import.meta.url));
const kernels = loadKernels(await WebAssembly.compile(wasm));
const data = { name: "digits", origin: "drawn by rule", files: [], ...builtinData("mnist") };
const pack = makePack(kernels, plan(digits, builtins), data, { classes: [5], seedImagesPerClass: 6 });
const { images } = finish(openSynthesizer(kernels, pack, builtins).synthesize({ seed: 1, images: [0, 1, 2, 3, 4, 5] }));

/** A hue for each training image, red, green and blue in [0, 255]: numbers that follow each other differ most. */
const hue = (image: number, channel: number) =>
  255 * (0.5 + 0.5 * Math.cos(2 * Math.PI * (image * 0.618 + channel / 3)));

const rows = images.map(({ number, pixels, provenance, contributors: [most], nearest }): Framed[] => {
  console.log(
    `Image ${number}: training image ${most.image} gave most, ${(100 * most.share).toFixed(1)} % of the pixels`,
  );
  // A pixel is the average of the patches that cover it: it gets the average of their colours, as bright as it is.
  const coloured = new Uint8Array(3 * 32 * 32);
  for (let p = 0; p < 32 * 32; p++) {
    const sources = pixelSources(provenance, Math.floor(p / 32), p % 32);
    for (let channel = 0; channel < 3; channel++) {
      const colour = sources.reduce((sum, { image, weight }) => sum + weight * hue(image, channel), 0);
      coloured[channel * 32 * 32 + p] = colour * (0.1 + 0.9 * pixels[p] / 255);
    }
  }
  return [{ pixels, colour: "blue", text: nearest?.distance.toFixed(2) }, { pixels: coloured, colour: "grey" }];
});
await Deno.writeFile("sources.png", png(sheet(rows, { width: 32, height: 32 }, 3, 4)));
