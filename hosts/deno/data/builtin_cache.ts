/** Keeps the built-in images in the user's data folder: drawing them takes seconds. */
import { join } from "node:path";
import type { DataSet, LabelledImages } from "../../../datasets/data_set.ts";
import { imagesFromIdx, labelsFromIdx, writeIdx } from "../../../datasets/formats/idx.ts";
import { BUILTIN_DATA, type BuiltinName } from "../../../datasets/procedural/builtin_data.ts";
import { codeHash } from "../system/code_hash.ts";
import { sha256 } from "../system/hashes.ts";
import { needed } from "../system/needed.ts";
import { progress } from "../system/progress.ts";
import { writeAtomically } from "../system/write_atomically.ts";
import { BUILTIN_SUMS } from "./builtin_sums.ts";

type Content = Pick<DataSet, "train" | "test" | "files">;

/**
 * Returns the built-in data of a name. It is read from `folder` if it was drawn before; otherwise it is drawn and kept there.
 * Without a folder that can be written, it is drawn every time, with the same result.
 *
 * @param quiet whether to show no progress of the drawing, which takes up to half a minute
 */
export async function cachedBuiltin(
  name: BuiltinName,
  folder: string | undefined,
  quiet = true,
): Promise<Content> {
  const hash = folder && await generatorHash().catch(() => undefined); // no cache without permission to read the sources
  const version = hash && join(folder, "builtin", `${name}-${hash}`);
  const kept = version && await read(name, version);
  if (kept) return kept;
  const { drawBuiltin } = await needed<typeof import("./draw_builtin.ts")>("data/draw_builtin.ts");
  const shown = progress(`Drawing the built-in images of ${name}, this once`, quiet);
  const drawn = await drawBuiltin(name, shown.update).finally(shown.end), files = idxFiles(drawn);
  const sums = await Promise.all(files.map((file) => sha256(file.bytes)));
  if (version) await keep(version, files).catch(() => {}); // drawing again is slow, but works
  return { ...drawn, files: files.map((file, i) => ({ path: `built-in ${name}/${file.name}`, sha256: sums[i] })) };
}

/** Hashes the code that draws: what is kept has the hash in its name. */
export async function generatorHash(): Promise<string> {
  return await codeHash(["core/random.ts", "datasets/procedural/"]);
}

function idxFiles({ train, test }: Pick<DataSet, "train" | "test">): { name: string; bytes: Uint8Array }[] {
  return [["train", train] as const, ["test", test] as const].flatMap(([split, { images, labels }]) => [
    {
      name: `${split}-images-idx3-ubyte`,
      // An IDX file holds grey images: each channel is one.
      bytes: writeIdx([images.count * (images.channels ?? 1), images.height, images.width], images.pixels),
    },
    ...labels ? [{ name: `${split}-labels-idx1-ubyte`, bytes: writeIdx([images.count], labels) }] : [],
  ]);
}

/** Writes the files. Then removes what old code drew. */
async function keep(folder: string, files: readonly { name: string; bytes: Uint8Array }[]) {
  for (const { name, bytes } of files) await writeAtomically(join(folder, name), bytes);
  const { removeOldVersions } = await needed<typeof import("../system/newest_versions.ts")>(
    "system/newest_versions.ts",
  );
  await removeOldVersions(folder);
}

/** Reads what `keep` wrote; undefined if a byte of it is missing or is not what this program draws. */
async function read(name: BuiltinName, folder: string): Promise<Content | undefined> {
  try {
    const contents = new Map<string, Uint8Array>(), files: { path: string; sha256: string }[] = [];
    for (const [file, sum] of Object.entries(BUILTIN_SUMS[name])) {
      const bytes = await Deno.readFile(join(folder, file));
      if (await sha256(bytes) !== sum) return undefined;
      contents.set(file, bytes);
      files.push({ path: `built-in ${name}/${file}`, sha256: sum });
    }
    const { channels } = BUILTIN_DATA[name];
    return { train: split("train", contents, channels), test: split("test", contents, channels), files };
  } catch {
    return undefined;
  }
}

function split(name: string, contents: ReadonlyMap<string, Uint8Array>, channels: 1 | 3): LabelledImages {
  const planes = imagesFromIdx(contents.get(`${name}-images-idx3-ubyte`)!, name);
  const images = channels === 1 ? planes : { ...planes, count: planes.count / channels, channels };
  const labels = contents.get(`${name}-labels-idx1-ubyte`);
  return labels ? { images, labels: labelsFromIdx(labels, name, images.count) } : { images };
}
