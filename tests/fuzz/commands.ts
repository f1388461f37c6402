/** Fuzzes the command line: wrong ones end with one sentence and code 1 or 2, soon, and write nothing. */
import { join } from "@std/path";
import { stream } from "../../core/random.ts";
import { files, start } from "../hosts/deno/cli.ts";
import { withFolder } from "../hosts/deno/with_folder.ts";

/** Right command lines up to the one word or two that make them wrong. */
const RIGHT: Readonly<Record<string, readonly string[]>> = {
  synth: ["--profile", "digits", "--count", "1", "--out", "o"],
  assess: ["--profile", "digits", "--images", "absent"],
  compare: ["--profile", "digits", "--out", "o"],
  restore: ["--profile", "digits", "--task", "superres", "--out", "o"],
  fill: ["absent.png", "--mask", "absent.png", "--out", "o"],
  reproduce: ["digits", "--out", "o"],
  pack: ["--profile", "digits", "--out", "o/x.loom"],
  unpack: ["absent.loom", "--out", "o"],
  plugin: ["check", "./absent.ts"],
  profile: ["show", "absent"],
  data: ["import", "absent", "--eyes", "absent.csv", "--out", "o"],
};

/** Words that no command takes. */
const WRONG: readonly (readonly string[])[] = [
  ...[["--absent"], ["--profle", "digits"], ["-x"], ["---"], ["--=1"], ["--__proto__", "1"], ["--debug=yes"]],
  ...[["--profile"], ["--profile", ""], ["--profile", "absent"], ["--profile", "/dev/zero"], [
    "--profile",
    "absent.json",
  ]],
  ...[["--profile", "x.loom"], ["--profile", "."], ["--profile", "\u001b[2Jx"], ["--profile", "digits\n"]],
  ...[["--data", "/dev/zero"], ["--data", "/dev/stdin"], ["--data", "absent"], ["--data", ""], [
    "--data",
    "/proc/self/mem",
  ]],
  ...[["--count", "-1"], ["--count", "1e10"], ["--count", "0x"], ["--seed", "0.5"], ["--seed", "9".repeat(400)]],
  ...[["--set", "x"], ["--set", "=1"], ["--set", "a=b"], ["--set", "layers.9.h=1"], ["--set", "__proto__.x=1"]],
  ...[["--set", "layers.0.iterations=-1"], ["--set", "size=1e9"], ["--prior", "absent"], ["--context", "absent"]],
  ...[["--threads", "0"], ["--threads", "many"], ["--class", "cats"], ["--class", "-1"], ["--class", "\u009b2J"]],
  ...[["--plugin", "/dev/zero"], ["--plugin", "./absent.ts"], ["--images", "/dev/zero"], ["--max-size", "1XB"]],
  ...[["extra"], ["\u202eextra"], ["--out", "a", "--out", "b"], ["--json=1"], ["--quiet", "--quiet=no"]],
];

/** Starting Deno takes under a second, and took 20 on two cores with 40 other processes. */
const HANG = 120_000;

/** Runs `count` command lines, each a right one with wrong words among it or after it. */
export async function run(count: number, seed: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}, random = stream(seed), names = Object.keys(RIGHT);
  const below = (n: number) => Math.floor(random.next() * n);
  await withFolder(async (folder) => {
    for (let n = 0; n < count; n++) {
      const name = names[n % names.length], right = RIGHT[name], wrong = WRONG[below(WRONG.length)];
      // The same flag twice is wrong in itself; the right one goes, so that the value is looked at.
      const at = right.indexOf(wrong[0]), kept = at < 0 ? right : right.toSpliced(at, 2);
      const words = [name, ...kept, ...wrong], outcome = await outcomeOf(words, folder);
      counts[outcome] = (counts[outcome] ?? 0) + 1;
    }
  });
  return counts;
}

async function outcomeOf(words: readonly string[], folder: string): Promise<string> {
  const cwd = join(folder, "cwd");
  await Deno.mkdir(cwd);
  const child = start(words, { cwd }), timer = setTimeout(() => child.kill("SIGKILL"), HANG);
  const { code, signal, stdout, stderr } = await child.output(), said = new TextDecoder().decode(stderr);
  clearTimeout(timer);
  const written = await files(cwd);
  await Deno.remove(cwd, { recursive: true });
  const outcome = signal === "SIGKILL"
    ? `hang: over ${HANG} ms`
    : signal || code > 2 || code < 0
    ? "crash: another exit code"
    : code === 0
    ? "failed: took a wrong command line for a right one"
    : !/^(?:[^\p{Cc}]|\n(?=.))+\n$/u.test(said) || /Error:|Uncaught|file:\/\/|undefined|\[object|os error/.test(said)
    ? "failed: no plain sentence"
    : stdout.length > 0
    ? "failed: printed a result"
    : written.length > 0
    ? "foreign: wrote files"
    : `code ${code} and a sentence`;
  if (/^(hang|crash|failed|foreign)/.test(outcome)) {
    console.error(`${outcome}: ${JSON.stringify(words)}: ${JSON.stringify(said)} ${written.join(" ")}`);
  }
  return outcome;
}
