// Shows four digits after every iteration of every layer, a row each: deno run -A examples/03_watch_the_layers.ts
import { builtinData, builtins, digits, type Framed, loadKernels, makePack } from "@patchloom/patchloom";
import { openSynthesizer, plan, png, sheet } from "@patchloom/patchloom";

const wasm = await Deno.readFile(new URL("../assembly/kernels.wasm", import.meta.url));
const kernels = loadKernels(await WebAssembly.compile(wasm));
const data = { name: "digits", origin: "drawn by rule", files: [], ...builtinData("mnist") };
const pack = makePack(kernels, plan(digits, builtins), data, { classes: [2], seedImagesPerClass: 4 });

// The generator yields an event with the images X after every iteration: about [0, 1], and valid until it goes on.
const rows: Framed[][] = [[], [], [], []];
for (const event of openSynthesizer(kernels, pack, builtins).synthesize({ seed: 1, images: [0, 1, 2, 3] })) {
  if (event.type !== "iteration") continue;
  const { layer, iteration, height, width, residual } = event;
  console.log(
    `layer ${layer}, iteration ${iteration}: ${width}x${height} pixels, residual ${residual.toExponential(1)}`,
  );
  const zoom = 32 / width; // coarser layers are shown at the size of the finest
  rows.forEach((row, i) => {
    const pixels = Uint8Array.from({ length: 32 * 32 }, (_, p) => {
      const x = Math.floor(p % 32 / zoom), y = Math.floor(p / 32 / zoom);
      return 255 * Math.min(Math.max(event.images[(i * height + y) * width + x], 0), 1);
    });
    row.push({ pixels, colour: layer === 0 ? "blue" : "grey", text: `${layer}.${iteration}` });
  });
}
await Deno.writeFile("layers.png", png(sheet(rows, { width: 32, height: 32 }, 1, 3)));
