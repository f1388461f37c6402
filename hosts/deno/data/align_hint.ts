/** Tells how photographs become images of faces that lie at the same place. */
import { colourFaces, faces } from "../../../datasets/profiles/mod.ts";
import { readRecord } from "../folders/folder_record.ts";
import { commandLine } from "../system/command_line.ts";
import { trainImages } from "./read_idx.ts";

/** Data sets of aligned faces, and the flag by which photographs become such a set. */
const FACES: Readonly<Record<string, readonly string[]>> = { [faces.dataset]: [], [colourFaces.dataset]: ["--colour"] };

/** The flags of `data import` by which photographs become images for a profile; undefined if it shows no aligned faces. */
export function aligningFlags(dataset: string): readonly string[] | undefined {
  return Object.hasOwn(FACES, dataset) ? ["--faces", ...FACES[dataset]] : undefined;
}

/**
 * Returns a sentence with the command that aligns the eyes, where a profile of faces learns from a folder of pictures that Patchloom
 * did not write: a camera's photographs, whose faces lie anywhere, become ghosts. Otherwise undefined.
 *
 * @param dataset that of the profile
 * @param path where the training images come from, if a path was given
 */
export async function alignHint(dataset: string, path: string | undefined): Promise<string | undefined> {
  const flags = aligningFlags(dataset);
  if (!flags || path === undefined) return undefined;
  const info = await Deno.stat(path).catch(() => undefined);
  if (!info?.isDirectory || await readRecord(path) || await trainImages(path)) return undefined;
  const line = commandLine("deno task data", ["import", path, ...flags]);
  return `Hint: all eyes must lie at the same place. For photographs as they come, first: ${line}`;
}
