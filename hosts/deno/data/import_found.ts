/** Imports photographs of faces whose eyes are not given, but found. */
import { counted } from "../../../core/counted.ts";
import { findFaces, learnFinder, MIN_TAUGHT, picturesCsv, shippedFinder, usableEyes } from "./find_faces.ts";
import { importFaces, type ImportOptions, TEST, TRAIN } from "./import_faces.ts";
import { openOutFolder } from "../folders/out_folder.ts";
import { type ReadData, readData } from "./read_data.ts";

/**
 * Reads a set of aligned faces to learn from.
 *
 * @throws {Error} if it cannot be learned from
 */
async function facesLike(path: string): Promise<ReadData> {
  const set = await readData(path, { channels: 1 }), { count, height, width } = set.train.images;
  if (count >= MIN_TAUGHT && height === width && width >= 32) return set;
  throw new Error(
    `Cannot learn from ${path}: expected at least ${MIN_TAUGHT} square images of aligned faces, of 32x32 pixels or more, ` +
      `got ${counted(count, "image")} of ${width}x${height}`,
  );
}

/**
 * Imports the photographs in which faces are found, and prints what is left out.
 *
 * @param like a set of aligned faces to learn from; without it, eyes are found as Patchloom knows them
 * @throws {Error} if there are no faces, or as `openOutFolder`
 */
export async function importFound(
  folder: string,
  like: string | undefined,
  target: string,
  percent: number,
  options: ImportOptions,
  print: (text: string) => void,
): Promise<{ train: number; test: number }> {
  // The search takes long: a folder that cannot be written is found before it.
  const { force, channels, signal } = options,
    taught = like === undefined ? [] : [await facesLike(like)];
  const planned = ["pictures.csv", ...channels === 3 ? [] : [TEST, TRAIN]];
  const inputs = [folder, ...taught], say = () => {}; // said when the folder is written
  const early = await openOutFolder(target, { command: "data import", planned, force, inputs, say });
  await early[Symbol.asyncDispose]();
  const finder = taught.length > 0
    ? await learnFinder(taught.map(({ train }) => train.images), signal)
    : await shippedFinder();
  const looked = await findFaces(folder, finder, signal);
  const rows = usableEyes(looked), [unused, ...more] = looked.filter(({ reason }) => reason);
  if (rows.length === 0) {
    const such = unused ? ` (${unused.file}: ${unused.reason})` : "";
    throw new Error(`${folder}: expected faces in photographs, got none in ${looked.length}${such}`);
  }
  const files = [["pictures.csv", picturesCsv(looked)]] as const;
  const counts = await importFaces(folder, rows, target, percent, { ...options, files, inputs: taught });
  const which = more.length > 0 ? `${1 + more.length}, such as ` : "";
  const left = unused ? `; left out ${which}${unused.file}: ${unused.reason}` : "";
  print(`Found eyes in ${rows.length} of ${counted(looked.length, "photograph")}${left} (pictures.csv lists all)`);
  return counts;
}
