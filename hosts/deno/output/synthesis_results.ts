/** Writes the folder of `synth`. Every file is written under another name and then renamed, so that none is ever incomplete. */
import { join } from "@std/path";
import type { Shape } from "../../../core/shape.ts";
import { writeIdx } from "../../../datasets/formats/idx.ts";
import { writeNpy } from "../../../datasets/formats/npy.ts";
import { png, pngOf } from "../../../datasets/formats/write_png.ts";
import { contactSheet } from "../../../pipelines/synthesis/contact_sheet.ts";
import { describeRun, type SynthesisRun } from "../../../pipelines/synthesis/run_record.ts";
import { openFolder, writing } from "./out_folder.ts";

/** A folder of results. Its functions throw one sentence if it cannot be written. */
export interface Results {
  /** Writes `images/NNNN.png`. The first call removes the files of an earlier run. */
  image(number: number, shape: Shape, pixels: Uint8Array): Promise<void>;
  /**
   * Writes the sheet, the IDX files and `run.json`, all or none, for a run of at least one image. Returns the content of
   * `run.json`.
   *
   * @param load milliseconds from the start to the first task
   */
  finish(run: SynthesisRun, threads: number, load: number): Promise<object>;
}

/** Opens a folder for results: makes it and checks that it can be written, but changes nothing that it holds. */
export async function openResults(folder: string): Promise<Results> {
  const images = join(folder, "images");
  for (const path of [images, folder]) await openFolder(path, folder);
  let cleared: Promise<void> | undefined;
  return {
    async image(number, shape, pixels) {
      await writing(folder, cleared ??= removeEarlier(folder));
      await writing(folder, writeWhole([[join(images, fileName(number)), pngOf(shape, pixels)]]));
    },
    async finish(run, threads, load) {
      const { done, input: { size: { height, width }, plan: { channels } } } = run, count = done.length;
      const runtime = { deno: Deno.version.deno, threads }, file = (number: number) => `images/${fileName(number)}`;
      const summary = describeRun(run, { runtime, load, file });
      const length = channels * height * width, pixels = new Uint8Array(count * length);
      done.forEach((image, i) => pixels.set(image.pixels, i * length));
      const labels = done.map(({ group }) => run.groups[group].label).filter((label) => label !== undefined);
      const files: [name: string, bytes: Uint8Array][] = [
        channels === 1
          ? ["images.idx3-ubyte", writeIdx([count, height, width], pixels)]
          : ["images.npy", writeNpy({ count, height, width, channels, pixels })],
        ["sheet.png", png(contactSheet(run))],
        ["run.json", new TextEncoder().encode(JSON.stringify(summary, null, 2) + "\n")],
      ];
      if (labels.length > 0) files.unshift(["labels.idx1-ubyte", writeIdx([labels.length], Uint8Array.from(labels))]);
      await writing(folder, writeWhole(files.map(([name, bytes]) => [join(folder, name), bytes])));
      return summary;
    },
  };
}

function fileName(number: number): string {
  return `${String(number).padStart(4, "0")}.png`;
}

/** Removes the files of an earlier run, which is recognized by its `run.json`, and nothing else. */
async function removeEarlier(folder: string): Promise<void> {
  if (!await Deno.stat(join(folder, "run.json")).then(() => true, () => false)) return;
  for (const name of ["run.json", "sheet.png", "images.idx3-ubyte", "images.npy", "labels.idx1-ubyte"]) {
    for (const path of [join(folder, name), join(folder, `${name}.part`)]) await Deno.remove(path).catch(ignoreMissing);
  }
  for await (const { name } of Deno.readDir(join(folder, "images"))) {
    if (/^\d{4,}\.png(\.part)?$/.test(name)) await Deno.remove(join(folder, "images", name));
  }
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}

/** Writes all files, or none: they are renamed only when all are written. */
async function writeWhole(files: readonly (readonly [path: string, bytes: Uint8Array])[]): Promise<void> {
  const written: string[] = [];
  try {
    for (const [path, bytes] of files) {
      written.push(`${path}.part`);
      await Deno.writeFile(`${path}.part`, bytes);
    }
    for (const [path] of files) {
      await Deno.rename(`${path}.part`, path);
      written.push(path);
    }
  } catch (error) {
    for (const path of written) await Deno.remove(path).catch(() => {});
    throw error;
  }
}
