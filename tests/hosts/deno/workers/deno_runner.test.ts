/** The runner of the command line: workers that start before there is work. */
import { assertEquals, assertRejects } from "@std/assert";
import { denoRunner } from "../../../../hosts/deno/workers/deno_runner.ts";
import { startWorker } from "../../../../hosts/deno/plugins/plugin_worker.ts";
import { BUILTIN_PLUGINS } from "../../../../hosts/deno/plugins/plugins.ts";
import { structureProgram } from "../../../../pipelines/run/structures.ts";
import { blobs } from "../../../small_world.ts";

Deno.test("denoRunner: workers that started early do the same, for one program after another", async () => {
  const tasks = [blobs(3, 16), blobs(4, 16), blobs(5, 16)], answers: Uint8Array[][] = [];
  for (const warm of [false, true]) {
    using runner = denoRunner({ threads: 2, quiet: true, stay: true, folder: undefined });
    if (warm) runner.warmUp(structureProgram.name, tasks.length);
    for (let again = 0; again < 2; again++) {
      const found: Uint8Array[] = [];
      for await (const event of runner.run(structureProgram, { setUp: undefined, tasks })) {
        if (event.type === "result") found[event.task] = event.result;
      }
      answers.push(found);
    }
  }
  assertEquals(answers, answers.map(() => answers[0]));
});

Deno.test("denoRunner: a worker without a set-up does no task; where workers do not stay, or are not needed, none starts", async () => {
  const worker = new URL("../../../../hosts/deno/workers/task_worker.ts", import.meta.url);
  const thread = startWorker<unknown, unknown>(worker, { program: structureProgram.name }, BUILTIN_PLUGINS);
  const sentence = "Cannot do a task: expected a set-up before it";
  assertEquals((await assertRejects(() => thread.run(blobs(1, 16), () => {}), Error)).message, sentence);
  thread.terminate();
  for (const how of [{ threads: 1, stay: true }, { threads: 2, stay: false }]) {
    using runner = denoRunner({ ...how, quiet: true, folder: undefined });
    runner.warmUp("no program", 2);
  }
});
