// Load on `deno serve`: requests, errors, latencies and memory. `deno run -A bench/load.ts [REQUESTS] [AT A TIME] [PACK]`
import { digitsPack } from "../tests/hosts/edge/digits_pack.ts";
import { onDeno, type Running } from "../tests/hosts/edge/runtimes.ts";

/** What a load did to a server. */
export interface Load {
  /** Milliseconds, the fastest first. */
  readonly latencies: readonly number[];
  /** Answers that were no PNG, by what they were. */
  readonly errors: Readonly<Record<string, number>>;
  /** Resident memory in MB after each tenth of the requests. */
  readonly memory: readonly number[];
}

/** Sends requests for images, each another one, so many at a time. */
export async function load(server: Running, requests: number, atATime: number): Promise<Load> {
  const latencies: number[] = [], errors: Record<string, number> = {}, memory: number[] = [];
  let next = 0;
  await Promise.all(Array.from({ length: atATime }, async () => {
    for (let i = next++; i < requests; i = next++) {
      const began = performance.now();
      const what = await server.fetch(`/synth?image=${i}&seed=${i % 7}`).then(async (response) => {
        const bytes = await response.bytes();
        return response.status === 200 && bytes[1] === 0x50 ? "" : `status ${response.status}`;
      }).catch((error) => error.message);
      latencies.push(performance.now() - began);
      if (what) errors[what] = (errors[what] ?? 0) + 1;
      if (latencies.length % Math.ceil(requests / 10) === 0) memory.push(await residentMemory(server.pid));
    }
  }));
  return { latencies: latencies.sort((a, b) => a - b), errors, memory };
}

/** A process's resident memory in MB; NaN where the system does not tell. */
async function residentMemory(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`).catch(() => "");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1000;
}

if (import.meta.main) {
  const [requests, atATime] = [Number(Deno.args[0] ?? 1000), Number(Deno.args[1] ?? 16)];
  const made = await Deno.makeTempFile({ suffix: ".loom" }), pack = Deno.args[2] ?? made;
  await Deno.writeFile(made, digitsPack(400));
  await using server = await onDeno([pack]);
  const began = performance.now(), { latencies, errors, memory } = await load(server, requests, atATime);
  const seconds = (performance.now() - began) / 1000, at = (part: number) => latencies[Math.floor(part * requests)];
  console.log(
    `${requests} requests, ${atATime} at a time, in ${seconds.toFixed(1)} s: ${
      (requests / seconds).toFixed(0)
    } a second`,
  );
  console.log(`errors: ${JSON.stringify(errors)}`);
  console.log(`latency: p50 ${at(0.5).toFixed(0)} ms, p95 ${at(0.95).toFixed(0)} ms, p99 ${at(0.99).toFixed(0)} ms`);
  console.log(`memory after each tenth: ${memory.map((mb) => mb.toFixed(0)).join(" ")} MB`);
  await Deno.remove(made);
}
