/** How `serve` ends at a signal. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import type { QueueLoad } from "../../../hosts/edge/turns.ts";
import { until } from "../../until.ts";
import { withFolder } from "../deno/cli.ts";
import { digitsPack } from "./digits_pack.ts";
import { onDeno, type Running } from "./runtimes.ts";

/** Windows has no signals that a process can send to another one. */
const ignore = Deno.build.os === "windows";

/** Calls `work` with a server of digits. */
async function withServer(work: (server: Running) => Promise<void>, ...flags: readonly string[]): Promise<void> {
  await withFolder(async (folder) => {
    const pack = join(folder, "digits.loom");
    await Deno.writeFile(pack, digitsPack(30));
    await using server = await onDeno([pack, ...flags]);
    await work(server);
  });
}

/** Waits until so many requests are open. */
async function untilOpen(server: Running, count: number): Promise<void> {
  await until(`${count} open requests`, async () => {
    const { requests }: { requests: QueueLoad } = await (await server.fetch("/health")).json();
    return requests.working + requests.waiting === count;
  });
}

/** Opens streams that take half a minute together. Returns a function that waits until they have ended. */
async function openStreams(server: Running): Promise<() => Promise<unknown>> {
  const read = async (seed: number) => await (await server.fetch(`/synth/stream?count=64&seed=${seed}`)).bytes();
  const streams = Promise.allSettled(Array.from({ length: STREAMS }, (_, seed) => read(seed)));
  await untilOpen(server, STREAMS);
  return () => streams;
}

/** A stream takes nearly a second of a core. */
const STREAMS = 40, LIMITS = ["--work", "1e12"];

Deno.test(
  "serve: at SIGTERM and SIGINT it takes no new connection, and finishes what is open",
  { ignore },
  async () => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      await withServer(async (server) => {
        const path = "/synth?count=16&class=3", expected = await (await server.fetch(path)).bytes();
        const open = server.fetch(path);
        await untilOpen(server, 1);
        Deno.kill(server.pid, signal);
        const response = await open;
        assertEquals([response.status, await response.bytes()], [200, expected]);
        assertEquals((await server.status).code, 0);
        await assertRejects(() => server.fetch("/health"), TypeError);
      });
    }
  },
);

Deno.test("serve: streams and half requests end after 8 seconds, before Docker's 10", { ignore }, async () => {
  await withServer(async (server) => {
    const streams = await openStreams(server);
    const { url, body } = await server.fetch("/health"), port = Number(new URL(url).port);
    await body?.cancel();
    using half = await Deno.connect({ hostname: "127.0.0.1", port });
    await half.write(new TextEncoder().encode("GET /health HTTP/1.1\r\nHost: x\r\nX-A"));
    const began = performance.now();
    Deno.kill(server.pid, "SIGTERM");
    await until("the end of listening", async () => {
      const open = await Deno.connect({ hostname: "127.0.0.1", port }).catch(() => undefined);
      open?.close();
      return open === undefined;
    });
    assertEquals((await server.status).code, 0);
    const seconds = (performance.now() - began) / 1000;
    assert(seconds > 7.5 && seconds < 10, `${seconds} s`);
    await streams();
  }, ...LIMITS);
});

Deno.test("serve: a second signal ends it at once", { ignore }, async () => {
  await withServer(async (server) => {
    const streams = await openStreams(server), began = performance.now();
    Deno.kill(server.pid, "SIGTERM");
    // A terminal and `deno task` may send one key press twice.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    Deno.kill(server.pid, "SIGTERM");
    assertEquals((await server.status).code, 143);
    assert(performance.now() - began < 6000);
    await streams();
  }, ...LIMITS);
});

Deno.test("serve: flags set the limits of requests", async () => {
  await withServer(async (server) => {
    const { limits } = await (await server.fetch("/profiles")).json();
    assertEquals(limits, { ...limits, count: 25, work: 3e10, memory: 1e8 });
    const ask = async (query: string) => {
      const response = await server.fetch(`/synth?${query}`), text = await response.text();
      return [response.status, response.ok || JSON.parse(text).parameter];
    };
    assertEquals(await ask("count=26"), [400, "count"]);
    const [open, refused] = [server.fetch("/synth?count=25&seed=8"), untilOpen(server, 1).then(() => ask("seed=9"))];
    assertEquals([await refused, (await open).status], [[503, undefined], 200]);
    await (await open).body?.cancel();
  }, ...["--count", "25", "--work", "3e10", "--memory", "100000000", "--waiting", "1", "--wait-seconds", "5"]);
});
