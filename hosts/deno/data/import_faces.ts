/** Makes a data set of faces from photographs and a table of the positions of the eyes. */
import { parse } from "@std/csv/parse";
import { textOfField } from "../../../pipelines/report/csv.ts";
import { isAbsolute, join, normalize, sep } from "node:path";
import { ALIGNED_SIDE, alignEyes, type Point } from "../../../datasets/faces/align_eyes.ts";
import { writeIdx } from "../../../datasets/formats/idx.ts";
import { pngOf } from "../../../datasets/formats/write_png.ts";
import { progress } from "../system/progress.ts";
import { openOutFolder, type OutFile } from "../folders/out_folder.ts";
import type { Input } from "../folders/out_place.ts";
import { readFile, textOf } from "./read_files.ts";
import { LARGEST_PHOTOGRAPH, readPicture } from "./read_picture.ts";

/** The eyes in one photograph: `left` is at the smaller x, as the image is seen. */
export interface Eyes {
  /** File and line of the table, for errors: "eyes.csv line 2". */
  readonly where: string;
  readonly file: string;
  readonly left: Point;
  readonly right: Point;
}

const COLUMNS = ["file", "left_x", "left_y", "right_x", "right_y"] as const;

/** The files of grey images. */
export const TEST = "test-images-idx3-ubyte", TRAIN = "train-images-idx3-ubyte";

/** How an import is done. */
export interface ImportOptions {
  /** Whether to replace files that Patchloom did not write. */
  readonly force?: boolean;
  /** Whether to stop: then nothing is written. */
  readonly signal?: AbortSignal;
  /** 3 keeps colours and writes pictures; 1, the default, makes grey images. */
  readonly channels?: 1 | 3;
  /** Side of the images in pixels; 128 by default. */
  readonly side?: number;
  /** Further files of the data set. */
  readonly files?: readonly OutFile[];
  /** What else was read for it. */
  readonly inputs?: readonly Input[];
}

/**
 * Makes a data set of photographs: each is scaled, turned and moved so that the eyes lie at (44, 52) and (84, 52) of an image of
 * 128x128, or at the same parts of another side. Grey images are written to `train-images-idx3-ubyte` and `test-images-idx3-ubyte` in `out`, colour images as PNG files
 * to its folders `train` and `test`.
 *
 * @param folder the folder of the photographs
 * @param eyes their eyes, or a CSV file with the columns file, left_x, left_y, right_x, right_y; a line whose column `used`, if
 * there is one, says `no`, is skipped
 * @param testPercent percentage of test images, 1 to 90: 10 holds out every tenth photograph of the table; at least one of two or more
 * @returns the numbers of images written
 * @throws one sentence with the file and the line of the table that is wrong; then nothing is written
 */
export async function importFaces(
  folder: string,
  eyes: string | readonly Eyes[],
  out: string,
  testPercent: number,
  { force = false, signal, channels = 1, side = ALIGNED_SIDE, files: more = [], inputs = [] }: ImportOptions = {},
): Promise<{ train: number; test: number }> {
  const rows = typeof eyes === "string" ? parseEyes(await readFile(eyes), eyes) : eyes;
  if (rows.length === 0) throw new Error(`${typeof eyes === "string" ? eyes : folder}: expected photographs, got none`);
  await checkPhotographs(folder, rows);
  const names = (folder: string, count: number) => {
    return Array.from({ length: count }, (_, i) => `${folder}/${String(i).padStart(4, "0")}.png`);
  };
  const images = channels === 1 ? [TEST, TRAIN] : [...names("test", rows.length), ...names("train", rows.length)];
  const planned = [...images, ...more.map(([name]) => name)];
  const read = [folder, ...typeof eyes === "string" ? [eyes] : [], ...inputs];
  await using written = await openOutFolder(out, { command: "data import", planned, force, inputs: read });
  const split: { train: Uint8Array[]; test: Uint8Array[] } = { train: [], test: [] };
  const shown = progress("photographs", false);
  try {
    for (const [i, eyes] of rows.entries()) {
      const crossesPercent = Math.floor((i + 1) * testPercent / 100) > Math.floor(i * testPercent / 100);
      split[crossesPercent ? "test" : "train"].push(await aligned(folder, eyes, channels, side));
      shown.update((i + 1) / rows.length);
      await new Promise((resolve) => setTimeout(resolve, 0)); // a signal is handled in between
      if (signal?.aborted) throw new Error("Stopped before all photographs were read");
    }
  } finally {
    shown.end();
  }
  // Few photographs may be too few for the percentage. One alone is there to be restored.
  if (split.test.length === 0 && split.train.length > 1) split.test.push(split.train.pop()!);
  const idx = async (images: readonly Uint8Array[]) => {
    return writeIdx([images.length, side, side], await new Blob(images as unknown as BlobPart[]).bytes());
  };
  const pictures = (folder: "train" | "test") => {
    return names(folder, split[folder].length).map((name, i): [string, Uint8Array] => {
      return [name, pngOf({ height: side, width: side, channels }, split[folder][i])];
    });
  };
  const files: OutFile[] = channels === 1
    ? [...split.test.length > 0 ? [[TEST, await idx(split.test)] as const] : [], [TRAIN, await idx(split.train)]]
    : [...pictures("test"), ...pictures("train")];
  await written.finish({}, [...files, ...more]);
  return { train: split.train.length, test: split.test.length };
}

/** Throws if a row names no file, or one that does not lie below the folder: others may have written the table. */
async function checkPhotographs(folder: string, rows: readonly Eyes[]): Promise<void> {
  for (const { where, file } of rows) {
    if (isAbsolute(file) || normalize(file).split(sep)[0] === "..") {
      throw new Error(`${where}: expected a file below ${folder}, got ${file}`);
    }
    const info = await Deno.stat(join(folder, file)).catch(() => undefined);
    if (!info?.isFile) throw new Error(`${where}: there is no file ${join(folder, file)}`);
  }
}

async function aligned(
  folder: string,
  { where, file, left, right }: Eyes,
  channels: 1 | 3,
  side: number,
): Promise<Uint8Array> {
  const path = join(folder, file);
  const bytes = await readFile(path).catch((cause) => {
    throw new Error(`${where}: ${cause.message}`, { cause });
  });
  const photograph = await readPicture(bytes, `${where}: ${path}`, { channels, largestSide: LARGEST_PHOTOGRAPH });
  const { height, width } = photograph;
  for (const { x, y } of [left, right]) {
    if (x >= 0 && y >= 0 && x <= width - 1 && y <= height - 1) continue;
    throw new Error(`${where}: expected eyes inside ${file}, ${width}x${height} pixels, got one at (${x}, ${y})`);
  }
  return alignEyes(photograph, left, right, side);
}

/** Reads the table of eyes; `name` is the name of its file. */
function parseEyes(bytes: Uint8Array, name: string): Eyes[] {
  const text = textOf(bytes, `The table ${name}`);
  // Parses line by line, without blank lines, so that errors can name the line.
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\r|\n/).map((line, i) => ({
    line,
    where: `${name} line ${i + 1}`,
  }));
  const [header, ...rows] = lines.filter(({ line }) => line.trim() !== "").map(({ line, where }) => {
    try {
      return { where, fields: parse(line)[0].map((field) => textOfField(field.trim())) };
    } catch (cause) {
      throw new Error(`${where} is not CSV: ${line}`, { cause });
    }
  });
  const missing = COLUMNS.filter((column) => !header?.fields.includes(column));
  if (missing.length > 0) {
    const found = header ? `got ${header.fields.join(",")}` : "got no line";
    throw new Error(`${name}: expected the columns ${COLUMNS.join(",")}, ${found} (missing: ${missing.join(", ")})`);
  }
  if (rows.length === 0) throw new Error(`${name}: expected a line for each photograph, got only the header`);
  const seen = new Map<string, string>(), used = header.fields.indexOf("used");
  const isUsed = ({ where, fields }: typeof rows[number]) => {
    const word = (fields[used] ?? "").toLowerCase();
    if (!["yes", "no", ""].includes(word)) {
      throw new Error(`${where}: expected yes or no as used, got "${fields[used]}"`);
    }
    return word !== "no";
  };
  return rows.filter(isUsed).map(({ where, fields }) => {
    if (fields.length !== header.fields.length) {
      throw new Error(`${where}: expected ${header.fields.length} fields, got ${fields.length}`);
    }
    const value = (column: typeof COLUMNS[number]) => fields[header.fields.indexOf(column)];
    const number = (column: typeof COLUMNS[number]) => {
      const text = value(column);
      if (/^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text))) return Number(text);
      throw new Error(`${where}: expected a number of pixels as ${column}, got "${text}"`);
    };
    const file = value("file"), before = seen.get(file);
    if (file === "") throw new Error(`${where}: expected the name of a file, got none`);
    if (before) throw new Error(`${where}: expected each file once, got ${file} also in ${before}`);
    seen.set(file, where);
    const eyes = [{ x: number("left_x"), y: number("left_y") }, { x: number("right_x"), y: number("right_y") }];
    // "Left" may mean the person's or the viewer's left, so x decides: no head is upside down.
    const [left, right] = eyes.sort((a, b) => a.x - b.x);
    if (left.x === right.x && left.y === right.y) {
      throw new Error(`${where}: expected two eyes in ${file}, got the same point twice, (${left.x}, ${left.y})`);
    }
    return { where, file, left, right };
  });
}
