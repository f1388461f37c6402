// Images per second on one core and peak memory, for both profiles. Each is measured in a process of its own.
import { loadKernels } from "../core/kernels.ts";
import { fitModel } from "../core/model.ts";
import { plan } from "../core/plan.ts";
import { seedImages, trainingPyramid } from "../core/pyramid.ts";
import { synthesize } from "../core/synthesize.ts";
import { profiles } from "../datasets/mod.ts";
import { findData } from "../hosts/deno/find_data.ts";
import { chosenBy } from "../datasets/groups.ts";
import { builtins } from "../plugins/mod.ts";

/** What one process measured. */
interface Measured {
  readonly origin: string;
  readonly training: number;
  readonly images: number;
  /** Seconds to read the data and build the pyramid. */
  readonly load: number;
  /** Images a second, for each of the rounds. */
  readonly rates: number[];
  /** Part of the time spent in each layer, l = 0 first. */
  readonly layers: number[];
  /** Peak resident memory in MB, where the system tells. */
  readonly peak?: number;
}

const BATCH = 16, ROUNDS = 5;
const IMAGES: Readonly<Record<string, number>> = { digits: 64, faces: 16 };
/** The class that is measured where a profile is class-wise. */
const CLASS = 3;

async function measure(name: string): Promise<Measured> {
  const started = performance.now(), planned = plan(profiles[name], builtins);
  const data = await findData(planned.profile.dataset);
  const bytes = await Deno.readFile(new URL("../assembly/kernels.wasm", import.meta.url));
  const kernels = loadKernels(await WebAssembly.compile(bytes)), { images, labels } = data.train;
  const label = planned.profile.classwise ? CLASS : undefined;
  const training = trainingPyramid(kernels, images, planned.sizes, chosenBy(labels, label, images.count));
  const chosen = chosenBy(data.test.labels, label, data.test.images.count);
  const load = (performance.now() - started) / 1000;
  const model = fitModel(kernels, planned, training, BATCH);
  const layers = planned.layers.map(() => 0), rates: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const begin = performance.now();
    for (let first = 0; first < IMAGES[name]; first += BATCH) {
      const numbers = Array.from({ length: BATCH }, (_, i) => first + i);
      const seeds = seedImages(kernels, data.test.images, planned.sizes, numbers.map((i) => chosen[i % chosen.length]));
      let before = performance.now();
      for (const { layer } of synthesize(model, { seed: round, images: numbers, seedImages: seeds })) {
        const now = performance.now();
        layers[layer] += now - before;
        before = now;
      }
    }
    rates.push(IMAGES[name] / (performance.now() - begin) * 1000);
  }
  const total = layers.reduce((a, b) => a + b);
  return {
    origin: data.origin,
    training: training.count,
    images: IMAGES[name],
    load,
    rates,
    layers: layers.map((time) => time / total),
    peak: await peakMemory(),
  };
}

async function peakMemory(): Promise<number | undefined> {
  const status = await Deno.readTextFile("/proc/self/status").catch(() => "");
  const match = /VmHWM:\s+(\d+) kB/.exec(status);
  return match ? Number(match[1]) / 1000 : undefined;
}

if (Deno.args[0]) {
  console.log(JSON.stringify(await measure(Deno.args[0])));
} else {
  console.log("One core; images a second as median (slowest to fastest of five rounds).\n");
  for (const name of Object.keys(IMAGES)) {
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--allow-all", import.meta.filename!, name],
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    const { origin, training, images, load, rates, layers, peak }: Measured = JSON.parse(
      new TextDecoder().decode(stdout),
    );
    const sorted = rates.toSorted((a, b) => a - b), shown = sorted.map((rate) => rate.toFixed(1));
    console.log(`${name}: ${shown[ROUNDS >> 1]} images/s (${shown[0]} to ${shown[ROUNDS - 1]}), ${images} a round`);
    console.log(`  ${training} training images of: ${origin}; loaded in ${load.toFixed(2)} s`);
    console.log(`  time by layer, finest first: ${layers.map((part) => `${Math.round(part * 100)} %`).join(", ")}`);
    console.log(`  peak memory: ${peak === undefined ? "not told by this system" : `${Math.round(peak)} MB`}`);
  }
}
