/** The commands that write, as `kills.ts` kills them, and what they read. */
import { join } from "@std/path";
import { encode } from "fast-png";
import { blobs, cli, smallData } from "../hosts/deno/cli.ts";

/** A command that writes. It gets the place of its results as its last words. */
export interface Writer {
  readonly words: readonly string[];
  /** The words before the place: `--out` by default. */
  readonly at?: readonly string[];
  /** What it writes: a folder with a record by default, a file, or a folder without a record. */
  readonly kind?: "file" | "plain";
  /** Whether `--resume` goes on with what a killed run left. */
  readonly resumes?: boolean;
  /** The folder of a finished run that it changes: it is given a copy. */
  readonly changes?: string;
  /** Makes a folder whole where the same command does not go on with what a killed one left. */
  readonly repair?: (place: string) => readonly string[];
}

const DIGITS = ["--profile", "digits", "--data", "data"], QUIET = ["--threads", "1", "--quiet"];
/** Runs that commands change or join, by their folders. */
const RUNS: Readonly<Record<string, readonly string[]>> = {
  "images": ["--count", "12", "--dependencies"],
  "parts": ["--count", "24", "--dependencies", "--format", "idx", "--part", "2"],
  "shard-1": ["--count", "24", "--part", "2", "--shard", "1/2"],
  "shard-2": ["--count", "24", "--part", "2", "--shard", "2/2"],
};
const FORGET = ["forget", "--ids", "1,2", ...QUIET];

/** The commands. Tests take the first ones. */
export const WRITERS: readonly Writer[] = [
  { words: ["synth", ...DIGITS, "--count", "40", ...QUIET] },
  { words: ["unpack", "small.loom", "--png", "--quiet"] },
  { words: ["assess", ...DIGITS, "--images", "test", "--metric", "originality", "--report", ...QUIET] },
  { words: ["pack", ...DIGITS, "--quiet"], kind: "file" },
  { words: ["restore", ...DIGITS, "--task", "denoise", "--count", "2", ...QUIET] },
  { words: ["plugin", "new", "prior", "wobble"], kind: "plain" },
  { words: ["compare", ...DIGITS, "--count", "2", "--prior", "local-nn", ...QUIET] },
  { words: ["reproduce", "digits", "--data", "data", "--limit", "2", ...QUIET], resumes: true },
  { words: ["data", "import", "pictures", "--size", "16"] },
  { words: ["fill", "pictures/cats/0.png", "--mask", "quarter", "--quiet"] },
  { words: ["unpack", "small.loom", "--quiet"] },
  {
    words: [
      ...["tune", ...DIGITS, "--class", "1", "--trials", "1", "--count", "40", "--objective", "originality"],
      ...QUIET,
    ],
    resumes: true,
  },
  { words: ["ablate", ...DIGITS, "--class", "1", "--count", "2", ...QUIET] },
  { words: ["build:edge", "small.loom"], at: [] },
  { words: ["demo", "--quiet"] },
  { words: ["synth", ...DIGITS, ...RUNS["shard-1"], ...QUIET], resumes: true },
  { words: ["merge", "shard-1", "shard-2", "--quiet"] },
  { words: FORGET, at: [], changes: "images", repair: (place) => ["synth", ...QUIET, "--run", place, "--out", place] },
  { words: FORGET, at: [], changes: "parts" },
  {
    words: [
      ...["worth", ...DIGITS, "--each", "2", "--added", "2", "--method", "real", "--method", "patchloom"],
      ...["--classifier", "nearest", "--draws", "4", "--tested", "4", ...QUIET],
    ],
    resumes: true,
  },
];

/** Makes what the commands read: images, a pack, a folder of pictures in two classes, and the runs that some of the writers need. */
export async function putSources(folder: string, writers: readonly Writer[]): Promise<void> {
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
  for (const [name, words] of Object.entries(RUNS)) {
    const isNeeded = writers.some((writer) => writer.changes === name || writer.words.includes(name));
    if (isNeeded) await ended(folder, ["synth", ...DIGITS, ...words, ...QUIET, "--out", name]);
  }
}

/** Runs a command, which must succeed. */
export async function ended(folder: string, words: readonly string[]): Promise<void> {
  const { code, stderr } = await cli(words, { cwd: folder });
  if (code !== 0) throw new Error(`Cannot try ${words.join(" ")}: ${stderr}`);
}
