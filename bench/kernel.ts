/**
 * Measures the search kernel alone, on searches of a real synthesis: `deno run -A bench/kernel.ts PROFILE CLASS|all` prints one
 * JSON line. With a folder as third argument it writes the searches there instead, for programs in other languages:
 *
 * - `searches.txt`: a line for each search: planes, count, segments, batch, k and FILE;
 * - `FILE.planes.u8`: `segments` x `planes` x `count` bytes; `FILE.scale.i16`: `planes`; `FILE.queries.i16`: `batch` x
 *   `planes`; `FILE.keys.u64`: the result, `batch` x min(k, segments x count) of distance << 32 | index, where distance is the
 *   sum of (scale * byte - query)^2 and index = segment * count + example. All little-endian.
 */
import { loadKernels, searchScratch } from "../core/kernels.ts";
import { profiles } from "../datasets/profiles/mod.ts";
import { findData } from "../hosts/deno/data/find_data.ts";
import { type RecordedSearch, recordSearches } from "./searches.ts";

/** The speed of searches for batches of one size. */
export interface KernelSpeed {
  /** Queries of a batch. */
  readonly batch: number;
  /** Number of searches that were measured. */
  readonly searches: number;
  /** Planes of the largest search. */
  readonly planes: number;
  /** Examples of the largest search. */
  readonly examples: number;
  /** Neighbours that are found for each query. */
  readonly k: number;
  /** Microseconds a query, the mean over all searches; the fastest round. */
  readonly time: number;
  /** Planes x examples a second, counting those that bounds rule out. */
  readonly rate: number;
}

const BATCHES = [64, 32, 16, 4, 1], ROUNDS = 5;
/** The searches of a layer that are measured: evenly spaced stretches of searches that follow each other as in synthesis. */
const STRETCHES = 3, LENGTH = 16;

if (import.meta.main) {
  const [name, label, folder] = Deno.args, { dataset } = profiles[name];
  const bytes = await Deno.readFile(new URL("../assembly/kernels.wasm", import.meta.url));
  const kernels = loadKernels(await WebAssembly.compile(bytes)), data = await findData(dataset);
  const all = recordSearches(kernels, profiles[name], data, BATCHES[0], label === "all" ? undefined : Number(label));
  const chosen = all.filter((_, i) => i % Math.ceil(all.length / STRETCHES) < LENGTH);
  const size = (field: keyof RecordedSearch) => Math.max(...chosen.map((search) => search[field]));
  const scratch = kernels.allocate(searchScratch(size("planes"), BATCHES[0], size("k")));
  const out = kernels.allocate(BATCHES[0] * size("k") * 8);
  const search = ({ k, hints, ...comparison }: RecordedSearch, batch: number) =>
    kernels.search({ ...comparison, batch, scratch }, k, hints, out);

  if (folder !== undefined) {
    await Deno.mkdir(folder, { recursive: true });
    const list: string[] = [];
    for (const [i, one] of chosen.entries()) {
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
    const largest = Math.max(...chosen.map(({ planes, count, segments }) => planes * count * segments));
    const { planes, count, segments, k } = chosen.find((a) => a.planes * a.count * a.segments === largest)!;
    const speeds = BATCHES.map((batch): KernelSpeed => {
      let time = Infinity;
      for (let round = 0; round < ROUNDS; round++) {
        const begin = performance.now();
        for (const one of chosen) search(one, batch);
        time = Math.min(time, (performance.now() - begin) / chosen.length / batch);
      }
      const work = chosen.reduce((sum, one) => sum + one.planes * one.count * one.segments, 0) / chosen.length;
      const shape = { searches: chosen.length, planes, examples: count * segments, k };
      return { batch, ...shape, time: time * 1000, rate: work / time * 1000 };
    });
    console.log(JSON.stringify(speeds));
  }
}
