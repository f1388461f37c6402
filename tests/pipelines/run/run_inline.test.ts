import { assert, assertEquals, assertRejects } from "@std/assert";
import { PROGRESS } from "../../../core/steps.ts";
import { kernelHash } from "../../../core/kernels.ts";
import { denoRunner } from "../../../hosts/deno/workers/deno_runner.ts";
import { inlineRunner } from "../../inline_runner.ts";
import { programOf } from "../../../pipelines/run/programs.ts";
import type { Program, ProgramWork, Runner, TaskEvent } from "../../../pipelines/run/runner.ts";
import { builtins } from "../../../plugins/mod.ts";
import { compiled } from "../../kernels_under_test.ts";

const module = compiled("kernels.wasm");
const events: string[] = [];

/** Runs in this thread only: workers do not know it. Task n takes n steps and allocates n bytes. */
const counting: Program<number, number, number> = {
  name: "counting",
  prepare({ kernels, plugins }, factor) {
    assertEquals(plugins, builtins);
    events.push("prepared");
    return function* (task) {
      const mark = kernels.mark();
      kernels.allocate(task);
      try {
        for (let step = 0; step < task; step++) yield { ...PROGRESS, part: 1 / task };
        if (task === 3) throw new Error("three is wrong");
        return factor * task;
      } finally {
        kernels.release(mark);
        events.push(`end ${task}`);
      }
    };
  },
};

/** Runs tasks to their end. */
async function all(
  runner: Runner,
  work: ProgramWork<number, number>,
  watch: (event: TaskEvent<number>) => void | Promise<void> = () => {},
): Promise<TaskEvent<number>[]> {
  const events: TaskEvent<number>[] = [];
  for await (const event of runner.run(counting, work)) {
    events.push(event);
    await watch(event);
  }
  return events;
}

/** Both runners in this thread. */
function runners(signal?: AbortSignal): Runner[] {
  const pause = () => Promise.resolve();
  return [inlineRunner({ module, pause, now: () => 0, signal }), denoRunner({ threads: 1, quiet: true, signal })];
}

Deno.test("run: one task after another, prepared once, with its steps", async () => {
  for (const runner of runners()) {
    const { kernels } = await runner.kernels(), mark = kernels.mark();
    events.length = 0;
    assertEquals(await all(runner, { setUp: 10, tasks: [1, 0, 2], kernels }), [
      { type: "progress", part: 1, task: 0 },
      { type: "result", result: 10, task: 0 },
      { type: "result", result: 0, task: 1 },
      { type: "progress", part: 0.5, task: 2 },
      { type: "progress", part: 0.5, task: 2 },
      { type: "result", result: 20, task: 2 },
    ]);
    assertEquals(events, ["prepared", "end 1", "end 0", "end 2"]);
    assertEquals(kernels.mark(), mark);
    assertEquals([runner.threads, runner.isolated, runner.plugins], [1, false, builtins]);
  }
});

Deno.test("run: a stop ends the task at its next step, and gives its memory back", async () => {
  for (const which of [0, 1]) {
    const stop = new AbortController(), runner = runners(stop.signal)[which];
    events.length = 0;
    const { kernels } = await runner.kernels(), mark = kernels.mark();
    const work = { setUp: 1, tasks: [1, 5, 1], kernels };
    let steps = 0;
    const done = await all(runner, work, ({ type }) => void (type === "progress" && ++steps === 2 && stop.abort()));
    assertEquals(done.filter(({ type }) => type === "result"), [{ type: "result", result: 1, task: 0 }]);
    assertEquals(events, ["prepared", "end 1", "end 5"]);
    assertEquals(kernels.mark(), mark);
  }
});

Deno.test("run: what a task throws, or a reader who leaves, ends the run", async () => {
  for (const runner of runners()) {
    const results: number[] = [];
    const note = (event: TaskEvent<number>) => void (event.type === "result" && results.push(event.result));
    await assertRejects(() => all(runner, { setUp: 1, tasks: [1, 3, 1] }, note), Error, "three is wrong");
    assertEquals(results, [1]);
    const full = () => Promise.reject(new Error("The disk is full"));
    events.length = 0;
    await assertRejects(() => all(runner, { setUp: 1, tasks: [2, 1] }, full), Error, "The disk is full");
    assertEquals(events, ["prepared", "end 2"], "the task that was at work gave its memory back");
    events.length = 0;
    assertEquals(await all(runner, { setUp: 1, tasks: [] }), []);
    assertEquals(events, [], "nothing is prepared where there is nothing to do");
  }
});

Deno.test("inlineRunner: kernels in a memory of their own, no progress, no cache unless the host has them", async () => {
  const [runner] = runners(), one = await runner.kernels(), two = await runner.kernels();
  assertEquals(one.sha256, kernelHash(module));
  assert(one.kernels.memory !== two.kernels.memory);
  runner.progress("Nothing").update(0.5);
  assertEquals([runner.cache, runner.signal.aborted, runner.now()], [undefined, false, 0]);
});

Deno.test("programOf: the programs by their names, or which there are", async () => {
  for (
    const name of [
      "synthesis",
      "fit",
      "noise-limits",
      "metrics",
      "training-neighbours",
      "denoiser-restoration",
      "worth",
    ]
  ) {
    assertEquals((await programOf(name)).name, name);
  }
  const sentence =
    'Cannot run "counting": expected one of synthesis, structure, fit, noise-choice, noise-limits, metrics, training-neighbours, morphs, denoiser-restoration, worth';
  assertEquals((await assertRejects(() => programOf("counting"), Error)).message, sentence);
});
