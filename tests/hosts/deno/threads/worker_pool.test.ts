import { assert, assertEquals, assertRejects } from "@std/assert";
import { runPool } from "../../../../hosts/deno/threads/worker_pool.ts";
import { workerThread } from "../../../../hosts/deno/threads/worker_thread.ts";

/** Runs tasks on workers of a module. Returns whether all were finished. */
async function run<T, R>(
  module: string,
  threads: number,
  tasks: readonly T[],
  result: (result: R, task: number) => void | Promise<void>,
  more: { signal?: AbortSignal; step?: (part: number) => void } = {},
): Promise<boolean> {
  const start = () => workerThread<T, R>(new Worker(module, { type: "module" }), undefined, []);
  const { signal, step } = more;
  let finished = 0;
  for await (const event of runPool({ threads, tasks, start, signal })) {
    if (event.type === "progress") step?.(event.part);
    else {
      await result(event.result, event.task);
      finished++;
    }
  }
  return finished === tasks.length;
}

/** A worker of the code given, which sees each task as `task` and answers with `post`. */
function worker(code: string, before = ""): string {
  return `data:text/javascript,${
    encodeURIComponent(`${before}
      self.onmessage = ({ data: { port } }) => {
        const post = (answer) => port.postMessage(answer);
        port.onmessage = async ({ data: { task } }) => { ${code} };
      };`)
  }`;
}

const DOUBLE = worker("post({ result: 2 * task })");
/** Nothing may be left running. */
const strict = { sanitizeOps: true, sanitizeResources: true, sanitizeExit: true };

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

Deno.test({
  name: "runPool: every result once and with its task, for any number of threads, more than tasks too",
  ...strict,
  async fn() {
    for (const [threads, count] of [[1, 7], [2, 7], [3, 7], [8, 3], [64, 1], [2, 0], [1, 1]]) {
      const results: [number, number][] = [];
      await run<number, number>(
        DOUBLE,
        threads,
        numbers(count),
        (result, task) => void results.push([task, result]),
      );
      results.sort(([a], [b]) => a - b);
      assertEquals(results, numbers(count).map((task) => [task, 2 * task]), `${threads} threads, ${count} tasks`);
    }
  },
});

Deno.test("runPool: tasks start in their order, one at a time on each worker, no more workers than asked for", async () => {
  // Each worker counts its tasks; results tell which worker it was.
  const counting = worker(
    `const number = ++count; await new Promise((done) => setTimeout(done, 5));
     post({ result: { name, number, busy: number - finished++ } });`,
    "let count = 0, finished = 0; const name = crypto.randomUUID();",
  );
  const found: { name: string; number: number; busy: number }[] = [], tasks: Record<string, number[]> = {};
  await run<number, typeof found[number]>(counting, 2, numbers(9), (result, task) => {
    found.push(result);
    (tasks[result.name] ??= []).push(task);
  });
  assertEquals(new Set(found.map(({ name }) => name)).size, 2);
  assert(found.every(({ busy }) => busy === 1), "a second task came before the first was done");
  for (const own of Object.values(tasks)) assertEquals(own, own.toSorted((a, b) => a - b));
});

Deno.test("runPool: a slow task holds up nobody but its worker", async () => {
  // The first task ends when all others have; if it held them up, after a while, and not as the last one.
  const slow = worker(`
    if (task.gate) await Atomics.waitAsync(new Int32Array(task.gate), 0, 0, 10000).value;
    post({ result: task.number });`);
  const gate = new SharedArrayBuffer(4), open = new Int32Array(gate), order: number[] = [];
  const tasks = [{ number: 400, gate }, ...[1, 2, 3, 4].map((number) => ({ number }))];
  await run<typeof tasks[number], number>(slow, 2, tasks, (result) => {
    if (order.push(result) < 4) return;
    Atomics.store(open, 0, 1);
    Atomics.notify(open, 0);
  });
  assertEquals(order, [1, 2, 3, 4, 400]);
});

Deno.test("runPool: a step is not taken for a result; a result may be null or 0", async () => {
  const stepping = worker(
    "post({ step: 0.5 }); post({ step: 0.5 }); post({ result: task })",
  );
  const found: unknown[] = [];
  let steps = 0;
  await run<unknown, unknown>(stepping, 1, [0, null, "x"], (result) => void found.push(result), {
    step: (part) => void (steps += 2 * part),
  });
  assertEquals([found, steps], [[0, null, "x"], 6]);
});

Deno.test({
  name: "runPool: where a task fails no more are given out, and its sentence is thrown once nothing runs",
  ...strict,
  async fn() {
    const failing = worker(
      `if (task === 3) return post({ error: { message: "three is wrong" } });
       await new Promise((done) => setTimeout(done, task === 2 ? 300 : task > 3 ? 100 : 1)); post({ result: task })`,
    );
    for (const threads of [1, 2, 3]) {
      const results: number[] = [];
      const running = run<number, number>(failing, threads, numbers(20), (result) => void results.push(result));
      const error = await assertRejects(() => running, Error, "three is wrong");
      assertEquals(error.message, "three is wrong");
      for (const task of [0, 1, 2]) assert(results.includes(task), `${task} was not waited for`);
      assert(Math.max(...results) < 3 + threads, `${threads} threads went on to ${Math.max(...results)}`);
    }
  },
});

Deno.test("runPool: an exception in a task hangs nothing", async () => {
  await assertRejects(() => run(worker("throw new Error('in a task')"), 1, [1, 2, 3], () => {}), Error, "in a task");
});

Deno.test({
  name: "runPool: an exception at a worker's start and a module that is not there hang nothing",
  // On a busy machine the worker has ended before it received the port, and the runtime keeps the port for it.
  sanitizeResources: false,
  async fn() {
    const broken: [string, string][] = [
      [worker("", "throw new Error('at the start');"), "at the start"],
      ["data:text/javascript,this is no code", "Expected"],
      [new URL("./no_such_worker.js", import.meta.url).href, ""],
    ];
    for (const [module, text] of broken) {
      await assertRejects(() => run(module, 1, [1, 2, 3], () => {}), Error, text);
    }
  },
});

Deno.test("runPool: what `each` does is waited for, and what it throws is thrown", async () => {
  let running = 0, most = 0, done = 0;
  await run<number, number>(DOUBLE, 1, numbers(4), async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 5));
    running--;
    done++;
  });
  assertEquals([most, done], [1, 4]);
  const each = (result: number) => {
    if (result === 4) throw new Error("cannot keep it");
  };
  await assertRejects(() => run<number, number>(DOUBLE, 2, numbers(9), each), Error, "cannot keep it");
});

Deno.test("runPool: the first message is never lost", async () => {
  for (let time = 0; time < 60; time++) {
    const found: number[] = [];
    await run<number, number>(DOUBLE, 3, [time, time + 1, time + 2], (result) => void found.push(result));
    assertEquals(found.toSorted((a, b) => a - b), [2 * time, 2 * time + 2, 2 * time + 4]);
  }
});

Deno.test({
  name: "runPool: a stop does not wait for workers that are busy, nor does a failure for longer than a second",
  ...strict,
  async fn() {
    // A worker that waits here is as deaf as one that spins. The runtime cannot end it, either; but it takes no processor time.
    const busy = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30_000); post({ result: task });";
    const answered: number[] = [], note = (result: number) => void answered.push(result);
    assertEquals(await run(worker(busy), 2, [1, 2, 3], note, { signal: AbortSignal.timeout(100) }), false);
    const wrong = worker(`if (task === 1) throw new Error("one is wrong"); ${busy}`);
    await assertRejects(() => run(wrong, 2, [0, 1, 2], note), Error, "one is wrong");
    assertEquals(answered, []);
  },
});
