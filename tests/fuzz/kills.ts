/**
 * Kills commands that write, at random moments, by SIGKILL or Ctrl-C. Whatever the moment, no foreign file is lost or changed, and
 * no folder says of itself what is not so; the next run into the same folder cleans it up.
 */
import { join } from "@std/path";
import { encode } from "fast-png";
import { stream } from "../../core/random.ts";
import { readPack } from "../../datasets/formats/pack.ts";
import { sha256 } from "../../hosts/deno/data/data_folder.ts";
import { readRecord, writtenFiles } from "../../hosts/deno/output/folder_record.ts";
import { blobs, cli, files, smallData, start, withFolder } from "../hosts/deno/cli.ts";

/** A command that writes. It gets the place of its results as its last words. */
interface Writer {
  readonly words: readonly string[];
  /** The words before the place: `--out` by default. */
  readonly at?: readonly string[];
  /** What it writes: a folder with a record by default, a file, or a folder without a record. */
  readonly kind?: "file" | "plain";
}

const DIGITS = ["--profile", "digits", "--data", "data"], QUIET = ["--threads", "1", "--quiet"];
const WRITERS: readonly Writer[] = [
  { words: ["synth", ...DIGITS, "--count", "40", ...QUIET] },
  { words: ["unpack", "small.loom", "--png", "--quiet"] },
  { words: ["assess", ...DIGITS, "--images", "test", "--metric", "originality", "--report", ...QUIET] },
  { words: ["pack", ...DIGITS, "--quiet"], kind: "file" },
  { words: ["restore", ...DIGITS, "--task", "denoise", "--count", "2", ...QUIET] },
  { words: ["plugin", "new", "prior", "wobble"], kind: "plain" },
  { words: ["compare", ...DIGITS, "--count", "2", "--prior", "local-nn", ...QUIET] },
  { words: ["reproduce", "digits", "--data", "data", "--limit", "2", ...QUIET] },
  { words: ["data", "import", "pictures", "--size", "16"] },
  { words: ["unpack", "small.loom", "--quiet"] },
  {
    words: [
      "tune",
      ...DIGITS,
      "--class",
      "1",
      "--trials",
      "1",
      "--count",
      "40",
      "--objective",
      "originality",
      ...QUIET,
    ],
  },
  { words: ["ablate", ...DIGITS, "--class", "1", "--count", "2", ...QUIET] },
  { words: ["build:edge", "small.loom"], at: [] },
  { words: ["demo", "--quiet"] },
];

/** Foreign files in the folders: one beside the results, one among them, one of a name that looks like theirs. */
const FOREIGN = ["mine.txt", "images/cat.png", "train/1/mine.png", "images/99999.png", "run.json.bak"];
/** A command that was asked to stop and takes longer than this hangs, also on a busy machine. */
const PATIENCE = 60_000;
/** The part of the kills that come near the end of a command, where most files get their names; the others come at any time. */
const LATE = 0.5;

/** Kills `count` commands, each of the writers in turn. */
export async function run(count: number, seed: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const add = (outcome: string, what = "") => {
    counts[outcome] = (counts[outcome] ?? 0) + 1;
    if (what !== "") console.error(`${outcome}: ${what}`);
  };
  await withFolder(async (folder) => {
    await putSources(folder);
    const random = stream(seed), firsts = new Map<Writer, First>();
    for (let n = 0; n < count; n++) {
      const index = n % WRITERS.length, writer = WRITERS[index], name = `out/${index}`, out = join(folder, name);
      const words = [...writer.words, ...writer.at ?? ["--out"], name];
      // The first run of a command shows how long it takes; later ones are killed in folders that hold an earlier result.
      if (!firsts.has(writer)) firsts.set(writer, await first(folder, words, out, writer));
      const { duration, made } = firsts.get(writer)!, signal = random.next() < 0.5 ? "SIGKILL" : "SIGINT";
      const moment = duration * (random.next() < LATE ? 0.8 + 0.25 * random.next() : random.next());
      const what = `${words.join(" ")}, kill ${n} of seed ${seed}, ${signal} after ${moment.toFixed(0)} ms`;
      if (writer.kind === "plain") await removeMade(out, made); // it never replaces what is there
      const end = await killed(folder, words, signal, moment);
      if (end === undefined) add("hang", what);
      else if (!end.isSentence) add("crash", `${what}: ${end.stderr}`);
      else add(`${commandOf(words)}: ${end.isEnded ? "came to its end before the signal" : `ended by ${signal}`}`);
      const problems = await problemsOf(out, writer, made);
      // A whole folder without a record is never written again.
      const isWhole = writer.kind === "plain" && (await problemsOf(out, writer, made, true)).length === 0;
      if (random.next() < 0.3 && !isWhole) {
        const started = performance.now(), again = await cli(words, { cwd: folder });
        // A machine that is busy now may be idle later: kills would come after the end.
        firsts.set(writer, { duration: performance.now() - started, made });
        if (again.code !== 0) add("failed: the next run", `${what}: ${again.stderr}`);
        else problems.push(...await problemsOf(out, writer, made, true));
      }
      for (const problem of problems) add(problem, what);
    }
  });
  return counts;
}

/** What the first run of a command shows. */
interface First {
  /** Milliseconds. */
  readonly duration: number;
  /** The files of a folder without a record, and their content. */
  readonly made: ReadonlyMap<string, string>;
}

/** The name of a command, with its subcommand. */
function commandOf([name, more]: readonly string[]): string {
  return ["plugin", "data"].includes(name) ? `${name} ${more}` : name;
}

/** What the commands read: images, a pack, and a folder of pictures in two classes. */
async function putSources(folder: string): Promise<void> {
  await smallData(join(folder, "data"));
  await Deno.copyFile(join(folder, "data/t10k-images-idx3-ubyte"), join(folder, "test"));
  await ended(folder, ["pack", ...DIGITS, "--out", "small.loom"]);
  for (const [i, name] of ["cats", "dogs"].entries()) {
    await Deno.mkdir(join(folder, "pictures", name), { recursive: true });
    for (let n = 0; n < 20; n++) {
      const data = blobs(1, 24, 20 * i + n), picture = encode({ width: 24, height: 24, channels: 1, data });
      await Deno.writeFile(join(folder, `pictures/${name}/${n}.png`), picture);
    }
  }
}

/** Runs a command to its end, in a folder that holds foreign files. */
async function first(folder: string, words: readonly string[], out: string, { kind }: Writer): Promise<First> {
  if (kind !== "file") await putForeign(out);
  const started = performance.now();
  await ended(folder, words);
  const duration = performance.now() - started, made = new Map<string, string>();
  if (kind === "plain") {
    const names = (await files(out)).filter((name) => !FOREIGN.includes(name));
    for (const name of names) made.set(name, await Deno.readTextFile(join(out, name)));
  }
  return { duration, made };
}

async function removeMade(out: string, made: First["made"]): Promise<void> {
  for (const name of made.keys()) await Deno.remove(join(out, name)).catch(() => {});
}

async function ended(folder: string, words: readonly string[]): Promise<void> {
  const { code, stderr } = await cli(words, { cwd: folder });
  if (code !== 0) throw new Error(`Cannot try ${words.join(" ")}: ${stderr}`);
}

/** Starts a command and sends it a signal. Returns undefined if it did not end. */
async function killed(folder: string, words: readonly string[], signal: "SIGKILL" | "SIGINT", moment: number) {
  const child = start(words, { cwd: folder }), output = child.output();
  const timers = [moment, moment + PATIENCE].map((time, late) => {
    return setTimeout(() => {
      try {
        child.kill(late ? "SIGKILL" : signal);
        isLate ||= late === 1;
      } catch {
        // It has ended.
      }
    }, time);
  });
  let isLate = false;
  const { code, signal: by, stderr } = await output, text = new TextDecoder().decode(stderr);
  timers.forEach(clearTimeout);
  if (isLate) return undefined;
  // Before it listens, Ctrl-C ends it at once, and without a word: by the signal, or with the exit code of shells.
  const isSentence = by !== null || code === 0 || code === 130 || /^Stopped[^\n]+\n$/.test(text);
  return { isEnded: by === null && code === 0, isSentence, stderr: text };
}

async function putForeign(out: string): Promise<void> {
  for (const name of FOREIGN) {
    await Deno.mkdir(join(out, name, ".."), { recursive: true });
    await Deno.writeTextFile(join(out, name), name);
  }
}

/** What is wrong with what a command left: outcomes that count as failures. */
async function problemsOf(out: string, { kind }: Writer, made: First["made"], isComplete = false): Promise<string[]> {
  if (kind === "file") {
    const bytes = await Deno.readFile(out).catch(() => undefined);
    try {
      if (bytes) readPack(bytes);
      return bytes ? [] : ["lost: the pack of the run before"];
    } catch {
      return ["failed: a pack that is not whole"];
    }
  }
  const problems: string[] = [];
  for (const name of FOREIGN) {
    if (await Deno.readTextFile(join(out, name)).catch(() => "") !== name) problems.push(`lost or changed: ${name}`);
  }
  const leftBeside = async (expected: ReadonlySet<string>) => {
    const left = (await files(out)).filter((name) => !expected.has(name));
    return left.map((name) => `failed: ${name} is left over`);
  };
  if (kind === "plain") {
    for (const [name, text] of made) {
      const found = await Deno.readTextFile(join(out, name)).catch(() => undefined);
      if (found === undefined ? isComplete : found !== text) problems.push(`failed: ${name} is not whole`);
    }
    return isComplete ? [...problems, ...await leftBeside(new Set([...FOREIGN, ...made.keys()]))] : problems;
  }
  const record = await readRecord(out), written = await writtenFiles(out).catch(() => "refused" as const);
  if (!record) return [...problems, "lost: run.json"];
  if ((record.state === "running") !== (written === "refused")) {
    problems.push("failed: a reader takes an unfinished run");
  }
  for (const [name, sum] of record.state === "running" ? [] : Object.entries(record.files)) {
    const bytes = await Deno.readFile(join(out, name)).catch(() => undefined);
    if (!bytes || await sha256(bytes) !== sum) problems.push(`failed: ${name} is not what run.json lists`);
  }
  if (!isComplete) return problems;
  const expected = new Set([...FOREIGN, "run.json", ...Object.keys(record.files)]);
  if (record.state !== "complete") problems.push("failed: a whole run that says it is not complete");
  return [...problems, ...await leftBeside(expected)];
}
