/** `deno task worker`: makes parts of runs that `synth --engine` began. */
import { quietFlag } from "./flags/common_flags.ts";
import { command, UsageError, wholeNumber } from "./flags/flags.ts";
import { engineFlags, readEngineFlags, readKeyFlag } from "./flags/engine_flags.ts";
import { messagePrinter } from "../system/printable.ts";
import { reason } from "../system/reason.ts";
import { needed } from "../system/needed.ts";

/** Seconds after which a part is another worker's, by default: half as long as a part should take at most. */
const LOCK = 15;
/** The most parts at a time: as the threads of other commands. */
const MAX_PARTS = 64;

/** The command. */
export const COMMAND = command({
  name: "worker",
  about: "Makes parts of the runs that synth --engine began, on any machine that sees their folders.",
  flags: {
    ...engineFlags,
    engine: { ...engineFlags.engine, about: `${engineFlags.engine.about} (env)` },
    folder: {
      value: "DIR",
      many: true,
      about:
        "a folder of results and packs; the worker reads and writes nothing outside of it; several times for more (out)",
    },
    "pack-url": {
      value: "URL",
      many: true,
      about:
        "allow fetching packs from below https://HOST/PATH/ or s3://BUCKET/PATH/; several times for more (no address)",
    },
    concurrency: { value: "N", about: "parts at a time, each on a thread with the data in memory (1)" },
    idle: { value: "SECONDS", about: "end after this many seconds without a part (wait for ever)" },
    lock: {
      value: "SECONDS",
      about: `seconds of silence after which another worker takes over the parts of this one (${LOCK})`,
    },
    plugin: {
      value: "SPEC",
      many: true,
      about: "a third-party plugin, for runs that were begun with the same code; in a sandbox; several times for more",
    },
    ...quietFlag,
  },
  examples: [
    "deno task worker --engine redis://queue.example:6379 --folder /shared",
    "deno task worker --engine redis://queue.example:6379 --folder /shared --plugin ./my_prior.ts",
    "PATCHLOOM_ENGINE=postgres://me:secret@db.example/jobs deno task worker --concurrency 8",
  ],
  async run({ given }) {
    const { folder, concurrency = "1", idle, lock = String(LOCK), quiet } = given, say = messagePrinter(quiet);
    const engine = await readEngineFlags(given.engine ?? "env", given["engine-ca"]);
    const options = {
      engine,
      key: await readKeyFlag(given["engine-key"]),
      concurrency: wholeNumber("concurrency", concurrency, 1, MAX_PARTS),
      lock: wholeNumber("lock", lock, 1, 3600),
      idle: idle === undefined ? undefined : wholeNumber("idle", idle, 0, 2 ** 31),
      packUrls: given["pack-url"].map(readPackUrl),
      folders: await Promise.all((folder.length > 0 ? folder : ["out"]).map(realFolder)),
    };
    const { startWorker } = await needed<typeof import("../queue/start_worker.ts")>("queue/start_worker.ts");
    const { guardingLock } = await needed<typeof import("../plugins/guard_lock.ts")>("plugins/guard_lock.ts");
    const images = await guardingLock(() => startWorker(options, given.plugin, say));
    say(`${images} ${images === 1 ? "image" : "images"} made`);
  },
});

/** Reads a value of `--pack-url`: the address of a folder. */
function readPackUrl(given: string): string {
  const url = URL.parse(given);
  const isFolder = url && /^(https?|s3):$/.test(url.protocol) && url.host !== "" && url.username === "" &&
    url.search === "" && url.hash === "";
  if (!isFolder) {
    // It may hold a password.
    throw new UsageError(
      "Cannot use --pack-url: expected https://HOST/PATH/ or s3://BUCKET/PATH/, without a user or a query",
    );
  }
  return url.href.replace(/\/*$/, "/");
}

async function realFolder(path: string): Promise<string> {
  const real = await Deno.realPath(path).catch((error) => {
    throw new UsageError(`Cannot use --folder ${path}: ${reason(error)}`);
  });
  if (!(await Deno.stat(real)).isDirectory) throw new UsageError(`Cannot use --folder ${path}: expected a folder`);
  return real;
}
