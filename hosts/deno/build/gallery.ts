/**
 * Draws the pictures of the gallery in docs/gallery that are no sheets of a command: images that a command wrote, side by side, and
 * what the page shows at an address. `deno task build:gallery` writes all of them, or those that it is given by name.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { byteOf } from "../../../core/bytes.ts";
import { loadKernels } from "../../../core/kernels.ts";
import { areaOf, type Shape, type Size } from "../../../core/shape.ts";
import { finish } from "../../../core/steps.ts";
import { parseIdx } from "../../../datasets/formats/idx.ts";
import { readPack } from "../../../datasets/formats/pack.ts";
import { readPng } from "../../../datasets/formats/png.ts";
import { png, pngOf, samplesPng } from "../../../datasets/formats/write_png.ts";
import { proceduralTextures } from "../../../datasets/procedural/textures.ts";
import { type Framed, sheet } from "../../../pipelines/report/sheet.ts";
import type { SynthesisRequest } from "../../../pipelines/synthesis/request.ts";
import { openSynthesizer, type Synthesizer } from "../../../pipelines/synthesis/synthesizer.ts";
import { traceWindow } from "../../../pipelines/synthesis/window_trace.ts";
import { builtins } from "../../../plugins/mod.ts";
import { exitCode } from "../commands/flags/exit_code.ts";
import { command, oneOf, runCommand } from "../commands/flags/flags.ts";
import { pagePacks } from "../page/build_page.ts";
import { drawFilled } from "./gallery_filled.ts";
import { print } from "../system/printable.ts";
import { dataFolder, environment } from "../system/environment.ts";
import { readModule } from "../system/kernels_file.ts";

const ROOT = new URL("../../../", import.meta.url);

/** A picture of the gallery. */
export interface GalleryPicture {
  /** Its file in docs/gallery, without ".png". */
  readonly name: string;
  /** Where the same can be seen: a command, or the part of the page's address after `#`. */
  readonly command?: string;
  readonly address?: string;
  /** Whether it is made of MNIST, and so needs `PATCHLOOM_DATA`. */
  readonly mnist?: boolean;
  /** Draws it; `env` is added to the environment, which says where data is kept. */
  readonly draw: (env?: Environment) => Promise<Uint8Array>;
}

type Environment = Readonly<Record<string, string>>;

const DIGITS = "synth --profile digits --from noise --count 20";
const FACES = "synth --profile faces --count 12";
const MAPS = "synth --profile texture --data pebbles.png --map height=height.png --size 128 --count 1";
const FILL = "fill meadow.png --mask mask.png";
const THREE = "pack=digits&class=3&from=noise", PORTRAIT = "pack=faces&from=noise&seed=2";

/** The environment of a command that takes the built-in data, whatever is installed. */
const BUILT_IN: Environment = { PATCHLOOM_DATA: "" };

/** The pictures. */
export const GALLERY: readonly GalleryPicture[] = [
  { name: "digits", command: DIGITS, mnist: true, draw: (env) => drawImages(DIGITS, 10, 2, env) },
  { name: "faces", command: FACES, draw: (env) => drawImages(FACES, 6, 1, { ...env, ...BUILT_IN }) },
  { name: "three", address: THREE, draw: (env) => drawFilm("digits", { class: 3, seed: 1 }, env) },
  { name: "portrait", address: PORTRAIT, draw: (env) => drawFilm("faces", { seed: 2 }, env) },
  { name: "maps", command: MAPS, draw: drawMaps },
  { name: "filled", command: FILL, draw: drawFilled },
  { name: "window", address: `${THREE}&frame=0.9&pixel=10.18`, draw: (env) => drawWindow(8, 10, 18, env) },
];

/** Runs a command in a folder. Returns the folder of its results. */
async function runIn(folder: string, words: string, env: Environment = {}): Promise<string> {
  const main = fileURLToPath(new URL("hosts/deno/main.ts", ROOT)), out = join(folder, "out");
  const args = ["run", "--quiet", "--allow-all", main, ...words.split(" "), "--quiet", "--out", out];
  const { success, stderr } = await new Deno.Command(Deno.execPath(), { args, env, cwd: folder }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return out;
}

/** Works in a temporary folder. */
async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await Deno.makeTempDir();
  try {
    return await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Draws the built-in pebbles beside a height of 16 bits, and what is made of both: the brighter, the higher. */
async function drawMaps(env: Environment = {}): Promise<Uint8Array> {
  const { images: { height, width, pixels } } = proceduralTextures(), area = height * width;
  const pebbles = pixels.subarray(3 * area), shape = { height, width, channels: 3 } as const;
  const heights = Uint16Array.from(
    { length: area },
    (_, p) => 85 * (pebbles[p] + pebbles[area + p] + pebbles[2 * area + p]),
  );
  const heightMap = samplesPng({ width, height, channels: 1, depth: 16, data: heights });
  return await inFolder(async (folder) => {
    const given = [join(folder, "pebbles.png"), join(folder, "height.png")];
    await Deno.writeFile(given[0], pngOf(shape, pebbles));
    await Deno.writeFile(given[1], heightMap);
    const out = await runIn(folder, MAPS, { ...env, ...BUILT_IN });
    const files = [...given, ...["images", "maps/height"].map((name) => join(out, name, "0000.png"))];
    const all = new Uint8Array(files.length * 3 * area);
    for (const [n, file] of files.entries()) {
      all.set(readPng(await Deno.readFile(file), file, { channels: 3 }).pixels, n * 3 * area);
    }
    return montage(shape, all, files.length, files.length, 1);
  });
}

/** Runs a command, and draws the images that it wrote side by side. */
async function drawImages(words: string, columns: number, scale: number, env?: Environment): Promise<Uint8Array> {
  return await inFolder(async (folder) => {
    const file = await Deno.readFile(join(await runIn(folder, words, env), "images.idx3-ubyte"));
    const { dims: [count, height, width], data: pixels } = parseIdx(file, "images");
    return montage({ height, width, channels: 1 }, pixels, count, columns, scale);
  });
}

/** Images side by side, each pixel `scale` x `scale`. */
function montage(
  { height, width, channels }: Size & { readonly channels: 1 | 3 },
  pixels: Uint8Array,
  count: number,
  columns: number,
  scale: number,
): Uint8Array {
  const across = columns * width * scale, down = Math.ceil(count / columns) * height * scale;
  const out = new Uint8Array(channels * across * down);
  for (let i = 0; i < out.length; i++) {
    const channel = Math.floor(i / (across * down));
    const row = Math.floor(Math.floor(i / across) % down / scale), column = Math.floor(i % across / scale);
    const image = Math.floor(row / height) * columns + Math.floor(column / width);
    const plane = image * channels + channel;
    if (image < count) out[i] = pixels[(plane * height + row % height) * width + column % width];
  }
  return pngOf({ height: down, width: across, channels }, out);
}

/** Opens one of the page's packs. */
async function openPack(name: string, env?: Environment): Promise<Synthesizer> {
  const [{ bytes }] = await pagePacks(name, dataFolder({ ...environment(), ...env })),
    { module } = await readModule(false);
  return openSynthesizer(loadKernels(module), readPack(bytes, name), builtins);
}

/** One step: the noisy image, its estimate, and the share of the noise. */
interface Step {
  readonly shape: Shape;
  readonly noisy: Uint8Array;
  readonly estimate: Uint8Array;
  readonly noise: number;
}

/** The steps of a request's first image, those of the attempt that was chosen. */
function stepsOf(synthesizer: Synthesizer, request: SynthesisRequest): Step[] {
  const attempts = new Map<number, Step[]>();
  let chosen: Step[] = [];
  for (const event of synthesizer.synthesize(request)) {
    if (event.type === "seeds") chosen = attempts.get(event.attempts[0])!;
    if (event.type !== "step") continue;
    const { height, width, channels, alphaBar } = event, shape = { height, width, channels };
    const [noisy, estimate] = [event.noisy, event.denoised].map((values) => {
      return Uint8Array.from(values.subarray(0, areaOf(shape)), (value) => byteOf((value + 1) / 2));
    });
    const before = event.step === 0 ? [] : attempts.get(event.attempts[0]) ?? [];
    attempts.set(event.attempts[0], [...before, { shape, noisy, estimate, noise: 1 - alphaBar }]);
  }
  return chosen;
}

/** The steps that a film shows. */
const SHOWN = [0, 2, 4, 6, 8, 11, 14, 19];

/** Draws noise on its way to an image: each noisy image (green) beside its estimate (blue), with the share of the noise. */
async function drawFilm(
  pack: string,
  request: Pick<SynthesisRequest, "class" | "seed">,
  env?: Environment,
): Promise<Uint8Array> {
  const steps = stepsOf(await openPack(pack, env), { ...request, images: [0], from: "noise" });
  const groups = SHOWN.map((step): Framed[] => [
    { pixels: steps[step].noisy, colour: "green", text: percentOf(steps[step].noise) },
    { pixels: steps[step].estimate, colour: "blue" },
  ]);
  return png(sheet(groups, steps[0].shape, 4, 3));
}

/** Examples of a window that are shown. */
const EXAMPLES = 7;

/** Draws the window of a pixel in the noisy image and in the examples that weigh most there, with their weights. */
async function drawWindow(step: number, y: number, x: number, env?: Environment): Promise<Uint8Array> {
  const synthesizer = await openPack("digits", env), { module } = await readModule(false);
  const request = { class: 3, seed: 1, images: [0], from: "noise" } as const;
  const [{ shape, noisy, estimate, noise }] = stepsOf(synthesizer, request).slice(step);
  const scratch = loadKernels(module);
  const trace = finish(traceWindow(synthesizer, request, { step, y, x }, { plugins: builtins, scratch }));
  const square = (pixels: Uint8Array) => withSquare(pixels, shape, y, x, trace.level.window);
  const groups: Framed[][] = [
    [{ pixels: square(noisy), colour: "green", text: percentOf(noise) }],
    [{ pixels: square(estimate), colour: "blue" }],
    ...trace.shown.slice(0, EXAMPLES).map(({ image, weight }): Framed[] => [
      { pixels: square(trace.examples.get(image)!), colour: "red", text: percentOf(weight) },
    ]),
  ];
  return png(sheet(groups, shape, groups.length, 3));
}

/** A grey image in colour, with a red square around a pixel. */
function withSquare(grey: Uint8Array, { height, width }: Shape, y: number, x: number, side: number): Uint8Array {
  const area = height * width, out = Uint8Array.from({ length: 3 * area }, (_, i) => grey[i % area]), reach = side >> 1;
  for (let row = Math.max(0, y - reach); row <= Math.min(height - 1, y + reach); row++) {
    for (let column = Math.max(0, x - reach); column <= Math.min(width - 1, x + reach); column++) {
      if (Math.abs(row - y) < reach && Math.abs(column - x) < reach) continue;
      [214, 48, 49].forEach((value, c) => out[c * area + row * width + column] = value);
    }
  }
  return out;
}

function percentOf(part: number): string {
  return `${(100 * part).toFixed(part < 0.1 ? 1 : 0)}%`;
}

const COMMAND = command({
  name: "build:gallery",
  about: "Draws the pictures of docs/gallery: build:gallery [NAME...] (all).",
  flags: {},
  examples: ["deno task build:gallery", "deno task build:gallery three window"],
  words: [GALLERY.map(({ name }) => name)],
  async run({ words }) {
    const chosen = words.map((word) => oneOf("picture", word, GALLERY.map(({ name }) => name)));
    for (const { name, draw, mnist } of GALLERY) {
      if (chosen.length > 0 && !chosen.includes(name)) continue;
      if (mnist && !Deno.env.get("PATCHLOOM_DATA")) {
        print(`Not drawn: ${name}, because PATCHLOOM_DATA does not say where MNIST is`);
        continue;
      }
      await Deno.writeFile(new URL(`docs/gallery/${name}.png`, ROOT), await draw());
      print(`docs/gallery/${name}.png`);
    }
  },
});

if (import.meta.main) Deno.exit(await exitCode(Deno.args, (args) => runCommand(COMMAND, args)));
