// What an engine costs: `deno run -A bench/engine.ts [IMAGES] [PART] [KIND...]` makes the same digits in one process, with one
// worker and with two, on Redis and PostgreSQL of its own. Seconds of the processor tell more than those of the clock where other
// programs run, too. Manifests list the SHA-256 of every file: they must be equal. Linux only.
import { join } from "@std/path";
import { certificates, startPostgres, startRedis } from "../tests/hosts/deno/queue/servers.ts";

const [images = "20000", part = "1000", ...kinds] = Deno.args;
const folder = await Deno.realPath(await Deno.makeTempDir()), at = (name: string) => join(folder, name);
const MAIN = new URL("../hosts/deno/main.ts", import.meta.url).pathname;

/** Seconds of the processor and of the clock. */
interface Cost {
  readonly processor: number;
  readonly clock: number;
  /** Those of the processor that the engine's client took. */
  readonly client: number;
}

/** Runs a command, with its threads and children. */
async function costOf(words: readonly string[], env: Record<string, string> = {}): Promise<Cost> {
  const args = ["-c", 'TIMEFORMAT="%U %S %R"; time "$0" "$@"', Deno.execPath(), "run", "--quiet", "-A", MAIN, ...words];
  const process = new Deno.Command("bash", { args, env, stdout: "null", stderr: "piped" }).spawn();
  let client = 0;
  const watch = setInterval(async () => client = Math.max(client, await clientOf(process.pid)), 100);
  const { success, stderr } = await process.output(), text = new TextDecoder().decode(stderr);
  clearInterval(watch);
  if (!success) throw new Error(text);
  const [user, system, clock] = text.trim().split("\n").at(-1)!.split(" ").map(Number);
  return { processor: user + system, clock, client };
}

/** Seconds that the client took so far, which is a child of the command, which is a child of the shell. */
async function clientOf(shell: number): Promise<number> {
  const children = async (pid: string | number) => {
    return (await Deno.readTextFile(`/proc/${pid}/task/${pid}/children`).catch(() => "")).trim().split(" ").filter(
      Boolean,
    );
  };
  for (const command of await children(shell)) {
    for (const child of await allChildren(command)) {
      if (!(await Deno.readTextFile(`/proc/${child}/cmdline`).catch(() => "")).includes("queue/client_")) continue;
      const stat = (await Deno.readTextFile(`/proc/${child}/stat`).catch(() => "")).split(") ")[1]?.split(" ");
      if (stat) return (Number(stat[11]) + Number(stat[12])) / 100; // in ticks, of which Linux has 100 a second
    }
  }
  return 0;

  async function allChildren(pid: string): Promise<string[]> {
    const threads = await Array.fromAsync(Deno.readDir(`/proc/${pid}/task`), ({ name }) => name).catch(() => []);
    const lists = threads.map((thread) => Deno.readTextFile(`/proc/${pid}/task/${thread}/children`).catch(() => ""));
    return (await Promise.all(lists)).flatMap((list) => list.trim().split(" ").filter(Boolean));
  }
}

const sum = (costs: readonly Cost[], of: keyof Cost) => costs.reduce((all, cost) => all + cost[of], 0);
const row = (cells: readonly (string | number)[]) =>
  console.log(`| ${cells.map((cell) => typeof cell === "number" ? cell.toFixed(1) : cell).join(" | ")} |`);

await Deno.chmod(folder, 0o755); // another user runs PostgreSQL
await Promise.all(["certs", "redis", "postgres"].map((name) => Deno.mkdir(at(name))));
await certificates(at("certs"));
const data = Deno.env.get("PATCHLOOM_DATA") ? [] : ["--data", "built-in"];
// Digits of the paper take a quarter of the time of the profile digits: what the queue costs weighs four times as much.
await costOf(["pack", "--profile", "digits-paper", ...data, "--out", at("digits-paper.loom")]);
const run = (
  name: string,
) => ["--profile", at("digits-paper.loom"), "--count", images, "--part", part, "--quiet", "--out", at(name)];

row(["made by", "processor, s", "of it the queue's clients and synth", "clock, s"]);
row(["---", "---", "---", "---"]);
const plain = await costOf(["synth", ...run("plain"), "--format", "idx", "--threads", "1"]);
row(["one process", plain.processor, 0, plain.clock]);
// What two processes gain without any queue: no two workers can gain more.
const shards = await Promise.all(
  ["1/2", "2/2"].map((shard, i) =>
    costOf(["synth", ...run(`shard-${i}`), "--format", "idx", "--threads", "1", "--shard", shard])
  ),
);
row(["two processes, a shard each", sum(shards, "processor"), 0, Math.max(...shards.map(({ clock }) => clock))]);
for (const start of [startRedis, startPostgres]) {
  const kind = start === startRedis ? "redis" : "postgres";
  if (kinds.length > 0 && !kinds.includes(kind)) continue;
  await using server = await start(at(kind), at("certs"));
  const env = { PATCHLOOM_ENGINE: server.url() };
  for (const workers of [1, 2]) {
    // Idle for longer than the command takes to start on a busy machine.
    const worker = ["worker", "--folder", folder, "--idle", "60", "--quiet"];
    const working = Promise.all(Array.from({ length: workers }, () => costOf(worker, env)));
    const synth = await costOf(["synth", "--engine", "env", ...run(`${kind}-${workers}`)], env), costs = await working;
    const [manifest, other] = await Promise.all(
      ["plain", `${kind}-${workers}`].map((name) => Deno.readTextFile(at(`${name}/manifest.json`))),
    );
    if (manifest !== other) throw new Error(`${kind}, ${workers}: other bytes than those of one process`);
    const own = synth.processor + sum(costs, "client");
    row([
      `${kind}, ${workers} worker${workers > 1 ? "s" : ""}`,
      synth.processor + sum(costs, "processor"),
      own,
      synth.clock,
    ]);
  }
}
await Deno.remove(folder, { recursive: true });
Deno.exit();
