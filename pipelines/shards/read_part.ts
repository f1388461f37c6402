/** Reads the files of a part back: to replace some of its images and keep the others, byte for byte. */
import { imagesFromIdx } from "../../datasets/formats/idx.ts";
import { imagesFromNpy } from "../../datasets/formats/npy.ts";
import { readPng } from "../../datasets/formats/png.ts";
import { readTar } from "../../datasets/formats/tar.ts";
import { WHITE } from "../../datasets/formats/colour.ts";
import { lengthOf } from "../../core/shape.ts";
import type { Images } from "../../core/types.ts";
import type { FormatName } from "./formats.ts";
import type { PartContext, PartFile, PartImage } from "./part_image.ts";

/** What is said of an image, and its pixels. */
type Said = Omit<PartImage, "pixels">;

/**
 * Reads the images of a part: `encodePart` makes the same files of them again.
 *
 * @param files all files of the part but its entry, in the order of `partNames`
 * @throws {Error} one sentence that names a file, if they are not files of that format with images of that shape
 */
export async function readPart(
  format: FormatName,
  files: readonly PartFile[],
  context: PartContext,
): Promise<PartImage[]> {
  const [name] = files[0];
  try {
    const images = await READERS[format](files, context), length = lengthOf(context.shape);
    const wrong = images.findIndex((image) => !isPartImage(image, length));
    if (images.length === 0) throw new Error(`${name} holds no images`);
    if (wrong < 0) return images;
    throw new Error(`${name}: image ${wrong} of it makes no sense`);
  } catch (cause) {
    // Libraries throw errors of their own at damaged files; the readers of this project name the file.
    const { message } = cause as Error;
    if (Object.getPrototypeOf(cause) === Error.prototype && message.startsWith(name)) throw cause;
    throw new Error(`${name} is damaged or cut off: it cannot be read as a part in the format ${format}`, { cause });
  }
}

type Reader = (files: readonly PartFile[], context: PartContext) => PartImage[] | Promise<PartImage[]>;

const READERS: Readonly<Record<FormatName, Reader>> = {
  png(files, context) {
    const lines = linesOf(files.at(-1)!).map(({ file_name: _, ...said }) => said as unknown as Said);
    return lines.map((said, i) => ({ ...said, pixels: pixelsOf(files[i], context) }));
  },
  idx(files, { shape }) {
    const [[name, bytes]] = files;
    return sliced(files, shape.channels === 1 ? imagesFromIdx(bytes, name) : imagesFromNpy(bytes, name).images);
  },
  npy(files) {
    const [[name, bytes]] = files;
    return sliced(files, imagesFromNpy(bytes, name).images);
  },
  webdataset([[name, bytes]], context) {
    const inside = readTar(bytes).map((file): PartFile => [`${name}/${file.name}`, file.bytes]);
    const pictures = inside.filter(([name]) => name.endsWith(".png"));
    const said = inside.filter(([name]) => name.endsWith(".json")).flatMap(linesOf) as unknown as Said[];
    if (said.length !== pictures.length) throw new Error(`${name}: expected a JSON file for each picture`);
    return pictures.map((picture, i) => ({ ...said[i], pixels: pixelsOf(picture, context) }));
  },
  async parquet([[name, bytes]], context) {
    const { readParquetPart } = await import("./read_parquet_part.ts"), rows = await readParquetPart(bytes);
    return rows.map(({ picture, ...said }) => ({ ...said, pixels: pixelsOf([name, picture], context) }));
  },
};

/** The images of an array, with what the last of the files says of each. */
function sliced(files: readonly PartFile[], images: Images): PartImage[] {
  const length = lengthOf(images), lines = linesOf(files.at(-1)!) as unknown as Said[];
  return lines.map((said, i) => ({ ...said, pixels: images.pixels.slice(i * length, (i + 1) * length) }));
}

/** Whether an image has what each image of a part has: a damaged file may be read as anything. */
function isPartImage({ index, seed, label, pixels, sources }: PartImage, length: number): boolean {
  const isWhole = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
  const isSource = (source: PartImage["sources"][number]) =>
    Number.isSafeInteger(source?.image) && typeof source.share === "number";
  return isWhole(index) && isWhole(seed) && (label === undefined || isWhole(label)) && pixels.length === length &&
    Array.isArray(sources) && sources.every(isSource);
}

/** The values of a file of lines of JSON. */
function linesOf([, bytes]: PartFile): Record<string, unknown>[] {
  return new TextDecoder().decode(bytes).trimEnd().split("\n").map((line) => JSON.parse(line));
}

/** The pixels of a PNG file, channel by channel. Transparent ones have the colour that stands for them. */
function pixelsOf([name, bytes]: PartFile, { shape: { channels }, transparent }: PartContext): Uint8Array {
  const reading = { channels: channels === 1 ? 1 : 3, background: transparent ?? WHITE } as const;
  return readPng(bytes, name, reading).pixels;
}
