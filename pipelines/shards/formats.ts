/** The formats that the images of a part are written in. Each is loaded when it is needed: some bring a library with them. */
import type { PartContext, PartEncoder, PartFile, PartImage } from "./part_image.ts";

/** The formats by name. */
const ENCODERS = {
  idx: async () => (await import("./idx_part.ts")).idxPart,
} as const satisfies Record<string, () => Promise<PartEncoder>>;

/** The name of a format. */
export type FormatName = keyof typeof ENCODERS;

/** The names of all formats. */
export const FORMATS = Object.keys(ENCODERS) as readonly FormatName[];

/** Encodes the images of a part. */
export async function encodePart(
  format: FormatName,
  images: readonly PartImage[],
  context: PartContext,
): Promise<PartFile[]> {
  const encode: PartEncoder = await ENCODERS[format](), contents = encode(images, context);
  const names = partNames(format, context.name, {
    channels: context.shape.channels,
    isLabelled: images[0].label !== undefined,
  });
  return names.map((name, i) => [name, contents[i]]);
}

/** The folder of the files that a format writes. */
const DATA = "data";

/**
 * The paths of the files that a format writes for a part of one file each: known before the part is made, so that files in the
 * way are found before hours of work.
 *
 * @param name the part's range as a name: `000000-004095`
 */
export function partNames(
  format: FormatName,
  name: string,
  { channels, isLabelled }: { readonly channels: number; readonly isLabelled: boolean },
): string[] {
  switch (format) {
    case "idx":
      return [
        channels === 1 ? `${DATA}/images-${name}.idx3-ubyte` : `${DATA}/images-${name}.npy`,
        ...isLabelled ? [`${DATA}/labels-${name}.idx1-ubyte`] : [],
        `${DATA}/metadata-${name}.jsonl`,
      ];
  }
}
