/** What workers post, where plugins could post in Patchloom's place. */
import { assertEquals, assertRejects } from "@std/assert";
import { type WorkerThread, workerThread } from "../../../../hosts/deno/threads/worker_thread.ts";

const FORGED = "The plugin ./x.ts posted a message in Patchloom's place";

/** The port of a worker that failed closes with the worker, some time after it was told to end. */
function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name: `workerThread: ${name}`, sanitizeOps: false, sanitizeResources: false, fn });
}

/** Does something with a thread of a worker that loads the plugin ./x.ts and does `code` for each task, with `post`. */
async function withThread(code: string, use: (thread: WorkerThread<unknown, unknown>) => Promise<void>): Promise<void> {
  const source = `self.onmessage = ({ data: { port } }) => {
    const post = (answer) => port.postMessage(answer);
    port.onmessage = ({ data: { task } }) => { ${code} };
  };`;
  const worker = new Worker(`data:text/javascript,${encodeURIComponent(source)}`, { type: "module" });
  const thread = workerThread<unknown, unknown>(worker, undefined, ["./x.ts"]);
  try {
    await use(thread);
  } finally {
    thread.terminate();
  }
}

test("whatever is posted that no worker of Patchloom posts is one sentence", async () => {
  const posted = [
    ...[null, undefined, 5, "step", true, 10n, [], {}, new Map(), new Error("no answer"), { results: 1 }],
    ...[undefined, null, 5, "text", [], {}, { message: null }, { message: 5, stack: "" }].map((error) => ({ error })),
    ...[undefined, null, 5, {}, [], ["late"]].map((late) => ({ late })),
    ...[undefined, null, "1", NaN, -1, Infinity, {}, [1], true].map((step) => ({ step })),
  ];
  for (const answer of posted) {
    await withThread("post(task)", async (thread) => {
      const { message } = await assertRejects(() => thread.run(answer, () => {}), Error);
      assertEquals(message, FORGED, Deno.inspect(answer));
      assertEquals((await assertRejects(() => thread.run(5, () => {}), Error)).message, FORGED, "once and for all");
    });
  }
});

test("errors whose causes have no end", async () => {
  const own: Record<string, unknown> = { message: "around" };
  own.cause = own;
  await withThread("post({ error: task })", async (thread) => {
    await assertRejects(() => thread.run(own, () => {}), Error, "around (in a worker with the plugin ./x.ts)");
  });
});

test("an answer that nothing asked for, after a result", async () => {
  for (const answer of [{ step: 0 }, { result: 1 }, { error: { message: "late" } }]) {
    await withThread("post({ result: 1 }); post(task)", async (thread) => {
      // The second message of a task comes while none is done, or during the next one, whose own ones then come too late.
      for (let n = 0; n < 50; n++) {
        await thread.run(answer, () => {}).catch(() => {});
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      await assertRejects(() => thread.run(answer, () => {}), Error, FORGED);
    });
  }
});

test("what is posted beside a wrong message is not taken for an answer", async () => {
  await withThread("post(null); post({ result: 1 }); post({ step: 1 })", async (thread) => {
    await assertRejects(() => thread.run(0, () => {}), Error, FORGED);
  });
});

test("steps without an end are stopped, those that come early now and then are not", async () => {
  await withThread("for (;;) post({ step: 0 })", async (thread) => {
    await assertRejects(() => thread.run(0, () => {}), Error, FORGED);
  });
  await withThread("for (let n = 0; n < 10; n++) post({ step: 0.1 }); post({ result: task })", async (thread) => {
    for (const task of [1, 2, 3]) {
      let steps = 0;
      assertEquals(await thread.run(task, () => void steps++), task);
      assertEquals(steps, 10);
    }
  });
});
