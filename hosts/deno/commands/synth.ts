/** `deno task synth`: synthesizes images and writes them to a folder. */
import { messagePrinter } from "../system/printable.ts";
import { readThreads } from "./flags/common_flags.ts";
import { readKeyFlag, readSynthEngine } from "./flags/engine_flags.ts";
import { command } from "./flags/flags.ts";
import { checkFlagsOfPage, readRepeatedRequest, readRunRequest, SYNTH_FLAGS } from "./flags/synth_flags.ts";
import { needed } from "../system/needed.ts";

/** The command. */
export const COMMAND = command({
  name: "synth",
  about: "Synthesizes images by randomized patch-matching.",
  flags: SYNTH_FLAGS,
  examples: [
    "deno task synth --profile faces",
    "deno task synth --profile digits --class 3 --count 64 --seed 7 --out threes",
    "deno task synth --profile texture --data brick.png --size 300x200 --count 1",
    "deno task synth --run out/faces --out again",
    "deno task synth --profile texture --data brick.png --tile both --count 1",
    "deno task synth --profile sprites --data my-sprites --count 100",
    "deno task synth --profile digits --set prior.neighbours=20 --context none",
  ],
  async run({ given }) {
    const { run, data, out = "out/page", force, quiet } = given;
    const repeated = run === undefined
      ? undefined
      : await (await needed<typeof import("../runs/repeat_run.ts")>("runs/repeat_run.ts")).readRun(run);
    if (repeated && "link" in repeated) {
      checkFlagsOfPage(given);
      const { repeatPage } = await needed<typeof import("../runs/page_run.ts")>("runs/page_run.ts");
      const say = messagePrinter(quiet);
      say(await repeatPage(repeated, data, { folder: out, force, inputs: [run, data], say }));
      return;
    }
    const request = repeated ? readRepeatedRequest(given, repeated.request) : readRunRequest(given);
    const options = { ...given, request, repeated, threads: readThreads(given.threads) };
    const engine = await readSynthEngine(given);
    const { runSynth } = await needed<typeof import("../runs/synthesize.ts")>("runs/synthesize.ts");
    if (!engine) return await runSynth(options);
    const { guardingLock } = await needed<typeof import("../plugins/guard_lock.ts")>("plugins/guard_lock.ts");
    const { queueOf } = await needed<typeof import("../queue/write_by_engine.ts")>("queue/write_by_engine.ts");
    const queue = queueOf(engine, given["pack-url"], await readKeyFlag(given["engine-key"]));
    await guardingLock(() => runSynth({ ...options, queue }));
  },
});
