/** Finds the eyes in a folder of photographs, and says which photographs cannot be used. */
import { join } from "node:path";
import type { Images } from "../../../core/types.ts";
import { FACE_SCORE, findEyes, type FoundFace } from "../../../datasets/faces/find_eyes.ts";
import { readFinder } from "../../../datasets/faces/eye_finder_file.ts";
import { learnEyes } from "../../../datasets/faces/learn_eyes.ts";
import { eyeDistance, type EyeFinder } from "../../../datasets/faces/windows.ts";
import { csv } from "../../../pipelines/report/csv.ts";
import { progress } from "../system/progress.ts";
import { readFile } from "./read_files.ts";
import type { Eyes } from "./import_faces.ts";
import { faultOfIt, LARGEST_PHOTOGRAPH, readPicture } from "./read_picture.ts";
import { listAlbum } from "./read_pictures.ts";

/** A photograph that was looked at. */
export interface LookedAt {
  readonly file: string;
  /** Why it cannot be used; empty if it can. */
  readonly reason: string;
  readonly face?: FoundFace;
}

/** Photographs of a set of faces: fewer teach too little. */
export const MIN_TAUGHT = 100;
/** What the eyes of a face must have. Other values were not tried. */
const MAX_SPREAD = 0.04, MIN_DISTANCE = 12;

/** Returns the finder that comes with Patchloom: see `deno task build:eyes`. It is read when it is needed. */
export async function shippedFinder(): Promise<EyeFinder> {
  const { default: file } = await import("../../../datasets/faces/eye_finder.json", { with: { type: "json" } });
  return readFinder(file);
}

/**
 * Learns from aligned faces.
 *
 * @param taught sets of grey aligned faces
 * @param signal aborts when it should stop
 * @throws {Error} when stopped
 */
export async function learnFinder(taught: readonly Images[], signal?: AbortSignal): Promise<EyeFinder> {
  const bar = progress("learning faces", false), steps = learnEyes(taught);
  try {
    let step = steps.next();
    for (; !step.done; step = steps.next()) {
      bar.update(step.value);
      await turn(signal);
    }
    return step.value;
  } finally {
    bar.end();
  }
}

/** Lets a signal be handled. */
async function turn(signal?: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0));
  if (signal?.aborted) throw new Error("Stopped before all photographs were looked at");
}

/**
 * Finds the eyes in all photographs of a folder.
 *
 * @param signal aborts when it should stop
 * @throws {Error} if the folder holds no pictures, or when stopped
 */
export async function findFaces(
  folder: string,
  finder: EyeFinder,
  signal?: AbortSignal,
): Promise<LookedAt[]> {
  const { names, others } = await listAlbum(folder), looked: LookedAt[] = [];
  const bar = progress("finding eyes", false);
  try {
    for (const [i, file] of names.entries()) {
      try {
        // The reason stands beside the name.
        const bytes = await readFile(join(folder, file), "it");
        const [face] = findEyes(finder, await readPicture(bytes, "it", { largestSide: LARGEST_PHOTOGRAPH }));
        looked.push({ file, reason: faultOf(face), ...face && { face } });
      } catch (error) {
        looked.push({ file, reason: faultOfIt(error) });
      }
      bar.update((i + 1) / names.length);
      await turn(signal);
    }
  } finally {
    bar.end();
  }
  return [...looked, ...others.map((file) => ({ file, reason: "its format is not read" }))];
}

/** Why a face cannot be used; empty if it can. */
export function faultOf(face: FoundFace | undefined): string {
  if (!face || face.score < FACE_SCORE) return "no face found";
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
