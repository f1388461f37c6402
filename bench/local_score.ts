/**
 * Measures the kernel `localScore` alone, on one core: whole images from noise in 20 steps of the cosine schedule, with the mean
 * of each window. `deno run -A bench/local_score.ts [FILTER [FOLDER]]` prints a Markdown table, of the rows that hold FILTER; with
 * a folder, also the milliseconds of each step, and it writes the images there as f32 in [-1, 1]. Then the milliseconds of the
 * weights of one pixel (`localScoreWeights`).
 *
 * Needs MNIST and the faces (PATCHLOOM_DATA).
 */
import process from "node:process";
import { type Kernels, loadKernels, localScoreScratch } from "../core/kernels.ts";
import { stream } from "../core/random.ts";
import { numbersOfClass } from "../datasets/groups.ts";
import { findData } from "../hosts/deno/data/find_data.ts";
import { paddedImages, reduced } from "../pipelines/assessment/padded_images.ts";

const STEPS = 20, ROUNDS = 3;
/** Sides of windows, least noise first. */
const DIGITS = [3, 3, 5, 5, 5, 7, 7, 7, 9, 9, 11, 11, 11, 11, 13, 15, 15, 15, 15, 15];
const FACES = [5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 31, 31, 31, 31, 31, 31];
const CASES = [
  { name: "MNIST threes", dataset: "mnist", label: 3, side: 32, channels: 1, windows: DIGITS, batches: [1, 8] },
  { name: "faces", dataset: "faces", label: undefined, side: 32, channels: 1, windows: FACES, batches: [1, 8] },
  { name: "faces", dataset: "faces", label: undefined, side: 64, channels: 1, windows: FACES, batches: [4] },
  { name: "faces", dataset: "faces-colour", label: undefined, side: 32, channels: 3, windows: FACES, batches: [4] },
] as const;

/** s = sqrt(abar) and b = 1 - abar of step i of 20. */
function noiseOf(step: number): { signal: number; variance: number } {
  const signal = Math.cos(Math.PI * step / STEPS / 2.016);
  return { signal, variance: 1 - signal ** 2 };
}

/** Seconds that this process has computed: other programs on the machine do not count. */
function cpuSeconds(): number {
  return process.cpuUsage().user / 1e6;
}

/** Images from noise. Calls back with the seconds of each step, the most noise first. */
function diffuse(
  kernels: Kernels,
  rows: { address: number; count: number },
  { side, channels, windows }: (typeof CASES)[number],
  batch: number,
  timed: (step: number, seconds: number) => void,
): Float32Array {
  const length = batch * channels * side * side, random = stream(7);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  const images = kernels.allocate(4 * length), out = kernels.allocate(4 * length);
  const x = kernels.f32(images, length).map(normal), used = kernels.allocate(batch * rows.count);
  for (let step = STEPS; step > 0; step--) {
    const { signal, variance } = noiseOf(step), next = noiseOf(step - 1), height = kernels.mark();
    const shape = { channels, height: side, width: side, window: windows[step - 1] };
    const scratch = kernels.allocate(localScoreScratch(shape));
    kernels.f32(images, length).set(x);
    const started = cpuSeconds();
    kernels.localScore(
      { ...shape, rows: rows.address, count: rows.count, images, batch, used, out, scratch },
      signal,
      variance,
    );
    timed(step, cpuSeconds() - started);
    kernels.f32(out, length).forEach((mean, i) => {
      x[i] = next.signal * mean + Math.sqrt(next.variance / variance) * (x[i] - signal * mean);
    });
    kernels.release(height);
  }
  return x;
}

/** Sides of windows whose weights are measured, and how many pixels of each. */
const WEIGHED = [15, 9, 3], PIXELS = 20;

/** Milliseconds of the weights of one pixel of noise, by the side of the window: the fastest of some rounds. */
function weightTimes(
  kernels: Kernels,
  rows: { address: number; count: number },
  { side, channels }: (typeof CASES)[number],
): number[] {
  const { signal, variance } = noiseOf(STEPS / 2), images = kernels.allocate(4 * channels * side * side);
  const random = stream(7), out = kernels.allocate(4 * rows.count);
  kernels.f32(images, channels * side * side).forEach((_, i, all) => all[i] = random.next() - 0.5);
  return WEIGHED.map((window) => {
    const shape = { channels, height: side, width: side, window }, height = kernels.mark();
    const scratch = kernels.allocate(localScoreScratch(shape));
    const asked = { ...shape, rows: rows.address, count: rows.count, images, batch: 1, out: 0, scratch };
    const rounds = Array.from({ length: ROUNDS }, () => {
      const started = cpuSeconds();
      for (let i = 0; i < PIXELS; i++) {
        const y = Math.floor(i * side / PIXELS), x = (7 * i) % side;
        kernels.localScoreWeights(asked, signal, variance, 0, y, x, out);
      }
      return (cpuSeconds() - started) / PIXELS * 1000;
    });
    kernels.release(height);
    return Math.min(...rounds);
  });
}

const [filter = "", folder] = Deno.args;
const bytes = await Deno.readFile(new URL("../assembly/kernels.wasm", import.meta.url));
const module = await WebAssembly.compile(bytes);
const HEAD = ["images", "N", "pixels", "batch", "s an image", "ns an example, pixel and step"];
const line = (cells: readonly string[]) => console.log(`| ${cells.join(" | ")} |`);
line(HEAD);
line(HEAD.map(() => "---"));
for (const one of CASES) {
  const { name, dataset, label, side, channels, batches } = one, kernels = loadKernels(module);
  if (!`${name} ${side} ${dataset}`.includes(filter)) continue;
  const { train } = await findData(dataset, undefined, undefined, { channels });
  const chosen = numbersOfClass(train.labels, label, train.images.count);
  const length = Math.max(side, train.images.height);
  const { pixels } = reduced(paddedImages(train, chosen, { height: length, width: length }), side);
  const rows = { address: kernels.allocate(pixels.length), count: chosen.length };
  kernels.u8(rows.address, pixels.length).set(pixels);
  for (const batch of batches) {
    let best = Infinity, steps: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const height = kernels.mark(), times: number[] = [];
      const images = diffuse(kernels, rows, one, batch, (_, seconds) => times.push(seconds / batch));
      const sum = times.reduce((a, b) => a + b);
      if (sum < best) [best, steps] = [sum, times];
      if (folder) Deno.writeFileSync(`${folder}/${dataset}${side}.f32`, new Uint8Array(images.buffer));
      kernels.release(height);
    }
    const perTerm = best / (rows.count * side * side * STEPS) * 1e9, size = `${side} x ${side} x ${channels}`;
    line([name, String(rows.count), size, String(batch), best.toFixed(3), perTerm.toFixed(2)]);
    if (folder) console.error(steps.map((seconds) => (seconds * 1000).toFixed(1)).join(" "), "ms a step");
  }
  const weighed = weightTimes(kernels, rows, one).map((time, i) => `window ${WEIGHED[i]}: ${time.toFixed(2)}`);
  console.error(`weights of a pixel, ms: ${weighed.join(", ")}`);
}
