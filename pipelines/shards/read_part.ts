/** Reads the files of a part back: to replace some of its images and keep the others, byte for byte. */
import { imagesFromIdx } from "../../datasets/formats/idx.ts";
import { imagesFromNpy } from "../../datasets/formats/npy.ts";
import { readPng } from "../../datasets/formats/png.ts";
import { WHITE } from "../../datasets/formats/colour.ts";
import { lengthOf } from "../../core/shape.ts";
import type { FormatName } from "./formats.ts";
import type { PartContext, PartFile, PartImage } from "./part_image.ts";

/** What is said of an image, and its pixels. */
type Said = Omit<PartImage, "pixels">;

/**
 * Reads the images of a part: `encodePart` makes the same files of them again.
 *
 * @param files all files of the part but its entry, in the order of `partNames`
 * @throws {Error} if they are not files of that format
 */
export async function readPart(
  format: FormatName,
  files: readonly PartFile[],
  context: PartContext,
): Promise<PartImage[]> {
  switch (format) {
    case "png": {
      const lines = linesOf(files.at(-1)!).map(({ file_name: _, ...said }) => said as unknown as Said);
      return lines.map((said, i) => ({ ...said, pixels: pixelsOf(files[i], context) }));
    }
    case "idx": {
      const [[name, bytes]] = files, { shape } = context, length = lengthOf(shape);
      const { pixels } = shape.channels === 1 ? imagesFromIdx(bytes, name) : imagesFromNpy(bytes, name).images;
      const lines = linesOf(files.at(-1)!) as unknown as Said[];
      return lines.map((said, i) => ({ ...said, pixels: pixels.slice(i * length, (i + 1) * length) }));
    }
    case "webdataset": {
      const { parseTar } = await import("nanotar"), [[name, bytes]] = files;
      const inside = parseTar(bytes).map((file): PartFile => [`${name}/${file.name}`, file.data ?? new Uint8Array()]);
      const pictures = inside.filter(([name]) => name.endsWith(".png"));
      const said = inside.filter(([name]) => name.endsWith(".json")).flatMap(linesOf) as unknown as Said[];
      return pictures.map((picture, i) => ({ ...said[i], pixels: pixelsOf(picture, context) }));
    }
    case "parquet": {
      const { readParquetPart } = await import("./read_parquet_part.ts"), [[name, bytes]] = files;
      const rows = await readParquetPart(bytes);
      return rows.map(({ picture, ...said }) => ({ ...said, pixels: pixelsOf([name, picture], context) }));
    }
  }
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
