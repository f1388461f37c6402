import { assert, assertEquals, assertRejects } from "@std/assert";
import { kernelHash } from "../../core/kernels.ts";
import { denoRunner } from "../../hosts/deno/workers/deno_runner.ts";
import { inlineRunner } from "../inline_runner.ts";
import { programOf } from "../../pipelines/programs.ts";
import type { Program, Runner } from "../../pipelines/runner.ts";
import { builtins } from "../../plugins/mod.ts";
import { compiled } from "../kernels_under_test.ts";

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
        for (let step = 0; step < task; step++) yield;
        if (task === 3) throw new Error("three is wrong");
        return factor * task;
      } finally {
        kernels.release(mark);
        events.push(`end ${task}`);
      }
    };
  },
};

/** Both runners in this thread. */
function runners(stopped: () => boolean = () => false): Runner[] {
  const pause = () => Promise.resolve();
  return [inlineRunner({ module, pause, now: () => 0, stopped }), denoRunner({ threads: 1, quiet: true, stopped })];
}

Deno.test("run: one task after another, prepared once, with its steps", async () => {
  for (const runner of runners()) {
    const { kernels } = await runner.kernels(), mark = kernels.mark(), found: [number, number][] = [];
    let steps = 0;
    events.length = 0;
    const finished = await runner.run(counting, { setUp: 10, tasks: [1, 0, 2], kernels }, {
      step: () => steps++,
      result: (result, task) => void found.push([task, result]),
    });
    assertEquals([finished, steps, found], [true, 3, [[0, 10], [1, 0], [2, 20]]]);
    assertEquals(events, ["prepared", "end 1", "end 0", "end 2"]);
    assertEquals(kernels.mark(), mark);
    assertEquals([runner.threads, runner.isolated, runner.plugins], [1, false, builtins]);
  }
});

Deno.test("run: a stop ends the task at its next step, and gives its memory back", async () => {
  let steps = 0;
  for (const runner of runners(() => steps >= 2)) {
    steps = 0;
    events.length = 0;
    const { kernels } = await runner.kernels(), mark = kernels.mark();
    const found: number[] = [],
      watch = { step: () => void steps++, result: (result: number) => void found.push(result) };
    assertEquals(await runner.run(counting, { setUp: 1, tasks: [1, 5, 1], kernels }, watch), false);
    assertEquals([found, events], [[1], ["prepared", "end 1", "end 5"]]);
    assertEquals(kernels.mark(), mark);
  }
});

Deno.test("run: what a task or who takes its result throws ends the run", async () => {
  for (const runner of runners()) {
    const found: number[] = [], result = (one: number) => void found.push(one);
    await assertRejects(
      () => runner.run(counting, { setUp: 1, tasks: [1, 3, 1] }, { result }),
      Error,
      "three is wrong",
    );
    assertEquals(found, [1]);
    const full = () => Promise.reject(new Error("The disk is full"));
    await assertRejects(
      () => runner.run(counting, { setUp: 1, tasks: [1] }, { result: full }),
      Error,
      "The disk is full",
    );
    events.length = 0;
    assertEquals(await runner.run(counting, { setUp: 1, tasks: [] }, { result }), true);
    assertEquals(events, [], "nothing is prepared where there is nothing to do");
  }
});

Deno.test("inlineRunner: kernels in a memory of their own, no progress, no cache unless the host has them", async () => {
  const [runner] = runners(), one = await runner.kernels(), two = await runner.kernels();
  assertEquals(one.sha256, kernelHash(module));
  assert(one.kernels.memory !== two.kernels.memory);
  runner.progress("Nothing").update(0.5);
  assertEquals([runner.cache, runner.stopped(), runner.now()], [undefined, false, 0]);
});

Deno.test("programOf: the programs by their names, or which there are", async () => {
  for (const name of ["synthesis", "fit", "metrics", "training-neighbours", "worth"]) {
    assertEquals((await programOf(name)).name, name);
  }
  const sentence = 'Cannot run "counting": expected one of synthesis, fit, metrics, training-neighbours, worth';
  assertEquals((await assertRejects(() => programOf("counting"), Error)).message, sentence);
});
