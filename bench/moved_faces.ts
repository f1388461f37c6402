// Writes photographs of faces that are not aligned: those of the data set "faces", moved, scaled and turned. See docs/unaligned.md.
//   deno run -A bench/moved_faces.ts DIR
import { join } from "@std/path";
import { loadKernels } from "../core/kernels.ts";
import { normals } from "../core/normals.ts";
import { stream } from "../core/random.ts";
import type { Images } from "../core/types.ts";
import { pngOf } from "../datasets/formats/write_png.ts";
import { resampled } from "../datasets/warps.ts";
import { findData } from "../hosts/deno/data/find_data.ts";

/** Side of the written pictures: the middle of faces of 128x128 pixels, so that most have no border when they are moved. */
const SIDE = 112;
/** Standard deviations: pixels, a factor, and radians (6 degrees). */
const MOVED = 7, SCALED = 0.1, TURNED = 0.105;
/** Training and test images that are written. */
const COUNTS = { train: 1000, test: 200 };

const wasm = await Deno.readFile(new URL("../assembly/kernels.wasm", import.meta.url));
const kernels = loadKernels(await WebAssembly.compile(wasm)), data = await findData("faces");

for (const split of ["train", "test"] as const) {
  const { images } = data[split], folder = join(Deno.args[0], split);
  await Deno.mkdir(folder, { recursive: true });
  for (let i = 0; i < Math.min(COUNTS[split], images.count); i++) {
    const pixels = moved(images, i, split === "train" ? 1 : 2), name = `${String(i).padStart(4, "0")}.png`;
    await Deno.writeFile(join(folder, name), pngOf({ height: SIDE, width: SIDE }, pixels));
  }
}

function moved(images: Images, i: number, seed: number): Uint8Array {
  const { height, width, pixels } = images, area = height * width, [down, across, scale, turn] = drawn(seed, i);
  const size = 1 + SCALED * scale, cosine = size * Math.cos(TURNED * turn), sine = size * Math.sin(TURNED * turn);
  const fromY = new Float64Array(SIDE * SIDE), fromX = new Float64Array(SIDE * SIDE);
  for (let p = 0; p < fromY.length; p++) {
    const y = Math.floor(p / SIDE) - (SIDE - 1) / 2, x = p % SIDE - (SIDE - 1) / 2;
    fromY[p] = (height - 1) / 2 + cosine * y + sine * x + MOVED * down;
    fromX[p] = (width - 1) / 2 + cosine * x - sine * y + MOVED * across;
  }
  return resampled(pixels.subarray(i * area, (i + 1) * area), { height, width }, fromY, fromX);
}

/** Four standard normal numbers of a picture. */
function drawn(seed: number, i: number): Float64Array {
  return normals(kernels, stream(seed, i), 4);
}
