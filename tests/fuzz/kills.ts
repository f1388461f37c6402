/**
 * Kills commands that write, at random moments, by SIGKILL or Ctrl-C. Whatever the moment, no foreign file is lost or changed, and
 * no folder says of itself what is not so; the next run into the same folder cleans it up.
 */
import { join } from "@std/path";
import { stream } from "../../core/random.ts";
import { readPack } from "../../datasets/formats/pack.ts";
import { sha256 } from "../../hosts/deno/data/data_folder.ts";
import { readRecord, writtenFiles } from "../../hosts/deno/output/folder_record.ts";
import { cli, files, smallData, start, withFolder } from "../hosts/deno/cli.ts";

/** A command that writes `out`. `more` follows its words; a command of a folder writes a record. */
interface Writer {
  readonly words: readonly string[];
  readonly isFile?: boolean;
}

const DIGITS = ["--profile", "digits", "--data", "data"];
const WRITERS: readonly Writer[] = [
  { words: ["synth", ...DIGITS, "--count", "40"] },
  { words: ["unpack", "small.loom", "--png"] },
  { words: ["assess", ...DIGITS, "--images", "data/t10k-images-idx3-ubyte", "--metric", "originality"] },
  { words: ["pack", ...DIGITS], isFile: true },
  { words: ["restore", ...DIGITS, "--task", "denoise", "--count", "2"] },
  { words: ["unpack", "small.loom"] },
  { words: ["compare", ...DIGITS, "--count", "2", "--prior", "local-nn"] },
  { words: ["reproduce", "digits", "--data", "data", "--limit", "2"] },
];

/** Foreign files in the folders: one beside the results, one among them, one of a name that looks like theirs. */
const FOREIGN = ["mine.txt", "images/cat.png", "train/1/mine.png", "images/99999.png", "run.json.bak"];
/** A command that was asked to stop and takes longer than this hangs, also on a busy machine. */
const PATIENCE = 60_000;

/** Kills `count` commands. */
export async function run(count: number, seed: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const add = (outcome: string, what = "") => {
    counts[outcome] = (counts[outcome] ?? 0) + 1;
    if (what !== "") console.error(`${outcome}: ${what}`);
  };
  await withFolder(async (folder) => {
    await smallData(join(folder, "data"));
    await ended(folder, ["pack", ...DIGITS, "--out", "small.loom"]);
    const random = stream(seed), durations = new Map<Writer, number>();
    for (let n = 0; n < count; n++) {
      const writer = WRITERS[n % WRITERS.length], name = `out-${n % WRITERS.length}`, out = join(folder, name);
      const words = [...writer.words, "--out", name];
      // The first run of a command shows how long it takes; later ones are killed in folders that hold an earlier result.
      if (!durations.has(writer)) {
        if (!writer.isFile) await putForeign(out);
        const started = performance.now();
        await ended(folder, words);
        durations.set(writer, performance.now() - started);
      }
      const signal = random.next() < 0.5 ? "SIGKILL" : "SIGINT", moment = random.next() * durations.get(writer)!;
      const what = `${words.join(" ")}, kill ${n} of seed ${seed}, ${signal} after ${moment.toFixed(0)} ms`;
      const end = await killed(folder, words, signal, moment);
      if (end === undefined) add("hang", what);
      else if (!end.isSentence) add("crash", `${what}: ${end.stderr}`);
      else add(`${words[0]}: ${end.isEnded ? "came to its end before the signal" : `ended by ${signal}`}`);
      const problems = await problemsOf(out, writer);
      if (random.next() < 0.3) {
        const again = await cli([...words, "--quiet"], { cwd: folder });
        if (again.code !== 0) add("failed: the next run", `${what}: ${again.stderr}`);
        else problems.push(...await problemsOf(out, writer, true));
      }
      for (const problem of problems) add(problem, what);
    }
  });
  return counts;
}

async function ended(folder: string, words: readonly string[]): Promise<void> {
  const { code, stderr } = await cli([...words, "--quiet"], { cwd: folder });
  if (code !== 0) throw new Error(`Cannot try ${words.join(" ")}: ${stderr}`);
}

/** Starts a command and sends it a signal. Returns undefined if it did not end. */
async function killed(folder: string, words: readonly string[], signal: "SIGKILL" | "SIGINT", moment: number) {
  const child = start([...words, "--quiet"], { cwd: folder }), output = child.output();
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
  // Before it listens, Ctrl-C ends it at once, and without a word.
  const isSentence = by !== null || code === 0 || /^[^\n]+\n$/.test(text) && text.startsWith("Stopped");
  return { isEnded: by === null && code === 0, isSentence, stderr: text };
}

async function putForeign(out: string): Promise<void> {
  for (const name of FOREIGN) {
    await Deno.mkdir(join(out, name, ".."), { recursive: true });
    await Deno.writeTextFile(join(out, name), name);
  }
}

/** What is wrong with what a command left: outcomes that count as failures. */
async function problemsOf(out: string, { isFile }: Writer, isComplete = false): Promise<string[]> {
  if (isFile) {
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
  const left = (await files(out)).filter((name) => !expected.has(name));
  if (record.state !== "complete") problems.push("failed: a whole run that says it is not complete");
  return [...problems, ...left.map((name) => `failed: ${name} is left over`)];
}
