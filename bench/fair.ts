// What a modest client waits for beside greedy ones: `deno run -A bench/fair.ts [GREEDY CLIENTS] [REQUESTS OF THE MODEST ONE]`
import { digitsPack } from "../tests/hosts/edge/digits_pack.ts";
import { listening, type Running } from "../tests/hosts/edge/runtimes.ts";
import configuration from "../deno.json" with { type: "json" };

/** Images of a greedy request, and how many each greedy client has open at a time. */
const GREEDY_COUNT = 32, GREEDY_OPEN = 2;
/** Requests before anything is measured: with each class in turn, some code is compiled and training images are prepared. */
const WARM = 20;
/** The header in which the clients here are named, as by a proxy. */
const HEADER = "X-Client";

/** Milliseconds that the requests of the modest client took, the fastest first: alone, and beside the greedy clients. */
export interface Fairness {
  readonly alone: readonly number[];
  readonly beside: readonly number[];
  /** How many requests of the greedy clients were answered in the meantime, and their milliseconds. */
  readonly greedy: readonly number[];
}

/** Starts `deno task serve` with a pack. Clients are named by a header. */
export function serving(pack: string): Promise<Running> {
  const [, ...words] = configuration.tasks.serve.command.split(" ");
  return listening(Deno.execPath(), [...words, pack, "--port", "0", "--client-header", HEADER]);
}

/** Asks for an image, or several, and returns the milliseconds until all of the answer is there. */
async function ask(server: Running, client: string, query: string, signal?: AbortSignal): Promise<number> {
  const began = performance.now();
  const response = await server.fetch(`/synth?${query}`, { headers: { [HEADER]: client }, signal });
  const { length } = await response.bytes();
  if (response.status !== 200 || length < 100) throw new Error(`${client}: status ${response.status}`);
  return performance.now() - began;
}

/** Measures what a modest client waits for, which asks for one image after another. */
export async function fairness(server: Running, clients: number, requests: number): Promise<Fairness> {
  const modest = async (from: number, many = requests) => {
    const times: number[] = [];
    for (let n = 0; n < many; n++) times.push(await ask(server, "modest", `seed=${from + n}`));
    return times.sort((a, b) => a - b);
  };
  await modest(1e6, WARM); // the code is compiled, and the training images are prepared
  const alone = await modest(0), stop = new AbortController(), greedy: number[] = [];
  let seed = 2e6;
  const all = Array.from({ length: clients * GREEDY_OPEN }, async (_, n) => {
    while (!stop.signal.aborted) {
      const query = `count=${GREEDY_COUNT}&seed=${seed++}`;
      await ask(server, `greedy ${n % clients}`, query, stop.signal).then((time) => greedy.push(time), () => {});
    }
  });
  await new Promise((resolve) => setTimeout(resolve, 500));
  await modest(1e6, WARM); // the second lane prepares the training images, too
  const beside = await modest(requests);
  stop.abort();
  await Promise.all(all);
  return { alone, beside, greedy };
}

if (import.meta.main) {
  const clients = Number(Deno.args[0] ?? 10), requests = Number(Deno.args[1] ?? 50);
  const pack = await Deno.makeTempFile({ suffix: ".loom" });
  await Deno.writeFile(pack, digitsPack(Number(Deno.args[2] ?? 400)));
  await using server = await serving(pack);
  const { alone, beside, greedy } = await fairness(server, clients, requests);
  const row = (name: string, times: readonly number[]) => {
    const at = (part: number) => times[Math.min(Math.floor(part * times.length), times.length - 1)].toFixed(0);
    console.log(`${name}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, most ${at(1)} ms of ${times.length}`);
  };
  row("alone", alone);
  row(`beside ${clients} greedy clients`, beside);
  if (greedy.length > 0) row(`greedy, ${GREEDY_COUNT} images a request`, greedy.toSorted((a, b) => a - b));
  await Deno.remove(pack);
}
