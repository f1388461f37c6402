/**
 * Kills commands that write, at random moments, by SIGKILL or Ctrl-C. Whatever the moment, no foreign file is lost or changed, and
 * no folder says of itself what is not so; the next run into the same folder cleans it up, and makes what an undisturbed run makes.
 */
import { dirname, join } from "@std/path";
import { stream } from "../../core/random.ts";
import { readPack } from "../../datasets/formats/pack.ts";
import { sha256 } from "../../hosts/deno/system/hashes.ts";
import { readRecord, writtenFiles } from "../../hosts/deno/folders/folder_record.ts";
import { cli, files, type Options, start, withFolder } from "../hosts/deno/cli.ts";
import { ended, putSources, type Writer, WRITERS } from "./writers.ts";

/** Foreign files in the folders: one beside the results, one among them, one of a name that looks like theirs. */
const FOREIGN = ["mine.txt", "images/cat.png", "train/1/mine.png", "images/99999.png", "run.json.bak"];
/** Files that every run of a command makes with the same bytes. Reports have times. */
const SAME = /^(data|images)\/|^(manifest\.json|sheet\.png|worth\.csv)$/;
/** A command that was asked to stop and takes longer than this hangs, also on a busy machine. */
const PATIENCE = 60_000;
/** The part of the kills that come near the end of a command, where most files get their names; the others come at any time. */
const LATE = 0.5;

/** Kills `count` commands, each of the writers in turn. */
export async function run(count: number, seed: number, writers = WRITERS): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const add = (outcome: string, what = "") => {
    counts[outcome] = (counts[outcome] ?? 0) + 1;
    if (what !== "") console.error(`${outcome}: ${what}`);
  };
  await withFolder(async (folder) => {
    const used = writers.slice(0, count);
    await putSources(folder, used);
    const sources = await sumsIn(folder);
    const random = stream(seed), firsts = new Map<Writer, First>();
    for (let n = 0; n < count; n++) {
      const index = n % writers.length, writer = writers[index], name = `out/${index}`, out = join(folder, name);
      const plain = [...writer.words, ...writer.at ?? ["--out"], name], again = [...plain, ...resume(writer)];
      // Going on with a whole folder does nothing.
      const isHalf = random.next() < 0.5 && (await readRecord(out))?.state !== "complete",
        words = isHalf ? again : plain;
      // The first run of a command shows how long it takes; later ones are killed in folders that hold an earlier result.
      if (!firsts.has(writer)) firsts.set(writer, await first(folder, plain, out, writer));
      const { duration, made } = firsts.get(writer)!, signal = random.next() < 0.5 ? "SIGKILL" : "SIGINT";
      const moment = duration * (random.next() < LATE ? 0.8 + 0.25 * random.next() : random.next());
      const what = `${words.join(" ")}, kill ${n} of seed ${seed}, ${signal} after ${moment.toFixed(0)} ms`;
      if (writer.kind === "plain") await removeMade(out, made); // it never replaces what is there
      if (writer.changes !== undefined) await putChanged(folder, out, writer);
      const end = await killed({ cwd: folder }, words, signal, moment);
      if (end === undefined) add("hang", what);
      else if (!end.isSentence) add("crash", `${what}: ${end.stderr}`);
      else add(`${commandOf(words)}: ${end.isEnded ? "came to its end before the signal" : `ended by ${signal}`}`);
      const problems = await problemsOf(out, writer, made);
      // A whole folder without a record is never written again.
      const isWhole = writer.kind === "plain" && (await problemsOf(out, writer, made, true)).length === 0;
      if (random.next() < (writer.resumes || writer.changes ? 0.6 : 0.3) && !isWhole) {
        const repair = (await readRecord(out))?.state === "running" ? writer.repair : undefined;
        const next = repair ? repair(name) : again;
        const started = performance.now(), ran = await cli(next, { cwd: folder });
        // A machine that is busy now may be idle later: kills would come after the end. What goes on takes less time.
        if (!writer.resumes && !repair) firsts.set(writer, { duration: performance.now() - started, made });
        if (ran.code !== 0) add("failed: the next run", `${what}: ${ran.stderr}`);
        else problems.push(...await problemsOf(out, writer, made, true));
      }
      for (const problem of problems) add(problem, what);
    }
    for (const [name, sum] of sources) {
      if (await sumOf(join(folder, name)) !== sum) add("lost or changed: a source", name);
    }
  });
  return counts;
}

/** What the first run of a command shows. */
interface First {
  /** Milliseconds. */
  readonly duration: number;
  /** The SHA-256 of the files that it makes: of those in a folder with a record the ones that are always the same. */
  readonly made: ReadonlyMap<string, string>;
}

function resume({ resumes }: Writer): string[] {
  return resumes ? ["--resume"] : [];
}

/** The name of a command, with its subcommand. */
function commandOf([name, more]: readonly string[]): string {
  return ["plugin", "data"].includes(name) ? `${name} ${more}` : name;
}

/** Runs a command to its end, in a folder that holds foreign files. */
async function first(folder: string, words: readonly string[], out: string, writer: Writer): Promise<First> {
  if (writer.changes !== undefined) await putChanged(folder, out, writer);
  else if (writer.kind !== "file") await putForeign(out);
  const started = performance.now();
  await ended(folder, words);
  const duration = performance.now() - started;
  const all = writer.kind === "file" ? [] : [...await sumsIn(out)].filter(([name]) => !FOREIGN.includes(name));
  return { duration, made: new Map(writer.kind === "plain" ? all : all.filter(([name]) => SAME.test(name))) };
}

/** Puts a copy of a finished run in place of one that was changed; half of one stays if the command goes on with it. */
async function putChanged(folder: string, out: string, { changes, repair }: Writer): Promise<void> {
  if (!repair && (await readRecord(out))?.state === "running") return;
  await Deno.remove(out, { recursive: true }).catch(() => {});
  for (const name of await files(join(folder, changes!))) {
    await Deno.mkdir(dirname(join(out, name)), { recursive: true });
    await Deno.copyFile(join(folder, changes!, name), join(out, name));
  }
  await putForeign(out);
}

async function removeMade(out: string, made: First["made"]): Promise<void> {
  for (const name of made.keys()) await Deno.remove(join(out, name)).catch(() => {});
}

/** Starts a command and sends it a signal. Returns undefined if it did not end. */
export async function killed(options: Options, words: readonly string[], signal: "SIGKILL" | "SIGINT", moment: number) {
  const child = start(words, options), output = child.output();
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
  // Lines of progress, of what is replaced, and of what a first Ctrl-C does may come first.
  const isSentence = by !== null || code === 0 || code === 130 ||
    /^(?:[^\n]* \d+ %[^\n]*\n|[^\n]+: replaces [^\n]+\n|Stopping after [^\n]+\n)*Stopped[^\n]+\n$/.test(text);
  return { isEnded: by === null && code === 0, isSentence, stderr: text };
}

async function putForeign(out: string): Promise<void> {
  for (const name of FOREIGN) {
    await Deno.mkdir(join(out, name, ".."), { recursive: true });
    await Deno.writeTextFile(join(out, name), name);
  }
}

/** The SHA-256 of all files below a folder. */
async function sumsIn(folder: string): Promise<Map<string, string>> {
  const sums = new Map<string, string>();
  for (const name of await files(folder)) sums.set(name, (await sumOf(join(folder, name)))!);
  return sums;
}

async function sumOf(path: string): Promise<string | undefined> {
  const bytes = await Deno.readFile(path).catch(() => undefined);
  return bytes && await sha256(bytes);
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
  if (kind === "plain" || isComplete) {
    for (const [name, sum] of made) {
      const found = await sumOf(join(out, name));
      if (found === undefined ? isComplete : found !== sum) problems.push(`failed: ${name} is not whole`);
    }
  }
  if (kind === "plain") {
    return isComplete ? [...problems, ...await leftBeside(new Set([...FOREIGN, ...made.keys()]))] : problems;
  }
  const record = await readRecord(out), written = await writtenFiles(out).catch(() => "refused" as const);
  if (!record) return [...problems, "lost: run.json"];
  if ((record.state === "running") !== (written === "refused")) {
    problems.push("failed: a reader takes an unfinished run");
  }
  for (const [name, sum] of record.state === "running" ? [] : Object.entries(record.files)) {
    if (await sumOf(join(out, name)) !== sum) problems.push(`failed: ${name} is not what run.json lists`);
  }
  if (!isComplete) return problems;
  const expected = new Set([...FOREIGN, "run.json", ...Object.keys(record.files)]);
  if (record.state !== "complete") problems.push("failed: a whole run that says it is not complete");
  return [...problems, ...await leftBeside(expected)];
}
