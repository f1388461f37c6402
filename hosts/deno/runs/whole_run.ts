/** Reads a run in one piece: what `run.json` says of its images, and their pixels. */
import { join } from "node:path";
import { imagesFromIdx } from "../../../datasets/formats/idx.ts";
import { imagesFromNpy } from "../../../datasets/formats/npy.ts";
import type { SynthesisInput } from "../../../pipelines/synthesis/synthesize_images.ts";
import { lengthOf } from "../../../core/shape.ts";
import { PROGRAM } from "../folders/folder_record.ts";
import { IMAGES } from "../folders/result_names.ts";
import { readRecorded } from "../folders/recorded_file.ts";
import { commandLine } from "../system/command_line.ts";
import { programCode } from "../folders/program_code.ts";
import { readModule } from "../system/kernels_file.ts";
import type { RunRecord } from "./repeat_run.ts";
import type { WholeRecord } from "./resume_pictures.ts";

/**
 * Checks that a folder holds a run of this program whose images `run.json` describes, and that it is as it was written: otherwise
 * images that are made again might be others.
 *
 * @param cannot how errors begin
 * @throws {Error} if it does not, if it was made by another version, or if one of its files is missing or was changed
 */
export async function checkWholeRun(
  cannot: string,
  folder: string,
  record: WholeRecord,
  { count }: Pick<SynthesisInput, "count">,
): Promise<void> {
  if (!isDescribed(record, count)) throw new Error(`${cannot}: run.json does not describe its images as synth does`);
  await checkProgram(cannot, folder, record);
  for (const name of Object.keys(record.files)) await readRecorded(cannot, folder, name, record.files);
}

/** Whether a record describes its images: each number once, below `count`. */
function isDescribed({ images }: Partial<WholeRecord>, count: number): boolean {
  const isNumber = (number: unknown) => Number.isInteger(number) && Number(number) >= 0 && Number(number) < count;
  return Array.isArray(images) && new Set(images.map((image) => image?.number)).size === images.length &&
    images.every((image) =>
      isNumber(image?.number) && Array.isArray(image.contributors) && typeof image.correction === "number"
    );
}

/**
 * Checks that a run was made by this program: otherwise the images that stay might be others in a new run.
 *
 * @param cannot how the error begins
 * @throws {Error} if it was made by another version, other code or other kernels
 */
export async function checkProgram(
  cannot: string,
  folder: string,
  { program, kernels, code }: RunRecord,
): Promise<void> {
  const sums = await Promise.all([true, false].map(async (shared) => (await readModule(shared)).sha256));
  const own = await programCode(), isOwnCode = code === undefined || own === undefined || code === own;
  if (program === PROGRAM && sums.includes(kernels.sha256) && isOwnCode) return;
  const got = isOwnCode ? program : `code ${code} of it, this is ${own}`;
  throw new Error(
    `${cannot}: expected a run of ${PROGRAM} with its kernels and code, got one of ${got}; ` +
      `${commandLine("deno task synth", ["--run", folder, "--out", folder])} brings it up to date`,
  );
}

/**
 * Reads the pixels of all images, one after another in the order of `run.json`.
 *
 * @throws {Error} if there are others than it describes
 */
export async function readPixels(
  cannot: string,
  folder: string,
  { images, files }: WholeRecord,
  { size, plan: { channels } }: Pick<SynthesisInput, "size" | "plan">,
): Promise<Uint8Array> {
  const name = channels === 1 ? IMAGES.grey : IMAGES.colour, together = join(folder, name);
  const bytes = await readRecorded(cannot, folder, name, files);
  const { pixels } = channels === 1 ? imagesFromIdx(bytes, together) : imagesFromNpy(bytes, together).images;
  if (pixels.length === images.length * lengthOf({ ...size, channels })) return pixels;
  throw new Error(`${cannot}: ${together} has other images than run.json`);
}
