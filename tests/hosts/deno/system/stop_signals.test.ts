import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { pressCounter, stopSignals } from "../../../../hosts/deno/system/stop_signals.ts";
import { cli, files, readResult, type Result, smallData, start, withFolder } from "../cli.ts";

for (const [signal, threads] of [["SIGINT", "1"], ["SIGINT", "2"], ["SIGTERM", "1"], ["SIGTERM", "2"]] as const) {
  Deno.test(`synth: ${signal} with ${threads} threads leaves the finished images, and says how many`, async () => {
    await withFolder(async (folder) => {
      const data = await smallData(join(folder, "data")), out = join(folder, "out");
      const words = ["synth", "--profile", "digits", "--data", data, "--count", "5000", "--threads", threads];
      await Deno.mkdir(out);
      const child = start([...words, "--out", out]), output = child.output();
      while ((await files(out)).filter((name) => name.endsWith(".png")).length === 0) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      child.kill(signal);
      const { code, stdout, stderr } = await output, { run, count }: Result = await readResult(out);
      assertEquals([code, stdout.length, run.wanted, run.finished], [1, 0, 5000, count]);
      assert(count > 0 && count < 5000, `${count}`);
      const last = new TextDecoder().decode(stderr).trimEnd().split("\n").at(-1);
      assertEquals(last, `Stopped: ${count} of 5000 images were finished and are in ${out}; --resume goes on`);
    });
  });
}

Deno.test("synth: a signal before the first image is finished leaves an earlier result as it was", async () => {
  await withFolder(async (folder) => {
    const few = ["--profile", "digits", "--count", "1", "--quiet", "--out", folder];
    assertEquals((await cli(["synth", ...few])).code, 0);
    const before = await files(folder), record = await Deno.readTextFile(join(folder, "run.json"));
    const words = ["synth", "--profile", "digits", "--class", "all", "--threads", "1", "--out", folder];
    const child = start([...words, "--set", "prior.neighbours=2000"]);
    // The signal is listened to when the line of the data is said, after that of what is replaced.
    const lines = child.stderr.pipeThrough(new TextDecoderStream());
    let said = "";
    for await (const text of lines) {
      const isFirst = !said.includes("Data: ");
      said += text;
      if (isFirst && said.includes("Data: ")) child.kill("SIGINT");
    }
    await child.stdout.cancel();
    assertEquals((await child.status).code, 1);
    assertEquals(
      said.trimEnd().split("\n").at(-1),
      `Stopped before the first image was finished: ${folder} is unchanged`,
    );
    assertEquals(await files(folder), before);
    assertEquals(await Deno.readTextFile(join(folder, "run.json")), record);
  });
});

Deno.test("pressCounter: signals within half a second of the first are one key press", () => {
  let time = 0;
  const pressOf = pressCounter(() => time), presses: number[] = [];
  for (time of [0, 1, 17, 499, 501, 600, 1001, 1003]) presses.push(pressOf());
  assertEquals(presses, [1, 1, 1, 1, 2, 2, 2, 3]);
});

Deno.test("stopSignals: the first key press aborts, the next one ends the process, and repeats of the first do neither", () => {
  const listeners = new Map<string, () => void>(), add = Deno.addSignalListener;
  Deno.addSignalListener = (signal, listener) => void listeners.set(signal, listener);
  try {
    const presses = [1, 1, 2], ended: number[] = [];
    const signals = stopSignals(() => presses.shift()!, (number) => ended.push(number));
    assertEquals(listeners.size, 0, "before it listens, the system ends the process");
    signals.listen();
    const press = listeners.get("SIGINT")!;
    press();
    assertEquals([signals.signal.aborted, ended], [true, []]);
    signals[Symbol.dispose]();
    press();
    assertEquals(ended, [], "the same key press while the command ends");
    press();
    assertEquals(ended, [2]);
  } finally {
    Deno.addSignalListener = add;
  }
});

Deno.test("synth: the two signals of one Ctrl-C under deno task keep the finished images, with a sentence", async () => {
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "data")), out = join(folder, "out");
    const child = start(["synth", "--profile", "digits", "--data", data, "--count", "5000", "--out", out]);
    const output = child.output();
    while ((await files(out).catch(() => [])).filter((name) => name.endsWith(".png")).length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    child.kill("SIGINT");
    child.kill("SIGINT");
    const { code, stderr } = await output, { run } = await readResult(out);
    const lines = new TextDecoder().decode(stderr).trimEnd().split("\n");
    assertEquals(code, 1);
    assertEquals(
      lines.at(-1),
      `Stopped: ${run.finished} of 5000 images were finished and are in ${out}; --resume goes on`,
    );
    assertEquals(lines.filter((line) => line.startsWith("Stopping after")).length, 1);
  });
});
