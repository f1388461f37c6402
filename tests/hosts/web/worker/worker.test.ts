import { assert, assertEquals } from "@std/assert";
import type { FromWorker, ToWorker } from "../../../../hosts/web/worker/protocol.ts";
import { type Pack, writePack } from "../../../../datasets/formats/pack.ts";
import { smallPack } from "../../../datasets/formats/packs.ts";

/** The worker, in this thread. Fetched files arrive when the test says so. */
async function startWorker() {
  const global = globalThis as unknown as Record<string, unknown>, names = ["fetch", "postMessage", "onmessage"];
  const before = names.map((name) => global[name]), files = new Map<string, PromiseWithResolvers<Uint8Array>>();
  const said: FromWorker[] = [];
  let id = 0, heard = () => {};
  const fileOf = (name: string) => {
    if (!files.has(name)) files.set(name, Promise.withResolvers());
    return files.get(name)!;
  };
  global.fetch = async (address: URL) => {
    const bytes = await fileOf(address.pathname.split("/").at(-1)!).promise;
    return new Response(bytes as Uint8Array<ArrayBuffer>);
  };
  global.postMessage = (message: FromWorker) => {
    said.push(message);
    heard();
  };
  await import("../../../../hosts/web/worker/worker.ts");
  const listen = global.onmessage as (event: { data: ToWorker }) => void;
  fileOf("kernels.wasm").resolve(
    await Deno.readFile(new URL("../../../../assembly/kernels.wasm", import.meta.url)),
  );
  return {
    /** Asks a question; returns its number. */
    ask(question: object): number {
      listen({ data: { ...question, id: ++id } as ToWorker });
      return id;
    },
    /** Waits for a message of a kind about a question. */
    async heard<Kind extends FromWorker["kind"]>(kind: Kind, id: number) {
      for (;;) {
        const found = said.find((message) => message.kind === kind && message.id === id);
        if (found) return found as Extract<FromWorker, { kind: Kind }>;
        await new Promise<void>((resolve) => heard = resolve);
      }
    },
    said,
    arrive: (name: string, bytes: Uint8Array) => fileOf(name).resolve(bytes),
    [Symbol.dispose]: () => names.forEach((name, i) => global[name] = before[i]),
  };
}

/** The bytes of a pack of blobs, or of the same turned into their negatives. */
function packOf(isNegative: boolean): Uint8Array {
  const pack = smallPack(), { images } = pack.train, pixels = images.pixels.map((byte) => 255 - byte);
  const negative: Pack = { ...pack, train: { ...pack.train, images: { ...images, pixels } } };
  return writePack(isNegative ? negative : pack);
}

Deno.test({
  name: "the worker: a pack that is superseded while it loads is not kept where the newer one fails to open",
  // The worker keeps its channel of messages.
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    using worker = await startWorker();
    const requests = [{ class: 5, seed: 3, images: [1] }];
    const drawn = async () => {
      const { images: [{ pixels }] } = await worker.heard("result", worker.ask({ kind: "synthesize", requests }));
      return pixels;
    };
    await worker.heard("opened", worker.ask({ kind: "open", from: packOf(false) }));
    const before = await drawn(), slow = worker.ask({ kind: "open", from: "slow.loom" });
    await worker.heard("begun", slow);
    const damaged = worker.ask({ kind: "open", from: packOf(false).slice(0, 100) });
    worker.arrive("slow.loom", packOf(true));
    await worker.heard("failed", damaged);
    assertEquals(await drawn(), before);
    assert(!worker.said.some(({ kind, id }) => kind === "opened" && id === slow));
    await worker.heard("opened", worker.ask({ kind: "open", from: packOf(true) }));
    assert(String(await drawn()) !== String(before), "another pack makes other pictures");
  },
});
