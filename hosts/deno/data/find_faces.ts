/** Finds the eyes in a folder of photographs, and says which photographs cannot be used. */
import { join } from "@std/path";
import type { Images } from "../../../core/types.ts";
import { findEyes, type FoundFace } from "../../../datasets/faces/find_eyes.ts";
import { learnEyes } from "../../../datasets/faces/learn_eyes.ts";
import { eyeDistance } from "../../../datasets/faces/windows.ts";
import { csv } from "../../../pipelines/report/csv.ts";
import { progress } from "../system/progress.ts";
import { readFile } from "./read_files.ts";
import type { Eyes } from "./import_faces.ts";
import { LARGEST_PHOTOGRAPH, readPicture } from "./read_picture.ts";
import { listPictures } from "./read_pictures.ts";

/** A photograph that was looked at. */
export interface LookedAt {
  readonly file: string;
  /** Why it cannot be used; empty if it can. */
  readonly reason: string;
  readonly face?: FoundFace;
}

/** Photographs of a set of faces: fewer teach too little. */
export const MIN_TAUGHT = 100;
/**
 * What a face must have: with these, no face was found in 20 textures, and 4 of 260 photographs of faces were left out for their
 * score. Other values were not tried.
 */
const MIN_SCORE = 0.5, MAX_SPREAD = 0.04, MIN_DISTANCE = 12;

/**
 * Learns from aligned faces, and finds the eyes in all photographs of a folder.
 *
 * @param taught sets of grey aligned faces
 * @param signal aborts when it should stop
 * @throws {Error} if the folder holds no pictures, or when stopped
 */
export async function findFaces(
  folder: string,
  taught: readonly Images[],
  signal?: AbortSignal,
): Promise<LookedAt[]> {
  const { names, others } = await listPictures(folder), found: LookedAt[] = [];
  const turn = () => new Promise((resolve) => setTimeout(resolve, 0)); // a signal is handled in between
  const check = () => {
    if (signal?.aborted) throw new Error("Stopped before all photographs were looked at");
  };
  const learning = progress("learning faces", false);
  let step;
  try {
    const steps = learnEyes(taught);
    while (!(step = steps.next()).done) {
      learning.update(step.value);
      await turn();
      check();
    }
  } finally {
    learning.end();
  }
  const finder = step.value, shown = progress("finding eyes", false);
  try {
    for (const [i, file] of names.entries()) {
      const path = join(folder, file);
      try {
        const bytes = await readFile(path);
        const [face] = findEyes(finder, await readPicture(bytes, file, { largestSide: LARGEST_PHOTOGRAPH }));
        found.push({ file, reason: fault(face), ...face && { face } });
      } catch (error) {
        found.push({ file, reason: (error as Error).message });
      }
      shown.update((i + 1) / names.length);
      await turn();
      check();
    }
  } finally {
    shown.end();
  }
  return [...found, ...others.map((file) => ({ file, reason: "its format is not read" }))];
}

/** Why a face cannot be used; empty if it can. */
function fault(face: FoundFace | undefined): string {
  if (!face || face.score < MIN_SCORE) return "no face found";
  const distance = eyeDistance(face.eyes);
  if (distance < MIN_DISTANCE) return `face too small: its eyes are ${distance.toFixed(0)} pixels apart`;
  return face.spread > MAX_SPREAD ? "the places of the eyes are uncertain" : "";
}

/** The table of all photographs, which `--eyes` takes, too. */
export function picturesCsv(looked: readonly LookedAt[]): string {
  const rows = looked.map(({ file, reason, face }) => {
    const { leftX, leftY, rightX, rightY } = face?.eyes ?? {};
    const places = [leftX, leftY, rightX, rightY].map((place) => place?.toFixed(1) ?? "");
    return [file, reason ? "no" : "yes", reason.replace(/\s+/g, " "), ...places];
  });
  return csv({ columns: ["file", "used", "reason", "left_x", "left_y", "right_x", "right_y"], rows });
}

/** The eyes of the photographs that can be used. */
export function usableEyes(looked: readonly LookedAt[]): Eyes[] {
  return looked.flatMap(({ file, reason, face }) => {
    if (reason || !face) return [];
    const { leftX, leftY, rightX, rightY } = face.eyes;
    return { where: "pictures.csv", file, left: { x: leftX, y: leftY }, right: { x: rightX, y: rightY } };
  });
}
