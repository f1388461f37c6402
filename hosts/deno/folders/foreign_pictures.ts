/** Pictures of others in a folder of results. */

/** How the names of pictures end that are read. */
export const PICTURE_ENDINGS = /\.(png|jpe?g|jfif|webp|gif|bmp|tiff?)$/i;

/**
 * Checks that pictures are not written among others: who reads the folder again would find results among the pictures of a set.
 *
 * @param planned the names of the files that will be written below the folder
 * @throws {Error} if some of them are pictures, and the folder itself holds pictures
 */
export async function checkNoPictures(folder: string, planned: readonly string[]): Promise<void> {
  if (!planned.some((name) => PICTURE_ENDINGS.test(name))) return;
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory || name.startsWith(".") || !PICTURE_ENDINGS.test(name) || planned.includes(name)) continue;
    throw new Error(
      `it holds pictures that Patchloom did not write, such as ${name}: ` +
        `choose another folder, or add --force to write among them`,
    );
  }
}
