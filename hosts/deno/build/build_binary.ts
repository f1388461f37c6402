/** Compiles the command line, with all that it reads, to one executable file. It runs where there is neither Deno nor a network. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import configuration from "../../../deno.json" with { type: "json" };
import { exitCode } from "../commands/flags/exit_code.ts";
import { command, runCommand, UsageError } from "../commands/flags/flags.ts";
import { taskWords } from "../system/task_words.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const MAIN = "hosts/deno/main.ts";
/** The folders of the command line: all but this one, which builds the project. */
const ROOMS = [...Deno.readDirSync(new URL("../", import.meta.url))]
  .flatMap(({ name, isDirectory }) => isDirectory && name !== "build" ? [name] : []).sort();
/** What the commands read, start, or import when it is needed. Sources are hashed where what they draw or fit is kept. */
const INCLUDED = [
  ...["assembly/kernels.wasm", "assembly/kernels.shared.wasm", "deno.lock", "mod.ts"],
  ...["datasets/procedural", ...ROOMS.map((room) => `hosts/deno/${room}`)],
];
/** The systems that Deno compiles for. */
const TARGETS = [
  ...["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "x86_64-apple-darwin", "aarch64-apple-darwin"],
  ...["x86_64-pc-windows-msvc", "aarch64-pc-windows-msvc"],
];

/**
 * The permissions that the tasks of the command line have together, since one file has one set of them. Without the one to run
 * programs, which tasks have to start Deno again, third-party plugins run in the same process.
 */
export function permissions(): string[] {
  const sets = new Map<string, Set<string> | "all">();
  for (const { command } of Object.values(configuration.tasks)) {
    if (!command.includes(` ${MAIN} `)) continue;
    for (const word of taskWords(command)) {
      const [, flag, list] = /^(--(?:allow|ignore)-[a-z]+)(?:=(.+))?$/.exec(word) ?? [];
      if (flag === undefined || flag === "--allow-run") continue;
      const before = sets.get(flag);
      sets.set(flag, list === undefined || before === "all" ? "all" : new Set([...before ?? [], ...list.split(",")]));
    }
  }
  return [...sets].map(([flag, set]) => set === "all" ? flag : `${flag}=${[...set].join(",")}`);
}

/** Says in one sentence why Deno did not compile: it prints causes as a numbered list, and a stack backtrace. */
export function failureText(stderr: string): string {
  const [said] = stderr.split(/\n\s*Stack backtrace:/);
  const [runtime] = /https:\/\/[^\s)]*denort[^\s)]*/.exec(said) ?? [];
  if (runtime === undefined) return `Cannot compile: ${said.trim()}`;
  const cause = [...said.matchAll(/^\s*\d+: (.*)$/gm)].at(-1)?.[1] ?? "the download failed";
  return `Cannot compile: expected Deno to download its runtime from ${runtime}, got: ${cause}`;
}

const COMMAND = command({
  name: "build:binary",
  about:
    "Compiles the command line to one executable file in out/binary: build:binary [TARGET] (this system). Deno downloads its runtime for a target once.",
  flags: {},
  examples: ["deno task build:binary", "deno task build:binary aarch64-apple-darwin"],
  words: [[]],
  async run({ words }) {
    const [target, ...more] = words;
    if (more.length > 0) throw new UsageError(`build:binary takes one target, got also "${more[0]}"`);
    if (target !== undefined && !TARGETS.includes(target)) {
      throw new UsageError(`Cannot compile for "${target}": expected ${TARGETS.join(", ")}`);
    }
    const file = join(root, "out/binary", target === undefined ? "patchloom" : `patchloom-${target}`);
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ..."compile --quiet --frozen --no-check --no-prompt --exclude-unused-npm".split(" "),
        ...permissions(),
        ...INCLUDED.flatMap((path) => ["--include", path]),
        ...target === undefined ? [] : ["--target", target],
        "--output",
        file,
        MAIN,
      ],
      cwd: root,
      env: { NO_COLOR: "1" },
    }).output();
    if (!success) throw new Error(failureText(new TextDecoder().decode(stderr)));
    console.log(file);
  },
});

if (import.meta.main) Deno.exit(await exitCode(Deno.args, (args) => runCommand(COMMAND, args)));
