// `deno task fuzz:coverage [--seconds N] [--seed S] [--keep]`: tries inputs that reach new code of the readers, beginning with those of
// `corpus`, which every input that reached new code may be added to. jsfuzz runs them in Node, where it counts what is reached. With a
// seed, the same readers are given the same inputs, as many as the time allows.
import { parseArgs } from "@std/cli/parse-args";
import { fromFileUrl, join } from "@std/path";

/** The version of the fuzzer. It has no lock file of its own: it runs beside the tests, and nothing of it is released. */
const FUZZER = "jsfuzz@1.0.15";
/** Seconds for an input, which takes milliseconds unless the machine is under load, and megabytes for all. */
const LIMITS = ["--timeout", "30", "--rss-limit-mb", "2000"];
/** Its grammars of texts take longer to learn from files of bytes than all inputs together. */
const WITHOUT_GRAMMARS = ["--versifier", "false"];
/** Bytes of the longest input that is kept. */
const LONGEST = 1600;
const CORPUS = fromFileUrl(new URL("./corpus/", import.meta.url));
const TARGETS = fromFileUrl(new URL("./coverage_targets.ts", import.meta.url));

/** What makes the fuzzer's numbers random again and again the same. */
const SEEDED = (seed: number) => `
let state = ${seed};
Math.random = () => {
  state = state + 0x6d2b79f5 | 0;
  let mixed = Math.imul(state ^ state >>> 15, state | 1);
  mixed ^= mixed + Math.imul(mixed ^ mixed >>> 7, mixed | 61);
  return ((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32;
};
`;

const given = parseArgs(Deno.args, { string: ["seconds", "seed"], boolean: ["keep"] });
const seconds = Number(given.seconds ?? 60), seed = Number(given.seed ?? Math.floor(2 ** 32 * Math.random()));
if (!(seconds > 0) || !Number.isSafeInteger(seed)) {
  console.error("Usage: deno task fuzz:coverage [--seconds N] [--seed S] [--keep]");
  Deno.exit(2);
}
const folder = await Deno.makeTempDir();
let code: number;
try {
  await run(Deno.execPath(), ["bundle", "--quiet", "--format", "cjs", "-o", join(folder, "targets.cjs"), TARGETS]);
  await run("npm", ["install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", folder, FUZZER]);
  await Deno.writeTextFile(join(folder, "seeded.cjs"), SEEDED(seed));
  await Deno.mkdir(join(folder, "corpus"));
  for (const { name } of Deno.readDirSync(CORPUS)) {
    await Deno.copyFile(join(CORPUS, name), join(folder, "corpus", name));
  }
  code = await campaign();
  if (given.keep) { for (const { name } of Deno.readDirSync(join(folder, "corpus"))) await keep(name); }
} finally {
  await Deno.remove(folder, { recursive: true });
}
Deno.exit(code);

/** Fuzzes until the time is over. Returns 1 if an input failed, which is printed. */
async function campaign(): Promise<number> {
  const fuzzer = join(folder, "node_modules/jsfuzz/build/src/index.js");
  const child = new Deno.Command("node", {
    args: [
      "--require",
      "./seeded.cjs",
      fuzzer,
      "targets.cjs",
      "corpus",
      "--exact-artifact-path",
      "failing",
      ...LIMITS,
      ...WITHOUT_GRAMMARS,
    ],
    cwd: folder,
    stdout: "piped",
    stderr: "inherit",
    detached: true, // a group of its own, with the worker that the fuzzer starts
  }).spawn();
  let isOver = false, text = "";
  const timer = setTimeout(() => {
    isOver = true;
    Deno.kill(-child.pid, "SIGKILL"); // the worker would go on, and hold the output open
  }, seconds * 1000);
  for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) text += part;
  await child.status;
  clearTimeout(timer);
  const inputs = Number(text.match(/^#(\d+)/gm)?.at(-1)?.slice(1) ?? 0);
  const failing = await Deno.readFile(join(folder, "failing")).catch(() => undefined);
  console.log(text.split("\n").slice(failing || !isOver ? -40 : -2).join("\n").trim());
  if (failing) console.log(`The input that failed, in base64: ${failing.toBase64()}`);
  console.log(`${inputs} inputs of seed ${seed} in ${seconds} s: ${failing || !isOver ? "a failure" : "none failed"}`);
  return failing || !isOver ? 1 : 0;
}

/** Keeps an input, unless it is long: the tests read all of them. */
async function keep(name: string): Promise<void> {
  const path = join(folder, "corpus", name), { size } = await Deno.stat(path);
  if (size > 0 && size <= LONGEST) await Deno.copyFile(path, join(CORPUS, name));
}

/** @throws {Error} if the program fails */
async function run(program: string, args: string[]): Promise<void> {
  const { success } = await new Deno.Command(program, { args, stdin: "null" }).output();
  if (!success) throw new Error(`${program} ${args.join(" ")} failed`);
}
