// A thread of `worker`: makes and writes the parts of one run, one after another, from its pack.
import { SEED_SOURCES } from "../../../core/profile.ts";
import type { Runner } from "../../../pipelines/run/runner.ts";
import { fingerprint, type PartedRun, type PartEntry } from "../../../pipelines/shards/part.ts";
import { differences } from "../../../pipelines/shards/settings.ts";
import { reason } from "../system/reason.ts";
import { sha256 } from "../system/hashes.ts";
import { readRecordedRequest } from "../runs/run_request.ts";
import { isSeedSourceName } from "../runs/request_plan.ts";
import { readSynthesis } from "../runs/read_synthesis.ts";
import { writePart } from "../runs/unlocked_parts.ts";
import { openParts, settingsOfRun } from "../runs/write_parts.ts";
import { openSources } from "../plugins/open_plugins.ts";
import type { PluginSource } from "../plugins/plugins.ts";
import { denoRunner } from "../workers/deno_runner.ts";
import { posted, type PostedError } from "../threads/posted_error.ts";
import { type PartJob, Refused, Unsuited } from "./jobs.ts";
import { readRunOf } from "./run_folder.ts";
import { pluginsOfRun } from "./run_plugins.ts";

/** A part to make. */
export interface ShardTask {
  readonly job: PartJob;
  /** Which time it is that the parts of the run are handed out: see `PartsToMake`. */
  readonly batch: string;
  /** The path of the pack on this machine. */
  readonly pack: string;
  /** The modules of third-party plugins that the worker has. */
  readonly plugins: readonly PluginSource[];
}

/** What came of it: its entry, or an error and of which kind it is. */
export type ShardAnswer =
  | { readonly entry: PartEntry }
  | { readonly error: PostedError; readonly kind: "unsuited" | "refused" | "failed" };

/** The worker's global scope: the types of workers cannot be loaded beside those of Deno. */
const scope = self as unknown as {
  onmessage: (event: MessageEvent<ShardTask>) => void;
  postMessage(answer: ShardAnswer): void;
};

/** An open run. */
interface OpenRun {
  readonly run: PartedRun;
  readonly runner: Runner;
}
let open: Promise<OpenRun> | undefined;

scope.onmessage = async ({ data: task }) => {
  const { job, batch, plugins } = task;
  try {
    open ??= openRun(task);
    const { run, runner } = await open;
    await pluginsOfRun(run.settings, plugins, job.folder); // each part loads their code again
    const entry = await writePart(runner, run, job, job.folder, batch);
    scope.postMessage({ entry: entry! }); // this runner is never stopped
  } catch (error) {
    const kind = error instanceof Unsuited ? "unsuited" : error instanceof Refused ? "refused" : "failed";
    scope.postMessage({ error: posted(error), kind });
  }
};

/** Opens the run with this worker's code and pack, which must come to the settings of the run. */
async function openRun({ job, pack, plugins: all }: ShardTask): Promise<OpenRun> {
  const { folder, settings: wanted, partSize } = job, record = await readRunOf(folder, wanted);
  const plugins = await openSources(await pluginsOfRun(record.settings, all, folder), true);
  await checkPack(pack, job);
  const recorded = readRecordedRequest(record.request), request = { ...recorded, data: pack };
  // A path would lead out of the folders of this worker.
  if (recorded.from !== undefined && !isSeedSourceName(recorded.from)) {
    throw new Refused(`Cannot work for ${folder}: expected seed images from ${SEED_SOURCES.join(" or ")}, got files`);
  }
  const { input, from } = await readSynthesis(request, plugins.registry, { threads: 1, quiet: true }, record);
  const parts = { input, from, format: record.settings.format, recorded };
  const settings = await settingsOfRun(input, parts);
  if (await fingerprint(settings, sha256) !== wanted) {
    const names = differences(settings, record.settings).join(", ");
    throw new Unsuited(`Cannot work for ${folder}: its settings differ from those of this worker (${names})`);
  }
  const runner = denoRunner({ threads: 1, quiet: true, plugins });
  return { run: (await openParts(runner, parts, settings, partSize))!, runner };
}

/**
 * Checks that a pack is the one of a job.
 *
 * @throws {Unsuited} if it is another one, or none, or none that has an end
 */
async function checkPack(path: string, { folder, pack: { bytes: length, sha256: sum } }: PartJob): Promise<void> {
  const other = (got: string) => new Unsuited(`Cannot work for ${folder} with another pack: ${path}: ${got}`);
  try {
    const { isFile, size } = await Deno.stat(path);
    // A pipe or a device may never end.
    if (!isFile) throw other("expected a file");
    if (size !== length) throw other(`expected ${length} bytes, got ${size}`);
    const actual = await sha256(await Deno.readFile(path));
    if (actual !== sum) throw other(`expected SHA-256 ${sum.slice(0, 12)}, got ${actual.slice(0, 12)}`);
  } catch (error) {
    throw error instanceof Unsuited ? error : new Unsuited(`Cannot read the pack ${path}: ${reason(error)}`);
  }
}
