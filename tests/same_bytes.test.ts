/**
 * The same request gives the same bytes on every host: the command line, on one thread and on two in turn, and the handler of
 * `hosts/edge`, as its examples serve it, on Deno, Node, Cloudflare's workerd, Vercel's edge runtime and in Chromium.
 * To add a host, add a line to HOSTS.
 */
import { assert, assertEquals, assertLess } from "@std/assert";
import { join } from "@std/path";
import { buildEdge } from "../hosts/deno/build/build_edge.ts";
import { fitsLong } from "../hosts/edge/served_profiles.ts";
import { builtins } from "../plugins/mod.ts";
import { openSession, synthesized, withFolder } from "./hosts/deno/cli.ts";
import { digitsPack } from "./hosts/edge/digits_pack.ts";
import * as on from "./hosts/edge/runtimes.ts";

/** A request for one image. */
interface Request {
  readonly class: number | "all";
  readonly seed: number;
  readonly image: number;
  readonly prior?: string;
  readonly context?: string;
  readonly set?: string;
}

/** The priors that the handler offers: those whose fit takes no seconds. */
const priors = builtins.plugins.filter((plugin) => plugin.kind === "prior" && !fitsLong(plugin)).map(({ name }) =>
  name
);
const REQUESTS: readonly Request[] = [
  ...[7, Number.MAX_SAFE_INTEGER].map((seed) => ({ class: 3, seed, image: 0 })),
  ...priors.map((prior) => ({ class: 5, seed: 7, image: 1, prior })),
  { class: 5, seed: 7, image: 1, prior: "detail", set: "layers.0.prior.gain=1.4" }, // a layer of its own, as in `faces`
  ...["horizontal", "mirror", "none"].map((context) => ({ class: 8, seed: 7, image: 2, context })),
  ...["zStep=mean", "layers.0.window=3"].map((set) => ({ class: 2, seed: 7, image: 0, set })),
  { class: "all", seed: 7, image: 3 },
];

/** A host: returns the PNG of each request. */
type Host = (folder: string) => Promise<Uint8Array<ArrayBuffer>[]>;

/** Paths below a folder: the pack that all hosts use, and the bundles built with it. */
const packIn = (folder: string) => join(folder, "digits.loom");
const builtIn = (folder: string) => join(folder, "edge");

/** The command line, on one thread and on two in turn; its images are in files. */
const synth: Host = async (folder) => {
  const pictures: Uint8Array<ArrayBuffer>[] = [], session = openSession("synth");
  for (const [n, { image, ...flags }] of REQUESTS.entries()) {
    const out = await Deno.makeTempDir({ dir: folder }),
      words = Object.entries(flags).flatMap(([name, value]) => {
        return [`--${name}`, String(value)];
      });
    const more = ["--profile", "digits", "--data", packIn(folder), "--count", "4", "--threads", String(1 + n % 2)];
    await synthesized(out, [...more, ...words], { session });
    pictures.push(await Deno.readFile(join(out, `images/000${image}.png`)));
  }
  await session.close();
  return pictures;
};

/** A host that serves the handler; it must also answer as HTTP requires. */
const serving = (start: (folder: string) => Promise<on.Running>): Host => async (folder) => {
  await using host = await start(folder);
  const pictures: Uint8Array<ArrayBuffer>[] = [];
  for (const request of REQUESTS) {
    const query = new URLSearchParams(Object.entries(request).map(([name, value]) => [name, String(value)]));
    const response = await host.fetch(`/synth?${query}`), bytes = await response.bytes();
    assertEquals(response.status, 200, new TextDecoder().decode(bytes));
    pictures.push(bytes);
  }
  await assertServes(host);
  return pictures;
};

async function assertServes(host: on.Running): Promise<void> {
  const text = async (path: string, init?: RequestInit) => {
    const response = await host.fetch(path, init);
    return [response, await response.text()] as const;
  };
  const [{ headers }] = await text("/synth?class=3"), etag = headers.get("ETag")!;
  const [known, empty] = await text("/synth?class=3", { headers: { "If-None-Match": etag } });
  assertEquals([known.status, empty], [304, ""]);
  // The length of an image that was not synthesized is unknown.
  const [head, none] = await text("/synth?class=3", { method: "HEAD" });
  assertEquals([head.status, none, head.headers.get("ETag"), head.headers.get("Content-Length")], [
    200,
    "",
    etag,
    null,
  ]);
  const [unmodified] = await text("/synth?class=3", { method: "HEAD", headers: { "If-None-Match": etag } });
  assertEquals(unmodified.status, 304);
  const [problem, told] = await text("/synth?count=1000");
  assertEquals([problem.status, JSON.parse(told).parameter], [400, "count"]);
  const [stream, events] = await text("/synth/stream?class=3");
  assertEquals(stream.headers.get("Content-Type"), "text/event-stream");
  assertEquals(events.match(/^event: \w+/gm), [...Array(14).fill("event: step"), "event: done"]);
  const [, page] = await text("/");
  assert(page.includes("<h1>Patchloom</h1>"));
  // A client that disconnects, during its request or while waiting, must not block others.
  const abort = new AbortController();
  const gone = ["/synth?count=24", "/synth/stream?count=24", "/synth?count=24&class=1"].map((path) => {
    return host.fetch(path, { signal: abort.signal }).then((response) => response.text()).catch(() => {});
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  abort.abort();
  const [{ status }] = await text("/synth?class=4");
  assertEquals(status, 200);
  await Promise.all(gone);
}

const miniflare = await on.installed("miniflare", "4.20260730.0");
const edgeRuntime = await on.installed("edge-runtime", "4.0.1");
const HOSTS: Record<string, { host: Host; here: boolean }> = {
  "synth": { host: synth, here: true },
  "Deno": { host: serving((folder) => on.onDeno([packIn(folder)])), here: true },
  "Node": {
    host: serving(async (folder) => on.onNode(await on.installPackage(join(folder, "npm")), [packIn(folder)])),
    here: await on.node(),
  },
  "workerd": { host: serving((folder) => on.onWorkers(miniflare!, builtIn(folder))), here: miniflare !== undefined },
  "edge-runtime": {
    host: serving((folder) => on.onEdgeRuntime(edgeRuntime!, builtIn(folder))),
    here: edgeRuntime !== undefined,
  },
  "Chromium": { host: serving((folder) => on.onChromium(folder, packIn(folder))), here: on.chromium() },
};

Deno.test("the same bytes on every host", async (t) => {
  await withFolder(async (folder) => {
    const pack = digitsPack(10), told: Record<string, string[]> = {};
    await Deno.writeFile(packIn(folder), pack);
    await buildEdge(builtIn(folder), pack);
    for (const [name, { host, here }] of Object.entries(HOSTS)) {
      await t.step({
        name,
        ignore: !here,
        async fn() {
          const pictures = await host(folder);
          told[name] = await Promise.all(pictures.map(async (bytes) => {
            return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
          }));
          const [first] = Object.values(told);
          assertEquals(told[name], first);
          assertEquals(new Set(told[name]).size, REQUESTS.length);
        },
      });
    }
    assert(Object.keys(told).length >= 2);
  });
});

Deno.test("the example for Workers, with all 4000 built-in digits, stays below 3 MB compressed", async () => {
  await withFolder(async (folder) => {
    await buildEdge(folder, digitsPack(400));
    let size = 0;
    for await (const { name } of Deno.readDir(join(folder, "workers"))) {
      const file = new Blob([await Deno.readFile(join(folder, "workers", name))]);
      const compressed = file.stream().pipeThrough(new CompressionStream("gzip"));
      size += (await new Response(compressed).bytes()).length;
    }
    assertLess(size, 3e6);
  });
});
