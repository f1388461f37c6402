import { assertEquals, assertRejects } from "@std/assert";
import { startClient, type WorkerLike } from "../../../../hosts/web/worker/client.ts";
import type { FromWorker, OpenedPack, ToWorker } from "../../../../hosts/web/worker/protocol.ts";

/** Workers that record their questions; the test answers in their place. */
function workers() {
  const all: { asked: ToWorker[]; ended: boolean; say(message: FromWorker): void; fail(message: string): void }[] = [];
  const start = (): WorkerLike => {
    const worker: WorkerLike = {
      onmessage: null,
      onerror: null,
      postMessage: (question: ToWorker) => void all[n].asked.push(question),
      terminate: () => void (all[n].ended = true),
    };
    const n = all.push({
      asked: [],
      ended: false,
      say: (data) => worker.onmessage!.call(worker as Worker, new MessageEvent("message", { data })),
      fail: (message) => worker.onerror!.call(worker as Worker, new ErrorEvent("error", { message })),
    }) - 1;
    return worker;
  };
  return { all, start };
}
const kinds = (asked: readonly ToWorker[]) => asked.map(({ kind, id }) => `${kind} ${id}`);
const request = { seed: 1, images: [0] }, at = { layer: 0, iteration: 0, y: 0, x: 0 };

Deno.test("client: each question gets its own answer, and a superseded one gets none", async () => {
  const { all, start } = workers(), client = startClient(start, () => {}), coming: unknown[] = [];
  let first = "waits";
  client.synthesize([request], () => coming.push("first")).then(() => first = "answered");
  const second = client.synthesize([request], ({ kind }) => coming.push(kind));
  const third = client.trace(request, at);
  all[0].say({ kind: "synthesized", id: 1 });
  all[0].say({ kind: "refused", id: 2, request: 0, sentence: "No" });
  all[0].say({ kind: "synthesized", id: 2 });
  all[0].say({ kind: "failed", id: 3, sentence: "It failed" });
  await second;
  await assertRejects(() => third, Error, "It failed");
  assertEquals([first, coming], ["waits", ["refused"]]);
});

Deno.test("client: a worker that is silent while it owes an answer is replaced by a new one with the same pack", async () => {
  let now = 0;
  const { all, start } = workers(), client = startClient(start, () => {}, () => now);
  const open = client.open("digits.loom");
  all[0].say({ kind: "opened", id: 1, pack: {} as OpenedPack });
  await open;
  now = 60_000; // no answer is owed: silence means nothing
  client.synthesize([request], () => {});
  now += 1000;
  client.synthesize([request], () => {});
  assertEquals([all.length, kinds(all[0].asked)], [1, ["open 1", "synthesize 2", "synthesize 3"]]);
  now += 1000;
  all[0].say({ kind: "result", id: 3, request: 0, images: [] });
  now += 1400;
  client.trace(request, at);
  assertEquals(all.length, 1);
  now += 5000;
  client.synthesize([request], () => {});
  assertEquals([all.length, all[0].ended], [2, true]);
  assertEquals(kinds(all[1].asked), ["open 1", "synthesize 5"]);
  now += 5000;
  client.open(new Uint8Array(3));
  assertEquals(kinds(all[2].asked), ["open 6"]);
});

Deno.test("client: a question that waits for superseded work goes to a new worker, and one that waits for other work waits", () => {
  const timers = new Map<unknown, () => void>(), { setTimeout, clearTimeout } = globalThis;
  let now = 0, last = 0;
  globalThis.setTimeout = ((run: () => void) => timers.set(++last, run) && last) as unknown as typeof setTimeout;
  globalThis.clearTimeout = (timer) => void timers.delete(timer);
  try {
    const { all, start } = workers(), client = startClient(start, () => {}, () => now);
    const later = () => {
      const due = [...timers.values()];
      timers.clear();
      for (const run of due) run();
    };
    client.synthesize([request], () => {});
    all[0].say({ kind: "begun", id: 1 });
    now += 1000;
    client.makeTexture(new Uint8Array(), "waits.png");
    now += 2000;
    later();
    assertEquals([all.length, timers.size], [1, 1], "the synthesis is still wanted");
    client.cancel();
    assertEquals(all.length, 2, "silent for long when it is asked");
    all[1].say({ kind: "cancelled", id: 3 });

    client.synthesize([request], () => {});
    all[1].say({ kind: "begun", id: 4 });
    now += 1000;
    client.open("faces.loom");
    later();
    assertEquals([all.length, timers.size], [2, 1], "not silent for long");
    now += 1600;
    later();
    assertEquals([all.length, all[1].ended, kinds(all[2].asked)], [3, true, ["open 5"]]);
    all[2].say({ kind: "begun", id: 5 });
    now += 60_000;
    later();
    assertEquals([all.length, timers.size], [3, 0], "it works on it");
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout });
  }
});

Deno.test("client: a worker that fails is reported in one sentence", () => {
  const { all, start } = workers(), said: string[] = [];
  startClient(start, (sentence) => said.push(sentence));
  all[0].fail("out of memory");
  all[0].fail("");
  assertEquals(said, ["The page's worker failed: out of memory.", "The page's worker failed: it could not be loaded."]);
});
