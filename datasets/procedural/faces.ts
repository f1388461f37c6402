/** Portraits drawn by rule, so that there is a training set of faces without a download. */

import { stream } from "../../core/random.ts";
import type { Images } from "../../core/types.ts";
import { colouredPortrait } from "./portrait/colours.ts";
import { drawPortrait, printed } from "./portrait/draw.ts";
import { AREA } from "./portrait/layout.ts";
import { randomPortrait } from "./portrait/portrait.ts";
import { SIZE } from "./shading.ts";

/** Names these streams among all that the program draws ("face"). */
const PURPOSE = 0x66616365;

/**
 * From this number on, a face is the mirror image of the one so many before: drawing takes 20 ms, or 60 ms in colour, a mirror image
 * none.
 */
const DRAWN = { 1: 600, 3: 200 } as const;

/** Some of the portraits that are drawn: `from` up to `to` of a split. Threads draw parts of a data set. */
export interface FacesPart {
  readonly split: "train" | "test";
  readonly channels: 1 | 3;
  readonly from: number;
  readonly to: number;
}

/** The part of the first `count` portraits that is drawn; the others are mirror images. */
export function drawnPart(split: "train" | "test", count: number, channels: 1 | 3): FacesPart {
  return { split, channels, from: 0, to: Math.min(count, DRAWN[channels]) };
}

/** Draws portraits, one after another; face i depends on (split, i, channels) alone. */
export function drawFaces({ split, channels, from, to }: FacesPart): Uint8Array<ArrayBuffer> {
  const length = channels * AREA;
  const pixels = new Uint8Array((to - from) * length);
  for (let i = from; i < to; i++) pixels.set(drawnFace(split, i, channels), (i - from) * length);
  return pixels;
}

/**
 * `count` portraits, 128x128, eyes at (44,52) and (84,52) (x, y); face i depends on (split, i, channels) alone.
 *
 * @param drawn those that are drawn, if they are there already
 */
export function proceduralFaces(
  split: "train" | "test",
  count: number,
  channels: 1 | 3 = 1,
  drawn: Uint8Array = drawFaces(drawnPart(split, count, channels)),
): Images {
  const length = channels * AREA;
  const pixels = new Uint8Array(count * length);
  pixels.set(drawn);
  for (let at = drawn.length; at < pixels.length; at += length) {
    const from = at - DRAWN[channels] * length;
    pixels.set(mirrored(pixels.subarray(from, from + length)), at);
  }
  return { count, height: SIZE, width: SIZE, ...channels === 3 && { channels }, pixels };
}

/** Draws face number `i` of a split, in each channel with the same random numbers. */
function drawnFace(split: "train" | "test", i: number, channels: 1 | 3): Uint8Array {
  const which = split === "train" ? 0 : 1;
  const portrait = randomPortrait(stream(PURPOSE, which, i, 0));
  const inChannels = channels === 1 ? [portrait] : colouredPortrait(portrait, stream(PURPOSE, which, i, 2));
  const tones = new Float32Array(channels * AREA);
  inChannels.forEach((one, c) => tones.set(drawPortrait(one, stream(PURPOSE, which, i, 1)), c * AREA));
  return printed(tones);
}

/** Mirrors a portrait so that its eyes stay where they are: about x = 64, the left edge of a pixel. The first column is repeated. */
function mirrored(pixels: Uint8Array): Uint8Array {
  return pixels.map((_, at) => {
    const x = at % SIZE;
    return pixels[at - x + Math.min(SIZE - x, SIZE - 1)];
  });
}
