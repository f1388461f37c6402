/** The formats that the images of a part are written in. Each is loaded when it is needed: some bring a library with them. */
import { range as upTo } from "../../core/numbers.ts";
import type { PartContext, PartEncoder, PartFile, PartImage } from "./part_image.ts";
import { type NumberRange, paddedNumber, rangeName } from "./ranges.ts";

/** The formats by name. */
const ENCODERS = {
  png: async () => (await import("./png_part.ts")).pngPart,
  idx: async () => (await import("./idx_part.ts")).idxPart,
  npy: async () => (await import("./idx_part.ts")).npyPart,
  webdataset: async () => (await import("./webdataset_part.ts")).webdatasetPart,
  parquet: async () => (await import("./parquet_part.ts")).parquetPart,
} as const satisfies Record<string, () => Promise<PartEncoder>>;

/** The name of a format. */
export type FormatName = keyof typeof ENCODERS;

/** The names of all formats. */
export const FORMATS = Object.keys(ENCODERS) as readonly FormatName[];

/** Encodes the images of a part. */
export async function encodePart(
  format: FormatName,
  range: NumberRange,
  images: readonly PartImage[],
  context: PartContext,
): Promise<PartFile[]> {
  const encode: PartEncoder = await ENCODERS[format](), contents = encode(images, context);
  const { count, shape: { channels }, labels } = context;
  const names = partNames(format, range, count, { channels, isLabelled: labels.length > 0 });
  return names.map((name, i) => [name, contents[i]]);
}

/**
 * The paths of the files that a format writes for a part. They are known before the part is made, so that files in the way are
 * found before hours of work.
 *
 * @param count how many images the whole run has
 */
export function partNames(
  format: FormatName,
  range: NumberRange,
  count: number,
  { channels, isLabelled }: { readonly channels: number; readonly isLabelled: boolean },
): string[] {
  const name = rangeName(range, count);
  switch (format) {
    case "png": {
      const numbers = Array.from(upTo(range.end - range.first), (i) => paddedNumber(range.first + i, count));
      return [...numbers.map((number) => `data/${name}/${number}.png`), `data/${name}/metadata.jsonl`];
    }
    case "idx":
      return [
        channels === 1 ? `data/images-${name}.idx3-ubyte` : `data/images-${name}.npy`,
        ...isLabelled ? [`data/labels-${name}.idx1-ubyte`] : [],
        `data/metadata-${name}.jsonl`,
      ];
    case "npy":
      return [
        `data/images-${name}.npy`,
        ...isLabelled ? [`data/labels-${name}.npy`] : [],
        `data/metadata-${name}.jsonl`,
      ];
    case "webdataset":
      return [`data/${name}.tar`];
    case "parquet":
      return [`data/train-${name}.parquet`];
  }
}
