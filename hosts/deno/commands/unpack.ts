/** `deno task unpack`: prints the content of a pack, or writes its images as files. */
import { lengthOf } from "../../../core/shape.ts";
import { writeIdx } from "../../../datasets/formats/idx.ts";
import { floatsToNpy } from "../../../datasets/formats/npy.ts";
import { type Pack, readPack } from "../../../datasets/formats/pack.ts";
import { classText } from "../../../datasets/groups.ts";
import { pngOf, transparentPng } from "../../../datasets/formats/write_png.ts";
import { forceFlag, sayer } from "./flags/common_flags.ts";
import { readFlags, UsageError } from "./flags/flags.ts";
import { print } from "../system/printable.ts";
import { stoppable, stopSignals } from "../system/stop_signals.ts";
import { readFile } from "../data/read_files.ts";
import { openOutFolder, type OutFile } from "../folders/out_folder.ts";
import { infoText, packInfo, packLine } from "../packs/pack_text.ts";

const FLAGS = {
  info: { about: "print the content of the pack, and write nothing" },
  out: { value: "DIR", about: "where the files go (the pack's name without .loom)" },
  png: { about: "the images as PNGs, in a folder for each class, instead of IDX files" },
  ...forceFlag,
  json: { about: "with --info: print JSON" },
  quiet: { about: "do not print what was written" },
} as const;

/** The command as its help, completions and `main.ts` know it. */
export const COMMAND = {
  name: "unpack",
  about: "Writes the content of a pack as files: unpack FILE. Other commands take the folder as --data.",
  flags: FLAGS,
  examples: ["deno task unpack --info digits.loom", "deno task unpack digits.loom --out digits --png"],
  run: unpackCommand,
} as const;

/** Runs `unpack`; returns the exit code. */
export async function unpackCommand(args: string[]): Promise<number> {
  const read = readFlags(args, COMMAND);
  if (read === "helped") return 0;
  const { given, rest: [path, ...more] } = read;
  if (path === undefined) throw new UsageError("unpack needs a pack: unpack FILE.loom");
  if (more.length > 0) throw new UsageError(`unpack takes one file, got also "${more[0]}"`);
  if (given.json && !given.info) throw new UsageError("unpack takes --json with --info only");
  const bytes = await readFile(path), pack = readPack(bytes, path);
  if (given.info) {
    const info = packInfo(pack, bytes.length);
    print(given.json ? JSON.stringify(info, null, 2) : infoText(info, path));
    return 0;
  }
  const out = given.out ?? path.replace(/\.loom$/, "");
  if (out === path) throw new UsageError(`unpack needs --out: ${path} is the pack itself`);
  const files = filesOf(pack, given.png), planned = files.map(({ name }) => name);
  await using folder = await openOutFolder(out, { command: "unpack", planned, force: given.force, inputs: [path] });
  using signals = stopSignals();
  await stoppable(signals, () => `${out} is not finished; run unpack again`, async () => {
    for (const { name, content } of files) {
      await folder.write([[name, content()]]);
      if (signals.signal.aborted) throw new Error("Stopped before all files were written");
    }
    await folder.finish({});
  });
  sayer(given.quiet)(`${out}: ${packLine(pack, bytes.length)}`);
  return 0;
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
        const own = pixels.slice(i * length, (i + 1) * length);
        return transparent ? transparentPng(images, own, transparent) : pngOf(images, own);
      },
    });
  }
  return files;
}
