/**
 * Kills `synth --engine` and `worker` at random moments, by SIGKILL or Ctrl-C, with Redis. Whatever the moment, `--resume` and other
 * workers make what one process makes, and nothing else is left.
 */
import { assert } from "@std/assert";
import { join } from "@std/path";
import { stream } from "../../core/random.ts";
import { inspectParts } from "../../hosts/deno/runs/inspect_parts.ts";
import { certificates, startRedis } from "../hosts/deno/queue/servers.ts";
import { cli, files, type Options, start, withFolder } from "../hosts/deno/cli.ts";
import { killed } from "./kills.ts";
import { ended, putSources } from "./writers.ts";

/** The run: twelve parts of 0.1 s or so. */
const RUN = ["synth", "--profile", "small.loom", "--count", "24", "--part", "2", "--format", "idx", "--quiet"];
/** Another worker takes over from a killed one after one to two seconds. */
const WORKER = ["worker", "--folder", ".", "--lock", "1", "--quiet"];
/** Milliseconds after which a run that should end hangs, also on a busy machine. */
const LONGEST = 180_000;

/** Kills `count` commands, both in turn. */
export async function run(count: number, seed: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const add = (outcome: string, what = "") => {
    counts[outcome] = (counts[outcome] ?? 0) + 1;
    if (what !== "") console.error(`${outcome}: ${what}`);
  };
  await withFolder(async (folder) => {
    await putSources(folder, []);
    await ended(folder, [...RUN, "--threads", "1", "--out", "expected"]);
    for (const name of ["certs", "redis"]) await Deno.mkdir(join(folder, name));
    await certificates(join(folder, "certs"));
    await using server = await startRedis(join(folder, "redis"), join(folder, "certs"));
    const options = { cwd: folder, env: { PATCHLOOM_ENGINE: server.url() } }, random = stream(seed);
    let duration = await timeOf(options, "out/first");
    for (let n = 0; n < count; n++) {
      const out = `out/${n}`, words = [...RUN, "--engine", "env", "--out", out];
      const signal = random.next() < 0.5 ? "SIGKILL" : "SIGINT", moment = duration * random.next();
      const isWorker = n % 2 === 1, name = isWorker ? "worker" : "synth --engine", began = performance.now();
      const what = `${name}, kill ${n} of seed ${seed}, ${signal} after ${moment.toFixed(0)} ms`;
      if (isWorker) {
        const made = killed(options, words, "SIGINT", LONGEST);
        const end = await killed(options, WORKER, signal, moment);
        if (end === undefined) add("hang", what);
        else if (!end.isSentence) add("crash", `${what}: ${end.stderr}`);
        await using _ = helper(options);
        const run = await made;
        if (!run?.isEnded) add("failed: the run", `${what}: ${run?.stderr}`);
      } else {
        await using _ = helper(options);
        for (let times = random.next() < 0.3 ? 2 : 1; times > 0; times--) {
          const end = await killed(options, [...words, "--resume"], signal, moment);
          if (end === undefined) add("hang", what);
          else if (!end.isSentence) add("crash", `${what}: ${end.stderr}`);
        }
        const run = await killed(options, [...words, "--resume"], "SIGINT", LONGEST);
        if (!run?.isEnded) add("failed: the next run", `${what}: ${run?.stderr}`);
        else duration = (duration + performance.now() - began) / 2;
      }
      add(`${name}: ended by ${signal}`);
      for (const problem of await problemsOf(folder, out)) add(problem, what);
      await Deno.remove(join(folder, out), { recursive: true }).catch(() => {});
    }
  });
  return counts;
}

/** Milliseconds that a run takes with a worker of its own. */
async function timeOf(options: Options, out: string): Promise<number> {
  const started = performance.now();
  await using _ = helper(options);
  const { code, stderr } = await cli([...RUN, "--engine", "env", "--out", out], options);
  assert(code === 0, stderr);
  return performance.now() - started;
}

/** Starts a worker that nobody kills. */
function helper(options: Options): AsyncDisposable {
  const child = start(WORKER, options), output = child.output();
  return {
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      const { code, stderr } = await output;
      // Before it listens, the signal ends it.
      assert([0, 143].includes(code), new TextDecoder().decode(stderr));
    },
  };
}

/** What is wrong with the folder of a run that has ended. */
async function problemsOf(folder: string, out: string): Promise<string[]> {
  const at = join(folder, out), expected = join(folder, "expected"), problems: string[] = [];
  const inspection = await inspectParts([at]).catch((error: Error) => ({ isWhole: false, lines: [error.message] }));
  if (!inspection.isWhole) problems.push(`failed: ${inspection.lines.join("; ")}`);
  const names = new Set([...await files(at).catch(() => []), ...await files(expected)]);
  for (const name of names) {
    if (name === "run.json") continue;
    const [one, other] = await Promise.all(
      [at, expected].map((below) => Deno.readFile(join(below, name)).catch(() => undefined)),
    );
    if (!other) problems.push(`failed: ${name} is left over`);
    else if (!one || one.length !== other.length || one.some((byte, i) => byte !== other[i])) {
      problems.push(`failed: ${name} is not that of one process`);
    }
  }
  return problems;
}
