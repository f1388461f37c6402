/** Runs the command line in a child process, with the permissions of its task in deno.json and no others. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { decode } from "fast-png";
import { parseIdx, writeIdx } from "../../../datasets/formats/idx.ts";
import { KEPT, lazily } from "../../once.ts";
import { taskWords as wordsOf } from "../../../hosts/deno/system/task_words.ts";

import configuration from "../../../deno.json" with { type: "json" };

const ROOT = new URL("../../../", import.meta.url);
/** As `deno task` finds it, which runs in the root of the tree. */
const CONFIG = fromFileUrl(new URL("deno.json", ROOT));
/** Returns Deno's own cache, which XDG_CACHE_HOME would move, too. Asks once: that takes a process. */
export const denoDir: () => string = lazily(() => {
  const { stdout } = new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).outputSync();
  return JSON.parse(new TextDecoder().decode(stdout)).denoDir;
});

/** Options of a run. */
export interface Options {
  readonly cwd?: string;
  /** Added to the environment of the tests, without its PATCHLOOM_DATA. */
  readonly env?: Readonly<Record<string, string>>;
  /** A permission to leave out, such as --allow-write. */
  readonly without?: string;
  /** More permissions. */
  readonly more?: readonly string[];
  /** What it may read from the standard input; by default nothing. */
  readonly input?: string;
  /** Another program in place of the command line's, which is asked on the standard input and prints its errors here. */
  readonly script?: string;
  /** The session to run it in, which has the rest of the options already. */
  readonly session?: Session;
}

/** The outcome of a command. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Task = keyof typeof configuration.tasks;

/** The tasks that are commands; any other word is run with the permissions of `synth`. */
const COMMANDS = (Object.keys(configuration.tasks) as Task[]).filter((name) => {
  return configuration.tasks[name].command.endsWith(` hosts/deno/main.ts ${name}`);
});

/** The words behind `deno` of a task: `run`, its flags, the script, the command's name. */
export function taskWords(task: Task): string[] {
  const [deno, ...words] = wordsOf(configuration.tasks[task].command);
  assertEquals([deno, ...words.slice(-2)], ["deno", "hosts/deno/main.ts", task]);
  return words;
}

/** Starts a command: `["synth", "--count", "4"]`. */
export function start(
  words: readonly string[],
  { cwd, env, without, more = [], input, script }: Options = {},
): Deno.ChildProcess {
  const isBuild = words[0] === "build:edge", task = COMMANDS.find((name) => name === words[0]) ?? "synth";
  const [run, ...rest] = isBuild
    ? configuration.tasks["build:edge"].command.split(" ").slice(1)
    : taskWords(task).slice(0, -1);
  const flags = rest.slice(0, -1), main = fromFileUrl(new URL(rest.at(-1)!, ROOT));
  // Whoever gives permissions of their own leaves out --allow-run: see docs/plugins.md.
  const left = [...without === undefined ? [] : [without], ...more.length > 0 ? ["--allow-run"] : []];
  const given = flags.filter((flag) => !left.includes(flag.split("=")[0]));
  assert(without === undefined || given.length < flags.length);
  const { PATCHLOOM_DATA: _, ...inherited } = Deno.env.toObject();
  const child = new Deno.Command(Deno.execPath(), {
    args: [run, "--config", CONFIG, ...given, ...more, script ?? main, ...isBuild ? words.slice(1) : words],
    cwd,
    clearEnv: true,
    env: { ...inherited, NO_COLOR: "1", DENO_DIR: denoDir(), XDG_CACHE_HOME: KEPT, ...env },
    stdin: input === undefined && script === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: script === undefined ? "piped" : "inherit",
  }).spawn();
  // It may end before it reads.
  if (input !== undefined) new Blob([input]).stream().pipeTo(child.stdin).catch(() => {});
  return child;
}

/** Runs a command to its end. */
export async function cli(words: readonly string[], options?: Options): Promise<Ran> {
  if (options?.session) return await options.session.run(words, options.cwd);
  const { code, stdout, stderr } = await start(words, options).output();
  return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
}

/** A process that runs command lines one after another. */
export interface Session {
  /** Runs a command line, in a folder; without one in that where the session was opened. */
  run(words: readonly string[], cwd?: string): Promise<Ran>;
  /** Ends the process. Without this it ends with the file of tests. */
  close(): Promise<void>;
}

/**
 * Starts a process for command lines, with the permissions of a command's task: a process for each line takes two to four times the
 * time, because each loads and compiles everything anew. Plugins get no process of their own there. A session that several tests use
 * is opened outside of them.
 */
export function openSession(command: string, options?: Options): Session {
  const child = start([command], { ...options, script: fromFileUrl(new URL("run_lines.ts", import.meta.url)) });
  const asked = child.stdin.getWriter(), answers = child.stdout.getReader(), decoder = new TextDecoder();
  return {
    async run(words, cwd) {
      await asked.write(new TextEncoder().encode(`${JSON.stringify({ words, cwd })}\n`));
      let text = "";
      while (!text.endsWith("\n")) {
        const { value, done } = await answers.read();
        if (done) throw new Error(`The process of ${command} ended in ${words.join(" ")}`);
        text += decoder.decode(value, { stream: true });
      }
      return JSON.parse(text);
    },
    async close() {
      await asked.close();
      await answers.cancel();
      await child.status;
    },
  };
}

/** Sessions for any command lines: those of each command run in one of its own, which is opened when the first one comes. */
export function openSessions(options?: Options): Session {
  const opened = new Map<string, Session>();
  return {
    run([name, ...words], cwd) {
      const session = opened.get(name) ?? openSession(name, options);
      opened.set(name, session);
      return session.run([name, ...words], cwd);
    },
    async close() {
      for (const session of opened.values()) await session.close();
    },
  };
}

/**
 * Opens sessions for some commands, outside of tests; returns `cli` that runs them there. Command lines with options for the process
 * have one of their own.
 */
export function inSessions(...commands: readonly string[]): typeof cli {
  const sessions = new Map(commands.map((name) => [name, openSession(name)]));
  return (words, { cwd, ...own } = {}) => {
    const session = Object.values(own).some((option) => option !== undefined) ? undefined : sessions.get(words[0]);
    return session ? session.run(words, cwd) : cli(words, { cwd, ...own });
  };
}

/** Runs command lines, those of each command in a session. */
export async function cliEach(lines: readonly (readonly string[])[], options?: Options): Promise<Ran[]> {
  const sessions = options?.session ?? openSessions(options), ran: Ran[] = [];
  for (const words of lines) ran.push(await sessions.run(words, options?.cwd));
  if (!options?.session) await sessions.close();
  return ran;
}

/** Runs `synth --out out --quiet` and more, which must succeed without a word. Returns what it wrote. */
export async function synthesized(out: string, words: readonly string[], options?: Options): Promise<Result> {
  assertEquals(await cli(["synth", "--out", out, "--quiet", ...words], options), { code: 0, stdout: "", stderr: "" });
  return await readResult(out);
}

/** Asserts that a command failed with one sentence, in one line, that holds some texts. */
export function assertSentence(
  ran: Ran & { words?: readonly string[] },
  code: number,
  ...texts: readonly string[]
): void {
  const what = JSON.stringify(ran);
  assertEquals(ran.code, code, what);
  assertEquals(ran.stdout, "", what);
  assert(/^[^\n\r]+\n$/.test(ran.stderr), what);
  assert(!/Error:|Uncaught|file:\/\/|undefined|\[object/.test(ran.stderr), what);
  for (const text of texts) assertStringIncludes(ran.stderr, text);
}

/** A wrong command line: its words, its exit code, and the texts of its sentence. */
export type Wrong = readonly [words: readonly string[], code: number, ...texts: string[]];

/** Asserts that each command line fails as `assertSentence` says; they run as in `cliEach`. */
export async function assertSentences(wrong: readonly Wrong[], options?: Options): Promise<void> {
  const ran = await cliEach(wrong.map(([words]) => words), options);
  wrong.forEach(([words, code, ...texts], i) => assertSentence({ ...ran[i], words }, code, ...texts));
}

/** A folder of results, read. */
export interface Result {
  readonly count: number;
  /** 32x32 bytes an image. */
  readonly pixels: Uint8Array;
  readonly labels?: number[];
  readonly seedImages: (number | undefined)[];
  // deno-lint-ignore no-explicit-any
  readonly run: any;
}

/** Reads a folder of results of 32x32, and asserts that its files agree. */
export async function readResult(out: string): Promise<Result> {
  const run = JSON.parse(await Deno.readTextFile(join(out, "run.json")));
  const { dims: [count, ...sides], data } = parseIdx(await Deno.readFile(join(out, "images.idx3-ubyte")), "images");
  const labelFile = await Deno.readFile(join(out, "labels.idx1-ubyte")).catch(() => undefined);
  const labels = labelFile && [...parseIdx(labelFile, "labels").data];
  assertEquals(sides, [32, 32]);
  assertEquals(run.finished, count);
  assertEquals(run.images.map((image: { class?: number }) => image.class), labels ?? Array(count).fill(undefined));
  const names = await files(out), pictures = run.images.map(({ file }: { file: string }) => file);
  const others = ["images.idx3-ubyte", ...labels ? ["labels.idx1-ubyte"] : [], "run.json", "sheet.html", "sheet.png"];
  assertEquals(names, [...pictures, ...others].sort());
  for (const [i, name] of pictures.entries()) {
    const { width, height, channels, depth, data: pixels } = decode(await Deno.readFile(join(out, name)));
    assertEquals([width, height, channels, depth], [32, 32, 1, 8]);
    assertEquals(new Uint8Array(pixels), data.slice(i * 1024, (i + 1) * 1024), name);
  }
  const seedImages = run.images.map((image: { seedImage?: number }) => image.seedImage);
  return { count, pixels: data, labels, seedImages, run };
}

/** The paths of all files below a folder, sorted. */
export async function files(folder: string, below = ""): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(join(folder, below))) {
    found.push(...isDirectory ? await files(folder, `${below}${name}/`) : [`${below}${name}`]);
  }
  return found.sort();
}

/** Runs a test with an empty folder, which is removed afterwards. */
export async function withFolder<T>(test: (folder: string) => Promise<T>): Promise<T> {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  try {
    return await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** `count` images of `side` x `side`: blobs of light, each at another place. */
export function blobs(count: number, side: number, first = 0): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: count * side * side }, (_, n) => {
    const i = first + Math.floor(n / (side * side)), y = Math.floor(n / side) % side, x = n % side;
    const dy = y / side - 0.5 - 0.3 * Math.sin(i * 2.4), dx = x / side - 0.5 - 0.3 * Math.cos(i * 1.7);
    return Math.round(255 * Math.exp(-30 * (dy * dy + dx * dx * (1 + i % 3))));
  });
}

/** An IDX file of `blobs`. */
export function blobsIdx(count: number, side: number, first = 0): Uint8Array<ArrayBuffer> {
  return writeIdx([count, side, side], blobs(count, side, first));
}

/** A small data set in a folder: 24 training and 4 test images of 32x32 (blobs 0.. and 100..) of classes 1 and 2 in turn. */
export async function smallData(folder: string): Promise<string> {
  const labels = (count: number) => writeIdx([count], Uint8Array.from({ length: count }, (_, i) => 1 + i % 2));
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeFile(join(folder, "train-images-idx3-ubyte"), blobsIdx(24, 32));
  await Deno.writeFile(join(folder, "train-labels-idx1-ubyte"), labels(24));
  await Deno.writeFile(join(folder, "t10k-images-idx3-ubyte"), blobsIdx(4, 32, 100));
  await Deno.writeFile(join(folder, "t10k-labels-idx1-ubyte"), labels(4));
  return folder;
}
