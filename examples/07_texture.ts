// Makes a texture of another size from an exemplar: deno run -A examples/07_texture.ts
import { builtins, finish, fitModel, loadKernels, plan, pngOf, proceduralTextures } from "@patchloom/patchloom";
import { pyramidSizes, quilt, seedImages, synthesize, texture, trainingPyramid } from "@patchloom/patchloom";

const wasm = await Deno.readFile(new URL("../assembly/kernels.wasm", import.meta.url));
const kernels = loadKernels(await WebAssembly.compile(wasm));

const { images: exemplars } = proceduralTextures(); // a brick wall and pebbles, 128x128 pixels in colour
const wall = { ...exemplars, count: 1 };
// The profile quilts finished images. Here it quilts seed images of a quarter of the size, for the two layers of the method.
const planned = plan({ ...texture, size: [192, 128], quiltLayer: 2 }, builtins);

// The exemplar's pyramid has sizes of its own: places mean nothing in a texture.
const levels = pyramidSizes(wall, planned.layers.length);
const model = finish(fitModel(kernels, planned, finish(trainingPyramid(kernels, wall, levels)), 1));

// The seed image is quilted from blocks of the exemplar's coarsest level.
const coarsest = { count: 1, channels: 3, ...levels.at(-1)! };
const blocks = { ...coarsest, values: seedImages(kernels, wall, levels, [0]) };
const { values: quilted } = finish(quilt(blocks, planned.sizes.at(-1)!, { seed: 1, image: 0 }));

// A Synthesizer makes textures from a pack, too. This shows what it is made of: a model, and Algorithm 2 on a batch of images.
const events = synthesize(model, { seed: 1, images: [0], seedImages: quilted });
let step = events.next();
for (; !step.done; step = events.next()) {
  const event = step.value; // of type "iteration", or "progress" where a server may pause
  if (event.type === "iteration") console.log(`layer ${event.layer}, iteration ${event.iteration}`);
}
model.dispose();

await Deno.writeFile("texture.png", pngOf({ width: 192, height: 128, channels: 3 }, step.value.pixels));
