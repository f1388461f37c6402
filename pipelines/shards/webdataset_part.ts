/** The format `webdataset`: a tar file in which the files of an image follow each other, with its number as their name. */
import { createTar, type TarFileItem } from "nanotar";
import { metadataOf, type PartContext, type PartImage } from "./part_image.ts";
import { partPicture } from "./part_picture.ts";
import { paddedNumber } from "./ranges.ts";

/** The two empty blocks that end a tar file, in bytes. */
const END = 1024;
/** Tar files are written in records of this many bytes. */
const RECORD = 10240;

/** Encodes the images of a part: `NUMBER.png`, `NUMBER.cls` if there are classes, `NUMBER.json`. */
export function webdatasetPart(images: readonly PartImage[], context: PartContext): Uint8Array[] {
  const files = images.flatMap((image): TarFileItem[] => {
    const key = paddedNumber(image.index, context.count), text = new TextEncoder();
    return [
      { name: `${key}.png`, data: partPicture(image, context) },
      ...image.label === undefined ? [] : [{ name: `${key}.cls`, data: text.encode(String(image.label)) }],
      { name: `${key}.json`, data: text.encode(JSON.stringify(metadataOf(image))) },
    ];
  });
  // The same bytes at any time, for any user.
  const tar = createTar(files, { attrs: { mtime: 0, uid: 0, gid: 0, mode: "644" } });
  if (tar.subarray(-END).every((byte) => byte === 0)) return [tar];
  const ended = new Uint8Array(tar.length + RECORD);
  ended.set(tar);
  return [ended];
}
