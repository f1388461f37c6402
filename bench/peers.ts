/**
 * Exact search of the 50 nearest patches beside other programs, on the same bytes and one core: `deno run -A bench/peers.ts`.
 *
 * The drivers in `peers/` are compiled here; they need g++ and Debian's libfaiss-dev, libflann-dev, libhnswlib-dev and
 * libopenblas-dev; usearch is installed from npm into a temporary folder. What is absent is named, not left out silently.
 */
import { finish } from "../core/steps.ts";
import { kernelMemory, loadKernels, searchScratch } from "../core/kernels.ts";
import { RUN, RUNS_FROM } from "../priors/example/runs.ts";
import { alongCurve } from "../priors/example/lr_pixels.ts";
import { contextOf } from "../core/model.ts";
import { plan } from "../core/plan.ts";
import { type TrainingPyramid, trainingPyramid } from "../core/pyramid.ts";
import { digitsPaper, facesPaper } from "../datasets/profiles/mod.ts";
import { findData } from "../hosts/deno/data/find_data.ts";
import { numbersOfClass } from "../datasets/groups.ts";
import { BATCH } from "../pipelines/run/job.ts";
import { builtins } from "../plugins/mod.ts";
import type { KernelSpeed } from "./kernel.ts";
import { type Patches, patchesAt } from "./patches.ts";

const K = 50, QUERIES = 256, ROUNDS = 5;
/** Milliseconds of searching before the first round. */
const WARM_UP = 500;
/** The version of usearch, from npm. */
const USEARCH = "2.25.3";
/** Recall that an approximate index must reach to be compared. */
const RECALL = 0.95;

/** One set of patches to search. */
interface Case {
  readonly name: string;
  readonly patches: Patches;
}

/** How a program did. */
interface Result {
  readonly program: string;
  readonly exact: boolean;
  /** Microseconds a query: the fastest round. */
  readonly time: number;
  /** Part of its neighbours that are no farther than the true k-th nearest. */
  readonly recall: number;
  /** Seconds to build its index. */
  readonly build: number;
}

/** The patches of the middle of the image at the finest layer, as the two profiles search them. */
async function cases(): Promise<{ origins: string[]; cases: Case[] }> {
  const bytes = await Deno.readFile(new URL("../assembly/kernels.wasm", import.meta.url));
  const module = await WebAssembly.compile(bytes), found: Case[] = [], origins: string[] = [];
  for (const profile of [digitsPaper, facesPaper]) {
    const planned = plan(profile, builtins), data = await findData(profile.dataset);
    origins.push(data.origin);
    const pyramid = (set: typeof data.train, label?: number): TrainingPyramid => {
      const kernels = loadKernels(module, kernelMemory());
      memories.set(set, kernels.memory);
      return finish(
        trainingPyramid(kernels, set.images, planned.sizes, numbersOfClass(set.labels, label, set.images.count)),
      );
    };
    const memories = new Map<object, WebAssembly.Memory>(), label = profile.classwise ? 5 : undefined;
    const train = pyramid(data.train, label).lr[0], test = pyramid(data.test, label).lr[0];
    const bytesOf = (set: typeof data.train) => new Uint8Array(memories.get(set)!.buffer);
    const side = planned.patch / 2, half = planned.sizes[1].width, middle = Math.floor(half / 2 - side / 2);
    const own = Array.from({ length: side * side }, (_, i) => ({ dx: i % side, dy: Math.floor(i / side) }));
    const context = [...own, ...contextOf(planned.layers[0])].filter(({ dx, dy }) => {
      return [dx + middle, dy + middle].every((at) => at >= 1 && at < half - 1);
    });
    // In the order in which the engine lists them; to other programs it is all the same.
    context.sort((a, b) => alongCurve(a) - alongCurve(b));
    const window = [-1, 0, 1].flatMap((dy) => [-1, 0, 1].map((dx) => ({ dy, dx })));
    const at = (pixels: typeof own, offsets: typeof own): Patches => {
      const place = { y: middle, x: middle, pixels };
      const base = patchesAt(bytesOf(data.train), train, { ...place, offsets });
      const asked = patchesAt(bytesOf(data.test), test, { ...place, offsets: [{ dy: 0, dx: 0 }] });
      return { ...base, queries: asked.base.subarray(0, Math.min(QUERIES, asked.count) * base.dimensions) };
    };
    if (profile === digitsPaper) {
      found.push({ name: "digits, one place", patches: at(own, [{ dy: 0, dx: 0 }]) });
      found.push({ name: "digits, with context and window", patches: at(context, window) });
      const joint = Array.from({ length: 45 }, (_, i) => ({ dx: i % 9 - 3, dy: Math.floor(i / 9) - 1 }));
      found.push({ name: "digits, 9x5 patches, window", patches: at(joint, window) });
    } else {
      found.push({ name: "faces-paper, one place", patches: at(own, [{ dy: 0, dx: 0 }]) });
      found.push({ name: "faces-paper, with both contexts", patches: at(context, [{ dy: 0, dx: 0 }]) });
    }
  }
  return { origins, cases: found };
}

/** Our kernel on the same bytes, in this process. */
async function ours({ base, queries, count, dimensions }: Patches): Promise<{ result: Result; found: Int32Array }> {
  const bytes = await Deno.readFile(new URL("../assembly/kernels.wasm", import.meta.url));
  const kernels = loadKernels(await WebAssembly.compile(bytes)), planes = dimensions + dimensions % 2;
  const stride = Math.ceil(count / 16) * 16, batch = queries.length / dimensions;
  // Given as the engine gives them: many planes as runs, too.
  const runs = dimensions < RUNS_FROM ? 0 : Math.ceil(dimensions / RUN), values = planes + RUN * runs;
  const at = kernels.allocate(planes * stride), rows = kernels.allocate(base.length);
  const table = kernels.allocate((planes + runs) * 4), scale = kernels.allocate(values * 2);
  const asked = kernels.allocate(batch * values * 2);
  const scratch = kernels.allocate(searchScratch(planes, BATCH, K)), out = kernels.allocate(batch * K * 8);
  for (let p = 0; p < dimensions; p++) {
    const plane = kernels.u8(at + p * stride, count);
    for (let i = 0; i < count; i++) plane[i] = base[i * dimensions + p];
  }
  kernels.u8(rows, base.length).set(base);
  for (let q = 0; q < batch; q++) {
    const query = queries.subarray(q * dimensions, (q + 1) * dimensions),
      to = kernels.i16(asked + q * values * 2, values);
    to.set(query);
    if (runs > 0) to.set(query, planes);
  }
  const addresses = kernels.u32(table, planes + runs), scales = kernels.i16(scale, values);
  for (let p = 0; p < planes; p++) addresses[p] = at + p * stride;
  for (let run = 0; run < runs; run++) addresses[planes + run] = rows + RUN * run;
  scales.fill(1, 0, dimensions);
  if (runs > 0) scales.fill(1, planes, planes + dimensions);
  const search = () => {
    for (let first = 0; first < batch; first += BATCH) {
      const many = Math.min(BATCH, batch - first), from = asked + first * values * 2, to = out + first * K * 8;
      const shape = { planes, runs, stride: dimensions, count, segments: 1, batch: many };
      kernels.search({ table, scale, queries: from, ...shape, scratch }, K, 0, to);
    }
  };
  // Until the engine has compiled the kernel with all that it knows.
  for (const started = performance.now(); performance.now() - started < WARM_UP;) search();
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    search();
    best = Math.min(best, performance.now() - started);
  }
  const found = Int32Array.from(kernels.u32(out, batch * K * 2).filter((_, i) => i % 2 === 0));
  return {
    result: { program: "Patchloom (WebAssembly)", exact: true, time: best * 1000 / batch, recall: 1, build: 0 },
    found,
  };
}

/** Part of the neighbours found that are no farther than the k-th of the true ones. */
function recallOf({ base, queries, dimensions }: Patches, found: Int32Array, truth: Int32Array): number {
  const distance = (query: number, example: number) => {
    if (example < 0) return Infinity;
    let sum = 0;
    for (let p = 0; p < dimensions; p++) sum += (queries[query * dimensions + p] - base[example * dimensions + p]) ** 2;
    return sum;
  };
  let hits = 0;
  for (let query = 0; query < queries.length / dimensions; query++) {
    const list = [...found.subarray(query * K, (query + 1) * K)];
    const farthest = distance(query, truth[query * K + K - 1]);
    hits += new Set(list.filter((example) => distance(query, example) <= farthest)).size;
  }
  return hits / found.length;
}

const folder = await Deno.makeTempDir({ prefix: "patchloom-peers-" });
const here = new URL("./peers/", import.meta.url), absent: string[] = [];

async function run(command: string, args: string[], options: Deno.CommandOptions = {}): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args, ...options }).output();
  if (!success) {
    throw new Error(new TextDecoder().decode(stderr).trim().split("\n").slice(-1)[0] || `${command} failed`);
  }
  return new TextDecoder().decode(stdout);
}

/** A program that was built, or undefined with a line about why it could not be. */
async function built(name: string, make: () => Promise<unknown>): Promise<boolean> {
  try {
    await make();
    return true;
  } catch (error) {
    absent.push(`${name}: ${(error as Error).message}`);
    return false;
  }
}

const compile = (source: string, out: string, ...flags: string[]) =>
  run("g++", ["-O3", "-std=c++17", "-w", new URL(source, here).pathname, "-o", `${folder}/${out}`, ...flags]);
const tiles = [
  ["C++, 128 bits (-march=x86-64-v2)", "x86-64-v2"],
  ["C++, 256 bits (-march=x86-64-v3)", "x86-64-v3"],
  ["C++, -march=native", "native"],
];
const programs: { program: string; exact: boolean; run: (effort: number) => [string, string[]]; efforts?: number[] }[] =
  [];
for (const [program, march] of tiles) {
  if (await built(program, () => compile("tile.cpp", `tile-${march}`, `-march=${march}`))) {
    programs.push({ program, exact: true, run: () => [`${folder}/tile-${march}`, []] });
  }
}
const libraries = ["-march=native", "-fopenmp", "-lfaiss", "-lflann_cpp", "-lopenblas", "-llz4"];
if (await built("faiss, FLANN and hnswlib", () => compile("libraries.cpp", "libraries", ...libraries))) {
  const efforts = [100, 200, 400, 800, 1600, 3200, 6400, 12800];
  for (const method of ["faiss-flat", "flann-linear", "flann-forest", "hnswlib-flat", "hnswlib-graph"]) {
    const exact = !["flann-forest", "hnswlib-graph"].includes(method);
    programs.push({
      program: method.replace("-", " "),
      exact,
      run: (effort) => [`${folder}/libraries`, [method, String(effort)]],
      efforts: exact ? undefined : efforts,
    });
  }
}
const npm = async () => {
  await Deno.copyFile(new URL("usearch.mjs", here), `${folder}/usearch.mjs`);
  await run("npm", ["install", "--no-save", "--no-audit", "--no-fund", `usearch@${USEARCH}`], { cwd: folder });
  await run("node", ["-e", 'require("usearch").exactSearch.name'], { cwd: folder });
};
if (await built("usearch", npm)) {
  programs.push({ program: "usearch exact (npm)", exact: true, run: () => ["node", [`${folder}/usearch.mjs`]] });
}

/** The version of a Debian package. */
const packaged = (name: string) =>
  run("dpkg-query", ["-W", "-f", "${Version}", name]).catch(() => "not a Debian package");
console.log("| contender | version |\n| --- | --- |");
console.log(`| C++ compiler | ${(await run("g++", ["--version"]).catch(() => "absent")).split("\n")[0]} |`);
for (const name of ["libfaiss-dev", "libopenblas-dev", "libflann-dev", "libhnswlib-dev"]) {
  console.log(`| ${name} | ${await packaged(name)} |`);
}
console.log(`| usearch | ${USEARCH} |\n`);

const { origins, cases: all } = await cases();
console.log(`Top ${K}, ${ROUNDS} rounds, fastest, one thread. Data: ${origins.join("; ")}\n`);
for (const { name, patches } of all) {
  const { base, queries, count, dimensions } = patches, asked = queries.length / dimensions;
  await Deno.writeTextFile(`${folder}/shape.txt`, `${count} ${dimensions} ${asked}\n`);
  await Deno.writeFile(`${folder}/base.u8`, base);
  await Deno.writeFile(`${folder}/queries.u8`, queries);
  const { result: own, found: truth } = await ours(patches), results: Result[] = [own];
  for (const { program, exact, run: how, efforts = [0] } of programs) {
    for (const effort of efforts) {
      const [command, [...more]] = how(effort), args = [...more];
      const script = command === "node" ? [args.shift()!] : [];
      const env = { OMP_NUM_THREADS: "1", OPENBLAS_NUM_THREADS: "1" };
      const output = JSON.parse(
        await run(command, [...script, folder, String(K), String(ROUNDS), ...args], { env, cwd: folder }),
      );
      const found = new Int32Array((await Deno.readFile(`${folder}/found.i32`)).buffer);
      const recall = recallOf(patches, found, truth), time = Math.min(...output.seconds) * 1e6 / asked;
      if (exact && recall < 1) throw new Error(`${program} is said to be exact but has a recall of ${recall}`);
      const last = effort === efforts.at(-1);
      if (recall < RECALL && !last) continue;
      results.push({
        program: effort ? `${program}, effort ${effort}` : program,
        exact,
        time,
        recall,
        build: output.build,
      });
      break;
    }
  }
  console.log(`### ${name}: ${count} examples of ${dimensions} bytes, ${asked} queries\n`);
  console.log("| program | us a query | times ours | recall | build, s |\n| --- | --- | --- | --- | --- |");
  for (const { program, time, recall, build } of results) {
    console.log(
      `| ${program} | ${time.toFixed(1)} | ${(time / own.time).toFixed(2)} | ${recall.toFixed(3)} | ${
        build.toFixed(2)
      } |`,
    );
  }
  console.log();
}
for (const [name, label] of [["digits-paper", "3"], ["faces-paper", "all"]]) {
  const script = new URL("kernel.ts", import.meta.url).pathname, dump = `${folder}/${name}`;
  const own = JSON.parse(await run(Deno.execPath(), ["run", "-A", script, name, label])) as KernelSpeed[];
  await run(Deno.execPath(), ["run", "-A", script, name, label, dump]);
  const { searches, time, rate, batch } = own[0], work = rate * time / 1000;
  const row = (program: string, time: number, times: number) =>
    console.log(`| ${program} | ${time.toFixed(1)} | ${times.toFixed(2)} | ${(work / time * 1000 / 1e9).toFixed(1)} |`);
  console.log(`### ${name}: ${searches} searches of a synthesis, ${batch} queries each\n`);
  console.log("| program | us a query | times ours | G multiply-adds/s |\n| --- | --- | --- | --- |");
  row("Patchloom (WebAssembly)", time, 1);
  for (const [program, march] of tiles) {
    const out = `searches-${march}`;
    if (!await built(`${program}, searches`, () => compile("searches.cpp", out, `-march=${march}`))) continue;
    const their = Number(await run(`${folder}/${out}`, [dump, String(ROUNDS)]));
    row(program, their, their / time);
  }
  console.log();
}
for (const line of absent) console.log(`Absent: ${line}`);
await Deno.remove(folder, { recursive: true });
