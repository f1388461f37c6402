/** Photographs of faces that are taken together: they are aligned by their eyes, so that pieces of one fit the others. */
import { alignEyes } from "../../../datasets/faces/align_eyes.ts";
import type { EyePair } from "../../../datasets/faces/windows.ts";
import { composited, type GreyImage } from "../../../datasets/formats/colour.ts";
import { bitmapOf } from "./decode.ts";
import { type Photograph, photographOf } from "./eyes.ts";

/** Smaller pictures are none of a camera: they are taken as they are. */
const LEAST_SIDE = 128;

/** What finds the faces. */
export interface FaceSearch {
  findEyes(photograph: GreyImage): Promise<EyePair | undefined>;
  /** Is called before each picture but the first; `looked`: the pictures before it. */
  onLooked(looked: number): void;
}

/**
 * Aligns the faces in pictures by their eyes, where nearly all show one.
 *
 * @param side the side of the results in pixels
 * @returns for each file in which a face was found its four bytes of each pixel; undefined if the pictures are not all of faces
 */
export async function facePictures(
  files: readonly File[],
  side: number,
  { findEyes, onLooked }: FaceSearch,
): Promise<Map<File, Uint8ClampedArray> | undefined> {
  const found = new Map<File, Uint8ClampedArray>();
  let looked = 0;
  for (const file of files) {
    if (looked > 0) onLooked(looked);
    const bitmap = await bitmapOf(file), least = bitmap && Math.min(bitmap.width, bitmap.height);
    bitmap?.close();
    if (least === undefined) continue;
    if (least < LEAST_SIDE) return undefined;
    const photograph = await photographOf(file), eyes = photograph && await findEyes(photograph.grey);
    if (photograph && eyes) found.set(file, aligned(photograph, eyes, side));
    if (!areFaces(found.size, ++looked)) return undefined;
  }
  return found.size > 0 ? found : undefined;
}

/** Whether pictures count as faces after some of them were looked at: at most one in four lacks a face, and one more. */
export function areFaces(found: number, looked: number): boolean {
  return 4 * (looked - found) <= looked + 4;
}

function aligned({ rgba }: Photograph, { leftX, leftY, rightX, rightY }: EyePair, side: number): Uint8ClampedArray {
  const eyes = [{ x: leftX, y: leftY }, { x: rightX, y: rightY }] as const, area = side * side;
  const planes = alignEyes(composited(rgba, { channels: 3 }), ...eyes, side);
  return Uint8ClampedArray.from({ length: 4 * area }, (_, i) => i % 4 === 3 ? 255 : planes[i % 4 * area + (i >> 2)]);
}
