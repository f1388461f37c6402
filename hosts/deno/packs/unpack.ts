/** Prints the content of a pack, or writes its images as files. */
import { plan } from "../../../core/plan.ts";
import type { Profile } from "../../../core/profile.ts";
import type { Registry } from "../../../core/registry.ts";
import { lengthOf } from "../../../core/shape.ts";
import { writeIdx } from "../../../datasets/formats/idx.ts";
import { floatsToNpy } from "../../../datasets/formats/npy.ts";
import { type Pack, readPack } from "../../../datasets/formats/pack.ts";
import { classText } from "../../../datasets/groups.ts";
import { pngOf, transparentPng } from "../../../datasets/formats/write_png.ts";
import { messagePrinter, print, printJson } from "../system/printable.ts";
import { RequestError } from "../system/request_error.ts";
import { stoppable, stopSignals } from "../system/stop_signals.ts";
import { readFile } from "../data/read_files.ts";
import { checkProfile } from "../data/read_profile.ts";
import { builtins } from "../../../plugins/mod.ts";
import { openOutFolder, type OutFile } from "../folders/out_folder.ts";
import { infoText, packInfo, packLine } from "./pack_text.ts";

/** Prints the content of a pack, as text or JSON. */
export async function printPack(path: string, asJson: boolean): Promise<void> {
  const { pack, bytes } = await readChecked(path), info = packInfo(pack, bytes);
  if (asJson) printJson(info, 2);
  else print(...infoText(info, path));
}

/**
 * Reads a pack and the number of its bytes.
 *
 * @throws {Error} if it is no pack, or if nothing can be made by its profile: other commands would refuse it only later
 */
async function readChecked(path: string): Promise<{ readonly pack: Pack; readonly bytes: number }> {
  const bytes = await readFile(path), pack = readPack(bytes, path);
  if (!namesOtherPlugins(pack.profile)) checkProfile(pack.profile, builtins, path);
  return { pack, bytes: bytes.length };
}

/** Whether a profile names a plugin that is not built in: only a command that loads it can check the profile. */
function namesOtherPlugins(profile: Profile): boolean {
  let names = false;
  const plugins: Registry = {
    ...builtins,
    find(kind, name) {
      names ||= !builtins.plugins.some((plugin) => plugin.kind === kind && plugin.name === name);
      return builtins.find(kind, name);
    },
  };
  try {
    plan(profile, plugins);
  } catch {
    // `checkProfile` says what else is wrong.
  }
  return names;
}

/** Where the files of a pack go. */
export interface UnpackRequest {
  /** The path of the pack. */
  readonly path: string;
  /** The folder, and whether files in it are replaced that Patchloom did not write. */
  readonly out: string;
  readonly force: boolean;
  /** Whether images are written as PNGs. */
  readonly png: boolean;
  readonly quiet: boolean;
}

/**
 * Writes the content of a pack as files.
 *
 * @throws {RequestError} if they should go where the pack is
 */
export async function unpack({ path, out, force, png, quiet }: UnpackRequest): Promise<void> {
  const { pack, bytes } = await readChecked(path);
  if (out === path) throw new RequestError(`unpack needs --out: ${path} is the pack itself`);
  const files = filesOf(pack, png), planned = files.map(({ name }) => name), say = messagePrinter(quiet);
  await using folder = await openOutFolder(out, { command: "unpack", planned, force, inputs: [path], say });
  using signals = stopSignals();
  await stoppable(signals, () => `${out} is not finished; run unpack again`, async () => {
    for (const { name, content } of files) {
      await folder.write([[name, content()]]);
      if (signals.signal.aborted) throw new Error("Stopped before all files were written");
    }
    await folder.finish({});
  });
  say(`${out}: ${packLine(pack, bytes)}`);
}

/** A file, and how to make its content. */
interface PackedFile {
  readonly name: string;
  content(): OutFile[1];
}

/** Lists the files. */
function filesOf(
  { profile, classes, transparent, train: { images, labels }, seeds }: Pack,
  asPng: boolean,
): PackedFile[] {
  const { count, height, width, channels = 1, pixels } = images, length = lengthOf(images);
  const shape = [seeds.count, ...channels > 1 ? [channels] : [], seeds.height, seeds.width], seedLabels = seeds.labels;
  const files: PackedFile[] = [
    { name: "profile.json", content: () => JSON.stringify(profile, null, 2) + "\n" },
    { name: "seeds/images.npy", content: () => floatsToNpy(shape, seeds.images) },
  ];
  if (seedLabels) files.push({ name: "seeds/labels.idx1-ubyte", content: () => writeIdx([seeds.count], seedLabels) });
  if (!asPng && channels === 1 && !classes) { // an IDX file holds grey images only, and no names of classes
    files.push({ name: "train-images-idx3-ubyte", content: () => writeIdx([count, height, width], pixels) });
    if (labels) files.push({ name: "train-labels-idx1-ubyte", content: () => writeIdx([count], labels) });
    return files;
  }
  const digits = String(count - 1).length;
  for (let i = 0; i < count; i++) {
    const name = `${String(i).padStart(digits, "0")}.png`;
    files.push({
      name: labels ? `train/${classText(classes, labels[i])}/${name}` : `train/${name}`,
      content: () => {
        const image = pixels.slice(i * length, (i + 1) * length);
        return transparent ? transparentPng(images, image, transparent) : pngOf(images, image);
      },
    });
  }
  return files;
}
