/** Finds files that lie beside assessed images: who publishes the folder publishes them, too. */
import { join, relative } from "node:path";
import type { ImageSet } from "../data/read_image_set.ts";
import { filesBelow } from "../folders/files_below.ts";

/**
 * The paths of the files below a folder that no assessed image was read from: sheets, which show training images, pictures of other
 * names or kinds, and pictures beside an IDX file that was read in their place.
 *
 * @param path what was assessed: nothing is found beside a file
 */
export async function unassessedFiles(
  path: string,
  { files, names }: Pick<ImageSet, "files" | "names">,
): Promise<string[]> {
  const isFolder = async (path: string) => (await Deno.stat(path)).isDirectory;
  if (!await isFolder(path)) return [];
  const read = new Set<string>();
  for (const { path: from } of files) {
    const ofPictures = typeof names === "string" || !await isFolder(from) ? [] : names.map((name) => join(from, name));
    for (const file of [from, ...ofPictures]) read.add(relative(path, file));
  }
  return (await filesBelow(path)).filter((name) => !read.has(join(name)));
}

/** Says that a folder holds more than what was assessed. */
export function unassessedText(path: string, [first, ...more]: readonly string[]): string {
  const others = more.length > 0 ? ` and ${more.length} more` : "";
  return `${path} holds files that were not assessed, and may show training images: ${first}${others}. ` +
    "Give --images a folder of pictures alone, such as the folder images of a run";
}
