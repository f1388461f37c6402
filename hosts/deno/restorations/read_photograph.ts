/** Reads a whole photograph whose face is restored: finds the eyes, and aligns the photograph and its mask by them. */
import type { Images } from "../../../core/types.ts";
import { alignEyes, type EyesAt } from "../../../datasets/faces/align_eyes.ts";
import { findEyes } from "../../../datasets/faces/find_eyes.ts";
import { type AlignedFace, pasteAligned } from "../../../datasets/faces/paste_aligned.ts";
import type { Composited } from "../../../datasets/formats/colour.ts";
import { pngOf } from "../../../datasets/formats/write_png.ts";
import { faultOf, shippedFinder } from "../data/find_faces.ts";
import { readFile } from "../data/read_files.ts";
import { LARGEST_PHOTOGRAPH, readPicture } from "../data/read_picture.ts";
import { readMaskFor } from "./read_mask.ts";

/** A photograph of a face, and what is missing of it. */
export interface Photograph {
  readonly picture: Composited;
  /** A byte for each pixel: 1 where it is missing. */
  readonly missing: Uint8Array;
  readonly eyes: EyesAt;
}

/** A photograph and the aligned face in it, to be restored. */
export interface PhotographedFace {
  readonly photograph: Photograph;
  /** One image of side x side pixels. */
  readonly images: Images;
  /** side x side values: 1 where a pixel is known. */
  readonly known: Float32Array;
}

/** At most this much of 255 of an aligned pixel may be missing in the photograph: with more, damage would shine through. */
const MISSING = 8;

/**
 * Reads a photograph and its mask.
 *
 * @param side of the aligned face, in pixels
 * @throws {Error} if there is no face in it, or if the mask has another size
 */
export async function readPhotograph(
  path: string,
  maskPath: string,
  channels: 1 | 3,
  side: number,
): Promise<PhotographedFace> {
  const bytes = await readFile(path), options = { largestSide: LARGEST_PHOTOGRAPH };
  const picture = await readPicture(bytes, path, { ...options, channels });
  const grey = channels === 1 ? picture : await readPicture(bytes, path, { ...options, channels: 1 });
  const missing = await readMaskFor(maskPath, path, picture);
  const [face] = findEyes(await shippedFinder(), grey), fault = faultOf(face);
  if (fault || !face) {
    throw new Error(
      `Cannot restore the face in ${path}: ${fault}. Cut the face out and align it: see "An old photograph"`,
    );
  }
  const { leftX, leftY, rightX, rightY } = face.eyes;
  const eyes = { left: { x: leftX, y: leftY }, right: { x: rightX, y: rightY } };
  const white = { height: picture.height, width: picture.width, pixels: missing.map((one) => 255 * one) };
  const pixels = alignEyes(picture, eyes.left, eyes.right, side);
  const known = Float32Array.from(alignEyes(white, eyes.left, eyes.right, side), (value) => value >= MISSING ? 0 : 1);
  return {
    photograph: { picture, missing, eyes },
    images: { count: 1, height: side, width: side, channels, pixels },
    known,
  };
}

/** The names of the files that `photographFiles` makes. */
export function photographNames(samples: number): string[] {
  return ["photograph.png", ...Array.from({ length: samples > 1 ? samples : 0 }, (_, s) => `photograph-${s + 1}.png`)];
}

/** Puts restored faces back into their photograph. Returns the pictures as PNG files, and how many missing pixels stay. */
export function photographFiles(
  { picture, missing, eyes }: Photograph,
  side: number,
  { mean, samples }: { readonly mean: Uint8Array; readonly samples: readonly Uint8Array[] },
): { readonly files: [name: string, bytes: Uint8Array][]; readonly outside: number } {
  const faces: readonly AlignedFace[] = [mean, ...samples].map((pixels) => ({ pixels, side }));
  const pasted = photographNames(samples.length).map((name, i) => ({
    name,
    ...pasteAligned(picture, faces[i], { missing, eyes }),
  }));
  return {
    files: pasted.map(({ name, picture: { pixels } }) => {
      const { height, width, channels = 1 } = picture;
      return [name, pngOf({ height, width, channels }, pixels)];
    }),
    outside: pasted[0].outside,
  };
}
