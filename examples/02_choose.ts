// Makes the same threes with other priors, contexts and z-steps, a row each: deno run -A examples/02_choose.ts
import { builtinData, builtins, digits, finish, loadKernels, makePack } from "@patchloom/patchloom";
import { openSynthesizer, plan, png, sheet, type SynthesisRequest } from "@patchloom/patchloom";

const wasm = await Deno.readFile(new URL("../assembly/kernels.wasm", import.meta.url));
const kernels = loadKernels(await WebAssembly.compile(wasm));
const data = { name: "digits", origin: "drawn by rule", files: [], ...builtinData("mnist") };
const pack = makePack(kernels, plan(digits, builtins), data, { classes: [3], seedImagesPerClass: 10 });
const synthesizer = openSynthesizer(kernels, pack, builtins);

const images = [0, 1, 2, 3, 4, 5, 6, 7];
const requests: SynthesisRequest[] = [
  { images, class: 3, seed: 1 }, // what the profile says: local-nn, a square context, random draws
  { images, class: 3, seed: 2 }, // the same seed images, other draws
  { images, class: 3, seed: 1, contexts: [] }, // no context: more variety, strokes that do not meet
  { images, class: 3, seed: 1, prior: "tangent-plane" }, // new patches near the examples in place of copies
  { images, class: 3, seed: 1, zStep: "map" }, // the likeliest patch in place of a random one: it copies
  { images, class: 3, seed: 1, set: ["prior.neighbours=5"] }, // fewer examples to draw from: less variety
];
const rows = requests.flatMap((request) => {
  const { images } = finish(synthesizer.synthesize(request));
  return images.map(({ pixels }) => [{ pixels, colour: "blue" as const }]);
});
await Deno.writeFile("choose.png", png(sheet(rows, { width: 32, height: 32 }, images.length, 3)));
console.log("Written: choose.png");
