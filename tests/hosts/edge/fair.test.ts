/** Clients that ask for much beside one that asks for little. */
import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { type Fairness, fairness, greedyClients, REFUSED, serving, sheetQuery } from "../../../bench/fair.ts";
import { writePack } from "../../../datasets/formats/pack.ts";
import { handler } from "../../../hosts/edge/handler.ts";
import { smallPack } from "../../datasets/formats/packs.ts";
import { compiled } from "../../kernels_under_test.ts";
import { withFolder } from "../deno/cli.ts";
import { digitsPack } from "./digits_pack.ts";

const kernels = compiled("kernels.wasm"), packs = [writePack(smallPack())];
const client = (request: Request) => request.headers.get("X-Client") ?? undefined;

Deno.test("fair: one image is made before the sheets that ten clients have asked for", async () => {
  for (const lanes of [2, 1] as const) {
    const answer = handler({ kernels, packs, client, lanes }), log: string[] = [], stop = new AbortController();
    const ask = async (name: string, query: string) => {
      const how = { headers: { "X-Client": name }, signal: stop.signal };
      const response = await answer(new Request(`http://localhost/synth?${query}`, how));
      await response.bytes();
      log.push(`${name} ${response.status}`);
    };
    const greedy = Array.from({ length: 20 }, (_, n) => ask(`greedy ${n % 10}`, `count=64&seed=${n}`));
    await new Promise((resolve) => setTimeout(resolve, 20));
    const before = log.length;
    await ask("modest", "seed=7");
    // With one lane it waits for the sheet that is at work. One or two more may end before the request has reached the queue.
    const place = log.indexOf("modest 200") - before;
    assert(place <= (lanes === 2 ? 2 : 3), `${lanes} lanes: ${log}`);
    stop.abort();
    await Promise.all(greedy);
    assertEquals(log.filter((line) => !/ (200|499)$/.test(line)), []);
  }
});

Deno.test("fair: a client has no more work open than is allowed, and others go on", async () => {
  const answer = handler({ kernels, packs, client, clientWork: 1 });
  const ask = (name: string, query: string, accept = "image/png") => {
    const headers = { "X-Client": name, "Accept": accept };
    return answer(new Request(`http://localhost/synth?${query}`, { headers }));
  };
  const outcome = async (asked: Promise<Response>) => {
    const response = await asked;
    await response.body?.cancel();
    return [response.status, response.headers.has("Retry-After")];
  };
  // The first event shows that the work of the first request is open; there is a pause after each of its hundreds of steps.
  const events = (await ask("2001:db8::1", "count=64", "text/event-stream")).body!.getReader();
  assertEquals((await events.read()).done, false);
  const others = [ask("2001:db8::2", "seed=2"), ask("192.0.2.1", "seed=2")];
  assertEquals(await Promise.all(others.map(outcome)), [[429, true], [200, false]]);
  assertEquals((await events.read()).done, false);
  await events.cancel();
  // The work of the first request ends at its next pause.
  let after = await outcome(ask("2001:db8::2", "seed=2"));
  for (let n = 0; n < 1000 && after[0] === 429; n++) after = await outcome(ask("2001:db8::2", "seed=2"));
  assertEquals(after, [200, false]);
});

Deno.test("fair: requests wait as long as it takes where no time is set for it", async () => {
  for (const waitSeconds of [Infinity, 1e9]) {
    const answer = handler({ kernels, packs, client, lanes: 1, waitSeconds });
    const asked = Array.from({ length: 3 }, (_, n) => answer(new Request(`http://localhost/synth?count=16&seed=${n}`)));
    const statuses = await Promise.all(asked.map(async (response) => {
      const { status } = await response;
      await (await response).bytes();
      return status;
    }));
    assertEquals(statuses, [200, 200, 200]);
  }
});

Deno.test("fair: beside ten greedy clients `serve` answers a modest one as soon as alone, or nearly", async () => {
  await withFolder(async (folder) => {
    const pack = join(folder, "digits.loom");
    await Deno.writeFile(pack, digitsPack(30));
    await using server = await serving(pack);
    const middle = ({ modest }: Fairness) => modest[modest.length >> 1];
    const alone = middle(await fairness(server, 8));
    const queries = { 200: (await sheetQuery(server, "digits"))!, 400: REFUSED };
    for (const [status, query] of Object.entries(queries)) {
      const found = await fairness(server, 8, greedyClients(10, query)), beside = middle(found);
      assert([...found.greedy.keys()].every((one) => `${one}` === status), `${[...found.greedy.keys()]}`);
      // Twice as long and a pause is what is promised. A busy machine takes longer; without turns it would be a hundred times as long.
      assert(beside < 6 * alone + 500, `${alone} ms alone, ${beside} ms beside requests of status ${status}`);
    }
  });
});
