/** Compares a folder that has forgotten training images with a new run without them. */
import { makePart, rangeOf } from "../../../pipelines/shards/part.ts";
import { longestOf } from "../../../pipelines/shards/ranges.ts";
import { measureNearness } from "../../../pipelines/synthesis/nearness.ts";
import { prepareSynthesis, synthesizeImages } from "../../../pipelines/synthesis/synthesize_images.ts";
import type { Runner } from "../../../pipelines/run/runner.ts";
import type { Forgetting } from "./forget_images.ts";
import { inspectFolder, isPartsRecord } from "./inspect_folder.ts";
import { openResults } from "./synthesis_results.ts";
import { openParts } from "./write_parts.ts";
import { readRecord, RECORD } from "../folders/folder_record.ts";
import { readRecorded } from "../folders/recorded_file.ts";

/**
 * Makes the whole run anew, and compares every file with those of the folder, and what `run.json` says of images.
 *
 * @returns how many files were compared
 * @throws {Error} if one differs
 */
export async function proveForgotten(runner: Runner, forgetting: Forgetting): Promise<number> {
  const { folder } = forgetting, record = await readRecord(folder);
  if (!record) throw new Error(`Cannot prove it of ${folder}: its ${RECORD} is gone`);
  // What is compared is what `run.json` says of the files.
  for (const name of Object.keys(record.files)) {
    await readRecorded(`Cannot prove it of ${folder}`, folder, name, record.files);
  }
  const [there, fresh] = isPartsRecord(record)
    ? await freshParts(runner, forgetting)
    : await freshImages(runner, forgetting);
  const names = new Set([...Object.keys(there), ...Object.keys(fresh)]);
  const other = [...names].filter((name) => there[name] !== fresh[name]);
  if (other.length === 0) return names.size;
  throw new Error(
    `${other.length} of ${names.size} files of ${folder} differ from a new run without the training images, such as ${
      other[0]
    }: report this as a bug`,
  );
}

/** The content of files by name: their SHA-256, or what `run.json` says. */
type Content = Readonly<Record<string, string | null>>;

async function freshImages(runner: Runner, forgetting: Forgetting): Promise<[Content, Content]> {
  const { folder, after, from, plugins, threads, recorded } = forgetting, temporary = await Deno.makeTempDir();
  try {
    const prepared = await prepareSynthesis(runner, after);
    await using results = await openResults(temporary, after);
    const synthesized = await synthesizeImages(runner, prepared, (image, shape) => results.images([image], shape));
    if (synthesized.done.length === 0) throw new Error(STOPPED);
    const nearness = await measureNearness(runner, prepared, synthesized.done);
    const run = { ...prepared, ...synthesized, ...nearness, from, plugins };
    await results.finish(run, { threads, load: 0, recorded });
    return [await contentOf(folder), await contentOf(temporary)];
  } finally {
    await Deno.remove(temporary, { recursive: true });
  }
}

const STOPPED = "Stopped: nothing was proved";

async function contentOf(folder: string): Promise<Content> {
  const record = await readRecord(folder) as unknown as { files: Content; images: object[]; data: object };
  const { files, images, data } = record;
  return { ...files, "images in run.json": JSON.stringify(images), "data in run.json": JSON.stringify(data) };
}

async function freshParts(runner: Runner, { folder, after }: Forgetting): Promise<[Content, Content]> {
  const { record: { settings }, parts } = await inspectFolder(folder), there: Record<string, string> = {};
  const fresh: Record<string, string> = {}, most = longestOf(parts.map(({ entry }) => rangeOf(entry)));
  const run = await openParts(runner, { input: after, format: settings.format }, settings, most);
  const bar = runner.progress("Proving");
  try {
    for (const [n, { entry, name }] of parts.entries()) {
      const share = (share: number) => bar.update((n + share) / parts.length);
      const part = run && await makePart(runner, run, rangeOf(entry), share);
      if (!part) throw new Error(STOPPED);
      Object.assign(there, entry.files, { [name]: JSON.stringify(entry) });
      Object.assign(fresh, part.entry.files, { [name]: JSON.stringify(part.entry) });
    }
  } finally {
    bar.end();
  }
  return [there, fresh];
}
