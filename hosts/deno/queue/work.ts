/** Takes jobs of an engine and does them: what `worker` does. */
import { rangeText } from "../../../pipelines/shards/ranges.ts";
import { counted } from "../../../core/counted.ts";
import { reason } from "../system/reason.ts";
import { shortLine } from "../system/printable.ts";
import { asideText } from "../folders/set_aside.ts";
import { checkNoLink, endParts } from "../runs/unlocked_parts.ts";
import type { PluginSource } from "../plugins/plugins.ts";
import { connectEngine, type EngineClient } from "./engine_client.ts";
import { engineName } from "./engine_url.ts";
import { isSignedJob } from "./job_signature.ts";
import { type EndJob, type PartJob, readJob, Refused, Unsuited } from "./jobs.ts";
import type { EngineAddress, Outcome, TakenJob } from "./messages.ts";
import { packFinder, type PackPlaces } from "./packs.ts";
import { checkOwnPart, readRunOf, within } from "./run_folder.ts";
import { aboutOf } from "../runs/inspect_folder.ts";
import { type ShardThreads, shardThreads } from "./shard_threads.ts";
import { PATIENCE, troubleSayer } from "./trouble.ts";

/** How a worker works. */
export interface WorkOptions extends PackPlaces {
  readonly engine: EngineAddress;
  /** How many parts are made at a time, each on one thread. */
  readonly concurrency: number;
  /** Seconds after which another worker takes a job over whose worker is silent. */
  readonly lock: number;
  /** The modules of third-party plugins that this worker has. */
  readonly plugins: readonly PluginSource[];
  /** Seconds without a job that it suits after which the worker ends; by default it waits for ever. */
  readonly idle?: number;
  /** Whether it should stop. */
  readonly signal: AbortSignal;
  /** The key that jobs must be signed with; undefined if any job is taken. */
  readonly key?: CryptoKey;
  readonly say: (text: string) => void;
}

/** Milliseconds between two looks at whether to end. */
const LOOK = 50;

/**
 * Works until it is stopped, or idle.
 *
 * @returns how many images were made
 * @throws {Error} if the engine cannot be reached any more
 */
export async function work(given: WorkOptions): Promise<number> {
  // A writer of the queue could forge lines, or fill the disk with one.
  const options = { ...given, say: (text: string) => given.say(shortLine(text)) };
  using threads = shardThreads(options.concurrency);
  const tools = { threads, packOf: packFinder(options) };
  let images = 0;
  for (;;) {
    const { made, silence } = await session(options, tools);
    images += made;
    if (silence === undefined) return images;
    // This process was stopped, by a signal or by a machine that slept, and goes on; or its client hangs.
    options.say(`${silence}; other workers have its parts. Connecting again`);
  }
}

/** What parts are made with. */
interface Tools {
  readonly threads: ShardThreads;
  /** Finds the path of a job's pack. */
  packOf(pack: PartJob["pack"]): Promise<string>;
}

/** Reasons that are remembered, at most, so that they are said once. */
const MAX_REASONS = 1000;

/** Remembers the reason for which a job was given back; the oldest is forgotten when there are too many. */
function remember(reasons: Set<string>, why: string): void {
  reasons.add(why);
  const [oldest] = reasons;
  if (reasons.size > MAX_REASONS) reasons.delete(oldest);
}

/** Jobs that are remembered while a worker looks for the first one that it can do, at most. */
const MAX_OFFERED = 1_000_000;

/** Works with one client. */
async function session(options: WorkOptions, tools: Tools): Promise<{ made: number; silence?: string }> {
  const { engine, concurrency, lock, idle = Infinity, signal, say } = options, name = engineName(engine);
  const refused = new Set<string>(), sayTrouble = troubleSayer(engine, say);
  const offered = new Set<string>(); // the jobs that were given back since the last work
  let open = 0, made = 0, last = performance.now(), isFirstLook = true, since: number | undefined;

  const taken = async (job: TakenJob) => {
    open++;
    const outcome = await outcomeOf(job, options, tools);
    if ("images" in outcome) made += outcome.images;
    // A run that this worker does not suit offers its parts again and again.
    else if (outcome.outcome === "failed" || !refused.has(outcome.why)) say(outcome.why);
    if (outcome.outcome === "back") {
      remember(refused, outcome.why);
      isFirstLook &&= !offered.has(job.id) && offered.size < MAX_OFFERED;
      if (isFirstLook) offered.add(job.id);
    } else {
      offered.clear();
      isFirstLook = true;
    }
    // A job that is given back is no work: it comes again and again, and would keep the worker for ever. But as long as it has not
    // looked at all jobs that wait, there may be one that it can do.
    if (isFirstLook) last = performance.now();
    (await connected).end(job.id, outcome);
    open--;
  };
  const connected: Promise<EngineClient> = connectEngine(engine, { concurrency, lock, idle: options.idle }, {
    taken,
    warned: say,
    trouble(why) {
      sayTrouble(why);
      since = why === undefined ? undefined : since ?? performance.now();
    },
  });
  await using client = await connected;
  say(`Waiting for parts at ${name}, ${counted(concurrency, "part")} at a time`);
  let ended: Awaited<EngineClient["ended"]>, isOver = false;
  client.ended.then((end) => [ended, isOver] = [end, true]);
  while (!isOver) {
    await new Promise((resolve) => setTimeout(resolve, LOOK));
    const now = performance.now();
    if (signal.aborted || open === 0 && now - last > idle * 1000) {
      if (open > 0) say(`Finishing ${counted(open, "part")}, then stopping`);
      await client.close();
      return { made };
    }
    if (since !== undefined && now - since > PATIENCE) {
      throw new Error(`Cannot reach the engine ${name} any more: it did not answer for ${PATIENCE / 60_000} minutes`);
    }
  }
  if (ended && ended.silence === undefined) throw new Error(ended.why);
  return { made, silence: ended?.silence };
}

/** An outcome; of a job that is done, how many images were made. */
type Ended = Exclude<Outcome, { outcome: "done" }> | { readonly outcome: "done"; readonly images: number };

/** Does a job, and says how it ended. */
async function outcomeOf(job: TakenJob, options: WorkOptions, tools: Tools): Promise<Ended> {
  try {
    const read = readJob(job);
    await checkSignature(read, job, options.key);
    if ("end" in read) return { outcome: "done", images: await endRun(read.end, options) };
    return { outcome: "done", images: await makePartOf(read.part, options, tools) };
  } catch (error) {
    if (error instanceof Unsuited) return { outcome: "back", why: error.message };
    return { outcome: "failed", why: shortLine(reason(error)), isFinal: error instanceof Refused };
  }
}

/**
 * Checks that who added a job has the key.
 *
 * @throws {Unsuited} otherwise: a worker that has no key, or another one, may do the job
 */
async function checkSignature(read: ReturnType<typeof readJob>, { data }: TakenJob, key?: CryptoKey): Promise<void> {
  const job = "end" in read ? read.end : read.part;
  if (!key || await isSignedJob(job, (data as { signature?: unknown }).signature, key)) return;
  throw new Unsuited(
    `Cannot work for ${job.folder}: expected jobs that are signed with the --engine-key of this worker`,
  );
}

async function endRun({ folder, settings }: EndJob, { folders, say }: WorkOptions): Promise<number> {
  const real = await within(folder, folders), record = await readRunOf(real, settings);
  if (record.state !== "running") return 0; // the run has ended
  const { manifest: { count }, aside } = await endParts(real, aboutOf(record), () => checkNoLink(real));
  if (aside.length > 0) say(asideText(folder, aside));
  say(`${folder}: whole, ${counted(count, "image")}`);
  return 0;
}

async function makePartOf(
  job: PartJob,
  { folders, plugins, say }: WorkOptions,
  { threads, packOf }: Tools,
): Promise<number> {
  const folder = await within(job.folder, folders);
  const { batch } = checkOwnPart(job, await readRunOf(folder, job.settings));
  const pack = await packOf(job.pack), started = performance.now();
  const { count } = await threads.make({ job: { ...job, folder }, batch, pack, plugins });
  say(`${job.folder}: ${rangeText(job)} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return count;
}
