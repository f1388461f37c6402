/**
 * Runs a command with third-party plugins in a process of its own. A plugin can end the process that it runs in: by a signal to
 * itself, by taking all memory, or by a fault of the runtime. This process is then still there to say so.
 */
import { fileURLToPath } from "node:url";
import configuration from "../../../deno.json" with { type: "json" };
import { needed } from "../system/needed.ts";
import { pressCounter, SIGNALS } from "../system/stop_signals.ts";
import { printMessage } from "../system/printable.ts";
import { taskWords } from "../system/task_words.ts";
import { writeFlags } from "./written_folders.ts";

const MAIN = new URL("../main.ts", import.meta.url), CONTAINED = new URL("../contained.ts", import.meta.url);
const CONFIG = new URL("../../../deno.json", import.meta.url);
/** The exit codes of commands that were not ended by a signal: done, failed, wrong usage. */
const CODES = [0, 1, 2];
/** Milliseconds that a command has to end after a second key press. Nothing is worth waiting for then. */
const PATIENCE = 1000;

/**
 * Runs this command again in a process of its own, and ends this process as that one ends. If there are no plugins, it gives up the
 * permission to run programs and returns; without that permission it returns at once.
 *
 * @param plugins names the plugins
 * @param afterwards does here what the other process may not do, after it ended by itself: `isDone` says whether it did not fail
 */
export async function inOwnProcess(
  plugins: readonly string[],
  afterwards?: (isDone: boolean) => Promise<void>,
): Promise<void> {
  if (Deno.mainModule !== MAIN.href || !isGranted({ name: "run" })) return;
  const flags = permissionFlags();
  if (plugins.length > 0 && flags) {
    const { guardingLock } = await needed<typeof import("./guard_lock.ts")>("plugins/guard_lock.ts");
    const code = await guardingLock(() => runAgain(flags, plugins));
    if (code === 0 || code === 1) await afterwards?.(code === 0);
    Deno.exit(code);
  }
  Deno.permissions.revokeSync({ name: "run" });
}

/** Whether this is the other process, which runs a command with plugins. */
export function isOwnProcess(): boolean {
  return Deno.mainModule.startsWith(CONTAINED.href);
}

/**
 * The permissions of the other process: those of the task, but it may write to the folders of this command line only. Undefined if
 * this process was started with fewer permissions.
 */
function permissionFlags(): string[] | undefined {
  const { command } = configuration.tasks[Deno.args[0] as keyof typeof configuration.tasks];
  // A command with an engine stays in this process. The address of an engine may hold a password.
  const flags = taskWords(command.replace("PATCHLOOM_ENGINE,", "")).filter((word) => {
    return word.startsWith("--") && word !== "--allow-run";
  });
  if (!flags.every(isHeld)) return undefined;
  const write = writeFlags(Deno.args);
  return flags.flatMap((flag) => flag === "--allow-write" ? write : [flag]);
}

/** Whether this process has what a flag such as `--allow-env=HOME,PATH` gives. */
function isHeld(flag: string): boolean {
  const [, kind, values] = /^--allow-(\w+)(?:=(.*))?$/.exec(flag) ?? [];
  if (kind === "env") return values.split(",").every((variable) => isGranted({ name: "env", variable }));
  return kind === undefined || isGranted({ name: kind as "read" });
}

function isGranted(descriptor: Deno.PermissionDescriptor): boolean {
  return Deno.permissions.querySync(descriptor).state === "granted";
}

async function runAgain(flags: readonly string[], plugins: readonly string[]): Promise<number> {
  const entry = new URL(`?${Deno.pid}${Deno.stderr.isTerminal() ? "&terminal" : ""}`, CONTAINED).href;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--config", fileURLToPath(CONFIG), ...flags, entry, ...Deno.args],
    stdin: "null",
    stdout: "inherit",
    stderr: "piped",
    // A process group of its own, so that Ctrl-C reaches it once: from here.
    detached: Deno.build.os !== "windows",
  }).spawn();
  let presses = 0;
  const pressOf = pressCounter();
  const send = (signal: Deno.Signal) => {
    try {
      child.kill(signal);
    } catch {
      // It has ended.
    }
  };
  for (const [signal] of SIGNALS) {
    Deno.addSignalListener(signal, () => {
      send(signal);
      presses = pressOf();
      // A plugin may have stopped the process, which then gets no signal but this one.
      if (presses === 2) setTimeout(() => send("SIGKILL"), PATIENCE);
    });
  }
  await passOn(child.stderr, Deno.args.includes("--debug"));
  const { code, signal } = await child.status;
  if (presses > 0 || signal === null && CODES.includes(code)) return code;
  const how = signal ?? `exit code ${code}`, names = `plugin${plugins.length > 1 ? "s" : ""} ${plugins.join(", ")}`;
  printMessage(`The process with the ${names} ended early (${how}): it took all memory, crashed, or a plugin ended it`);
  return 1;
}

/** How the reports begin that V8 and Deno print when they end by themselves. */
const REPORT =
  /^\n*(?:<--- Last few GCs|#\n# Fatal|Fatal |=+\nDeno has panicked|thread .*(?:panicked|overflowed its stack))/m;

/** Passes on what a process prints, without the report of a runtime that ends, unless `all`. */
async function passOn(output: ReadableStream<Uint8Array<ArrayBuffer>>, all: boolean): Promise<void> {
  let isReport = false;
  const withoutReport = new TransformStream<string, string>({
    transform(text, passed) {
      const at = all ? -1 : text.search(REPORT);
      if (!isReport) passed.enqueue(at < 0 ? text : text.slice(0, at));
      isReport ||= at >= 0;
    },
  });
  const texts = output.pipeThrough(new TextDecoderStream()).pipeThrough(withoutReport);
  await texts.pipeThrough(new TextEncoderStream()).pipeTo(Deno.stderr.writable, { preventClose: true });
}
