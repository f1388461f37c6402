/** Plugins that end the process that they run in: the command says so in one sentence, and its folder in `run.json`. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import configuration from "../../../../deno.json" with { type: "json" };
import { COMMANDS } from "../../../../hosts/deno/main.ts";
import { assertSentence, cli, start, withFolder } from "../cli.ts";
import { modulesOf } from "../modules.ts";
import { type PriorParts, priorSource, withSources } from "./plugin_sources.ts";

/** What ends a process: a signal that cannot be handled, more than V8 can allocate, and a signal that asks it to end. */
const ENDS: readonly (readonly [parts: PriorParts, how: string, ...more: string[]])[] = [
  [{ draw: 'Deno.kill(Deno.pid, "SIGKILL");' }, "(SIGKILL)"],
  // The engine's own handler of this signal takes the first one now and then.
  [{ fit: 'for (;;) process.kill(process.pid, "SIGSEGV");' }, "(SIGSEGV)"],
  [{ create: "'x'.repeat(2 ** 28).split('');" }, "(SIGTRAP)"],
  [{ create: "'x'.repeat(2 ** 28).split('');" }, "(SIGTRAP)", "--sandbox"],
  [{ before: 'Deno.kill(Deno.pid, "SIGTERM"); for (;;);' }, "(exit code 143)"],
];

/** Runs a test with the words of a synthesis with a prior `x`. */
function withPrior(parts: PriorParts, test: (folder: string, words: string[]) => Promise<void>): Promise<void> {
  return withFolder(async (folder) => {
    const synth = await withSources(folder, { "x.ts": priorSource("x", parts) });
    await test(folder, [...synth, "--quiet", "--threads", "1", "--plugin", "./x.ts", "--prior", "x"]);
  });
}

for (const [parts, how, ...more] of ENDS) {
  Deno.test(`synth: a plugin that ends its process becomes one sentence: ${JSON.stringify(parts)} ${more}`, async () => {
    await withPrior(parts, async (folder, words) => {
      const ran = await cli([...words, ...more], { cwd: folder });
      assertSentence(ran, 1, `The process with the plugin ./x.ts ended early ${how}`);
    });
  });
}

Deno.test("synth: after a plugin ended the process, the folder says that its run has not ended; the next run cleans up", async () => {
  const draw = 'try { Deno.statSync("out/images/0000.png"); } catch { return; } Deno.kill(Deno.pid, "SIGKILL");';
  await withPrior({ draw }, async (folder, words) => {
    const many = words.with(words.indexOf("--count") + 1, "200"), record = join(folder, "out/run.json");
    const ran = await cli(many, { cwd: folder });
    assertSentence(ran, 1, "The process with the plugin ./x.ts ended early (SIGKILL)");
    assertEquals(JSON.parse(await Deno.readTextFile(record)).state, "running");
    await Deno.writeTextFile(join(folder, "x.ts"), priorSource("x"));
    assertEquals((await cli(words, { cwd: folder })).code, 0);
    assertEquals(JSON.parse(await Deno.readTextFile(record)).state, "complete");
  });
});

/** Whether a process has a child that was stopped by a signal. */
async function hasStoppedChild(pid: number): Promise<boolean> {
  const { stdout } = await new Deno.Command("ps", { args: ["-A", "-o", "ppid=,state="] }).output();
  return new RegExp(`^\\s*${pid}\\s+T`, "m").test(new TextDecoder().decode(stdout));
}

Deno.test("synth: a plugin that stops its process is ended by a second key press", async () => {
  await withPrior({ draw: 'console.log("stopping"); Deno.kill(Deno.pid, "SIGSTOP");' }, async (folder, words) => {
    const child = start(words, { cwd: folder }), reader = child.stdout.getReader();
    assertStringIncludes(new TextDecoder().decode((await reader.read()).value), "stopping");
    while (!await hasStoppedChild(child.pid)) await new Promise((resolve) => setTimeout(resolve, 20));
    // Signals within half a second are one key press.
    const pressing = setInterval(() => child.kill("SIGINT"), 100);
    const { code } = await child.status.finally(() => clearInterval(pressing));
    assertEquals(code, 128 + 9);
    await Promise.all([reader.cancel(), child.stderr.cancel()]);
  });
});

Deno.test("synth: when the command is killed, the process with the plugins ends, too", async () => {
  await withPrior({ draw: "console.log(Deno.pid); for (;;);" }, async (folder, words) => {
    const child = start(words, { cwd: folder }), reader = child.stdout.getReader();
    const pid = Number(new TextDecoder().decode((await reader.read()).value));
    assert(pid > 0 && pid !== child.pid);
    child.kill("SIGKILL");
    const isThere = () => {
      try {
        Deno.kill(pid, "SIGCONT");
        return true;
      } catch {
        return false;
      }
    };
    while (isThere()) await new Promise((resolve) => setTimeout(resolve, 20));
    await Promise.all([child.status, reader.cancel(), child.stderr.cancel()]);
  });
});

Deno.test("plugin check: a plugin that ends the process becomes one sentence; without --allow-run it ends the command", async () => {
  await withPrior({ fit: 'Deno.kill(Deno.pid, "SIGKILL");' }, async (folder) => {
    const check = ["plugin", "check", "./x.ts"];
    assertSentence(await cli(check, { cwd: folder }), 1, "The process with the plugin ./x.ts ended early (SIGKILL)");
    const { code, stderr } = await cli(check, { cwd: folder, without: "--allow-run" });
    assertEquals([code, stderr], [128 + 9, ""]);
  });
});

Deno.test("every task whose command takes plugins may run itself, and no other task of the command line may", async () => {
  const names: string[] = [];
  for (const name of Object.keys(COMMANDS)) {
    const modules = await modulesOf([`hosts/deno/commands/${name}.ts`], true);
    if (modules.has("hosts/deno/plugins/own_process.ts")) names.push(name);
  }
  const tasks = Object.entries(configuration.tasks).filter(([name, { command }]) =>
    command.endsWith(` hosts/deno/main.ts ${name}`) && command.includes(" --allow-run ")
  );
  assertEquals(tasks.map(([name]) => name).sort(), names.sort());
});
