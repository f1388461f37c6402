/** Imports photographs of faces whose eyes are not given, but found. */
import { counted } from "../../../pipelines/report/counted.ts";
import { UsageError } from "../commands/flags/flags.ts";
import type { Env } from "../system/data_folder.ts";
import { dataSources } from "./find_data.ts";
import { findFaces, MIN_TAUGHT, picturesCsv, usableEyes } from "./find_faces.ts";
import { importFaces, type ImportOptions, TEST, TRAIN } from "./import_faces.ts";
import { openOutFolder } from "../folders/out_folder.ts";
import { type ReadData, readData } from "./read_data.ts";

/**
 * Reads sets of aligned faces to learn from: the given one, or the first of `faces` and the first of `faces-colour`.
 *
 * @throws {UsageError} if there are none
 * @throws {Error} if one cannot be learned from
 */
export async function facesLike(like: string | undefined, env: Env): Promise<ReadData[]> {
  const known = async (name: string) => (await dataSources(name, env)).slice(0, 1).map(({ path }) => path);
  const paths = like === undefined ? [...await known("faces"), ...await known("faces-colour")] : [like];
  if (paths.length === 0) {
    throw new UsageError(
      "--faces learns from aligned faces what eyes look like: expected --like DIR, or faces or faces-colour in data list, " +
        "got none of them (import some hundred photographs with --eyes first)",
    );
  }
  const sets: ReadData[] = [];
  for (const path of paths) {
    const set = await readData(path, { channels: 1 }), { count, height, width } = set.train.images;
    if (count < MIN_TAUGHT || height !== width || width < 32) {
      throw new Error(
        `Cannot learn from ${path}: expected at least ${MIN_TAUGHT} square images of aligned faces, of 32x32 pixels or more, ` +
          `got ${counted(count, "image")} of ${width}x${height}`,
      );
    }
    sets.push(set);
  }
  return sets;
}

/**
 * Imports the photographs in which faces are found, and prints what is left out.
 *
 * @throws {Error} if there are faces in fewer than two, or as `openOutFolder`
 */
export async function importFound(
  folder: string,
  taught: readonly ReadData[],
  target: string,
  percent: number,
  options: ImportOptions,
  print: (text: string) => void,
): Promise<{ train: number; test: number }> {
  // The search takes long: a folder that cannot be written is found before it.
  const { force, channels } = options, planned = ["pictures.csv", ...channels === 3 ? [] : [TEST, TRAIN]];
  const early = await openOutFolder(target, { command: "data import", planned, force, inputs: [folder, ...taught] });
  await early[Symbol.asyncDispose]();
  const looked = await findFaces(folder, taught.map(({ train }) => train.images), options.signal);
  const rows = usableEyes(looked), [unused, ...more] = looked.filter(({ reason }) => reason);
  if (rows.length < 2) {
    throw new Error(
      `${folder}: expected faces in at least 2 photographs, got ${rows.length} of ${looked.length} ` +
        `(${unused.file}: ${unused.reason})`,
    );
  }
  const files = [["pictures.csv", picturesCsv(looked)]] as const;
  const counts = await importFaces(folder, rows, target, percent, { ...options, files, inputs: taught });
  const left = unused ? `; left out ${1 + more.length}, such as ${unused.file}: ${unused.reason}` : "";
  print(`Found eyes in ${rows.length} of ${counted(looked.length, "photograph")}${left} (pictures.csv lists all)`);
  return counts;
}
