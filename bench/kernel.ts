/**
 * The search kernel alone, on what the engine asks of it while it synthesizes: `deno run -A bench/kernel.ts PROFILE CLASS|all`
 * prints one JSON line. With a third word, a folder, it writes the searches there instead, for programs in other languages:
 *
 * - `searches.txt`: a line for each search: planes, count, segments, batch, k and FILE;
 * - `FILE.planes.u8`: `segments` x `planes` x `count` bytes; `FILE.scale.i16`: `planes`; `FILE.queries.i16`: `batch` x
 *   `planes`; `FILE.keys.u64`: the answer, `batch` x min(k, segments x count) of distance << 32 | index, where distance is the
 *   sum of (scale * byte - query)^2 and index = segment * count + example. All little-endian.
 */
import { loadKernels, searchScratch } from "../core/kernels.ts";
import { profiles } from "../datasets/profiles/mod.ts";
import { findData } from "../hosts/deno/data/find_data.ts";
import { type RecordedSearch, recordSearches } from "./searches.ts";

/** How fast one shape of batch is searched for. */
export interface KernelSpeed {
  readonly batch: number;
  readonly searches: number;
  /** Planes and examples of the largest search. */
  readonly planes: number;
  readonly examples: number;
  readonly k: number;
  /** Microseconds a query, on average over all searches of the layer; the fastest round. */
  readonly time: number;
  /** Planes x examples a second, as if none were left out. */
  readonly rate: number;
}

const BATCHES = [64, 32, 16, 4, 1], ROUNDS = 5;
/** Searches of a layer that are asked: some stretches, evenly spaced, of so many that follow each other as in synthesis. */
const STRETCHES = 3, LENGTH = 16;

if (import.meta.main) {
  const [name, label, folder] = Deno.args, { dataset } = profiles[name];
  const bytes = await Deno.readFile(new URL("../assembly/kernels.wasm", import.meta.url));
  const kernels = loadKernels(await WebAssembly.compile(bytes)), data = await findData(dataset);
  const all = recordSearches(kernels, profiles[name], data, BATCHES[0], label === "all" ? undefined : Number(label));
  const asked = all.filter((_, i) => i % Math.ceil(all.length / STRETCHES) < LENGTH);
  const size = (field: keyof RecordedSearch) => Math.max(...asked.map((search) => search[field]));
  const scratch = kernels.allocate(searchScratch(size("planes"), BATCHES[0], size("k")));
  const out = kernels.allocate(BATCHES[0] * size("k") * 8);
  const search = ({ k, hints, ...comparison }: RecordedSearch, batch: number) =>
    kernels.search({ ...comparison, batch, scratch }, k, hints, out);

  if (folder !== undefined) {
    await Deno.mkdir(folder, { recursive: true });
    const list: string[] = [];
    for (const [i, one] of asked.entries()) {
      const { planes, runs, count, segments, batch, k } = one, file = String(i), found = search(one, batch);
      const write = (suffix: string, parts: readonly Uint8Array[]) => {
        const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
        parts.reduce((at, part) => (bytes.set(part, at), at + part.length), 0);
        return Deno.writeFile(`${folder}/${file}.${suffix}`, bytes);
      };
      const places = planes + runs, breadth = planes + 8 * runs;
      const addresses = [...kernels.u32(one.table, segments * places)].filter((_, i) => i % places < planes);
      await write("planes.u8", addresses.map((at) => kernels.u8(at, count)));
      await write("scale.i16", [kernels.u8(one.scale, planes * 2)]);
      const query = (_: unknown, b: number) => kernels.u8(one.queries + b * breadth * 2, planes * 2);
      await write("queries.i16", Array.from({ length: batch }, query));
      await write("keys.u64", Array.from({ length: batch }, (_, b) => kernels.u8(out + b * k * 8, found * 8)));
      list.push([planes, count, segments, batch, k, file].join(" "));
    }
    await Deno.writeTextFile(`${folder}/searches.txt`, list.join("\n") + "\n");
    console.log(`${list.length} searches of ${data.origin}: ${folder}/searches.txt`);
  } else {
    const largest = Math.max(...asked.map(({ planes, count, segments }) => planes * count * segments));
    const { planes, count, segments, k } = asked.find((a) => a.planes * a.count * a.segments === largest)!;
    const speeds = BATCHES.map((batch): KernelSpeed => {
      let time = Infinity;
      for (let round = 0; round < ROUNDS; round++) {
        const begin = performance.now();
        for (const one of asked) search(one, batch);
        time = Math.min(time, (performance.now() - begin) / asked.length / batch);
      }
      const work = asked.reduce((sum, one) => sum + one.planes * one.count * one.segments, 0) / asked.length;
      const shape = { searches: asked.length, planes, examples: count * segments, k };
      return { batch, ...shape, time: time * 1000, rate: work / time * 1000 };
    });
    console.log(JSON.stringify(speeds));
  }
}
