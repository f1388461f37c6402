/** Pictures of others in a folder of results. */
import { entriesOf } from "../system/entries.ts";

/** How the names of pictures end that are read. */
export const PICTURE_ENDINGS = /\.(png|jpe?g|jfif|webp|gif|bmp|tiff?)$/i;

/** How the names of other files of images end. Who reads a folder takes those before its pictures. */
const IMAGE_ENDINGS = /(idx3-ubyte|\.(np[yz]|parquet|tar))$/i;

/**
 * Checks that images are not written among pictures: who reads the folder again would find results among the pictures of a set, or
 * read the results alone.
 *
 * @param planned the names of the files that will be written below the folder
 * @throws {Error} if some of them hold images, and the folder itself holds pictures
 */
export async function checkNoPictures(folder: string, planned: readonly string[]): Promise<void> {
  if (!planned.some((name) => PICTURE_ENDINGS.test(name) || IMAGE_ENDINGS.test(name))) return;
  for await (const { name, isDirectory } of entriesOf(folder)) {
    if (isDirectory || name.startsWith(".") || !PICTURE_ENDINGS.test(name) || planned.includes(name)) continue;
    throw new Error(
      `it holds pictures that Patchloom did not write, such as ${name}: ` +
        `choose another folder, or add --force to write among them`,
    );
  }
}
