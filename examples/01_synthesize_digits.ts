// Synthesizes 16 digits from the built-in examples: deno run -A examples/01_synthesize_digits.ts
import {
  builtinData,
  builtins,
  digits,
  finish,
  loadKernels,
  makePack,
  openSynthesizer,
  plan,
  png,
  sheet,
} from "@patchloom/patchloom";

const wasm = await Deno.readFile(new URL("../assembly/kernels.wasm", import.meta.url));
const kernels = loadKernels(await WebAssembly.compile(wasm));

// A pack holds a profile, its training images and its seed images. `readPack` reads one from a file.
const data = { name: "digits", origin: "drawn by rule", files: [], ...builtinData("mnist") };
const pack = makePack(kernels, plan(digits, builtins), data, { seedImagesPerClass: 10 });

// Image i depends on the pack, the random seed and i alone. Digits go through the classes 0 to 9 in turn.
const { images } = finish(
  openSynthesizer(kernels, pack, builtins).synthesize({
    seed: 1,
    images: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  }),
);

const framed = images.map(({ pixels }) => [{ pixels, colour: "blue" as const }]);
await Deno.writeFile("digits.png", png(sheet(framed, { width: 32, height: 32 }, 8, 3)));
console.log("Written: digits.png");
