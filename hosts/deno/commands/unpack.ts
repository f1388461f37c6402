/** `deno task unpack`: prints the content of a pack, or writes its images as files. */
import { lengthOf } from "../../../core/shape.ts";
import { writeIdx } from "../../../datasets/formats/idx.ts";
import { floatsToNpy } from "../../../datasets/formats/npy.ts";
import { type Pack, readPack } from "../../../datasets/formats/pack.ts";
import { pngOf } from "../../../datasets/formats/write_png.ts";
import { sayer } from "../cli/common_flags.ts";
import { readFlags, UsageError } from "../cli/flags.ts";
import { writeFiles } from "../output/out_folder.ts";
import { infoText, packInfo, packLine } from "../output/pack_text.ts";

const FLAGS = {
  info: { about: "print the content of the pack, and write nothing" },
  out: { value: "DIR", about: "where the files go (the pack's name without .loom)" },
  png: { about: "the images as PNGs, in a folder for each class, instead of IDX files" },
  json: { about: "with --info: print JSON" },
  quiet: { about: "do not print what was written" },
} as const;

const COMMAND = {
  name: "unpack",
  about: "Writes the content of a pack as files: unpack FILE. Other commands take the folder as --data.",
  flags: FLAGS,
  examples: ["deno task unpack --info digits.loom", "deno task unpack digits.loom --out digits --png"],
} as const;

/** Runs `unpack`; returns the exit code. */
export async function unpackCommand(args: string[]): Promise<number> {
  const read = readFlags(args, COMMAND);
  if (read === "helped") return 0;
  const { given, rest: [path, ...more] } = read;
  if (path === undefined) throw new UsageError("unpack needs a pack: unpack FILE.loom");
  if (more.length > 0) throw new UsageError(`unpack takes one file, got also "${more[0]}"`);
  if (given.json && !given.info) throw new UsageError("unpack takes --json with --info only");
  const bytes = await Deno.readFile(path).catch((cause) => {
    throw new Error(`Cannot read ${path}: ${cause.message}`, { cause });
  });
  const pack = readPack(bytes, path);
  if (given.info) {
    const info = packInfo(pack, bytes.length);
    console.log(given.json ? JSON.stringify(info, null, 2) : infoText(info, path));
    return 0;
  }
  const out = given.out ?? path.replace(/\.loom$/, "");
  if (out === path) throw new UsageError(`unpack needs --out: ${path} is the pack itself`);
  await writeFiles(out, filesOf(pack, given.png));
  sayer(given.quiet)(`${out}: ${packLine(pack, bytes.length)}`);
  return 0;
}

/** Yields the names and the bytes of the files. */
function* filesOf(
  { profile, train: { images, labels }, seeds }: Pack,
  asPng: boolean,
): Generator<[string, Uint8Array]> {
  const { count, height, width, channels = 1, pixels } = images, length = lengthOf(images);
  yield ["profile.json", new TextEncoder().encode(JSON.stringify(profile, null, 2) + "\n")];
  yield [
    "seeds/images.npy",
    floatsToNpy([seeds.count, ...channels > 1 ? [channels] : [], seeds.height, seeds.width], seeds.images),
  ];
  if (seeds.labels) yield ["seeds/labels.idx1-ubyte", writeIdx([seeds.count], seeds.labels)];
  if (!asPng && channels === 1) { // an IDX file holds grey images only
    yield ["train-images-idx3-ubyte", writeIdx([count, height, width], pixels)];
    if (labels) yield ["train-labels-idx1-ubyte", writeIdx([count], labels)];
    return;
  }
  const digits = String(count - 1).length;
  for (let i = 0; i < count; i++) {
    const name = `${String(i).padStart(digits, "0")}.png`, data = pixels.slice(i * length, (i + 1) * length);
    yield [labels ? `train/${labels[i]}/${name}` : `train/${name}`, pngOf(images, data)];
  }
}
