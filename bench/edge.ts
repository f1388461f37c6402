// What the handler takes on Cloudflare's workerd: CPU time a digit, memory, the compressed size. Needs Node and npm.
import { join } from "@std/path";
import { buildEdge } from "../hosts/deno/build/build_edge.ts";
import { digitsPack } from "../tests/hosts/edge/digits_pack.ts";
import { installed, onWorkers } from "../tests/hosts/edge/runtimes.ts";
import { load } from "./load.ts";

const WARM_UP = 50, REQUESTS = 200;

const miniflare = await installed("miniflare", "4.20260730.0");
if (!miniflare) Deno.exit(1);
const folder = await Deno.makeTempDir();
await buildEdge(folder, digitsPack(400));
await using server = await onWorkers(miniflare, folder);
const workerd = await childOf(server.pid);
await load(server, WARM_UP, 1);
const before = await cpuTime(workerd);
await load(server, REQUESTS, 1);
const each = (await cpuTime(workerd) - before) / REQUESTS;

let size = 0;
for await (const { name } of Deno.readDir(join(folder, "workers"))) {
  const file = new Blob([await Deno.readFile(join(folder, "workers", name))]);
  size += (await new Response(file.stream().pipeThrough(new CompressionStream("gzip"))).bytes()).length;
}
const status = await Deno.readTextFile(`/proc/${workerd}/status`);
const memory = (name: string) => (Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1000).toFixed(0);
console.log(`workerd, 4000 training images: ${each.toFixed(1)} ms of CPU time a digit, after ${WARM_UP} to warm up`);
console.log(`memory of its whole process: ${memory("VmRSS")} MB, at most ${memory("VmHWM")} MB`);
console.log(`script, kernels and pack, compressed: ${(size / 1e6).toFixed(2)} MB`);
await Deno.remove(folder, { recursive: true });

/** The first child of a process. */
async function childOf(pid: number): Promise<number> {
  return Number((await Deno.readTextFile(`/proc/${pid}/task/${pid}/children`)).split(" ")[0]);
}

/** Milliseconds of CPU time that a process has taken; the system counts in hundredths of a second. */
async function cpuTime(pid: number): Promise<number> {
  const [, fields] = (await Deno.readTextFile(`/proc/${pid}/stat`)).split(") ");
  return (Number(fields.split(" ")[11]) + Number(fields.split(" ")[12])) * 10;
}
