/** Portraits drawn by rule, so that there is a training set of faces without a download. */

import { stream } from "../../core/random.ts";
import type { Images } from "../../core/types.ts";
import { drawPortrait } from "./portrait/draw.ts";
import { AREA } from "./portrait/layout.ts";
import { randomPortrait } from "./portrait/portrait.ts";
import { SIZE } from "./shading.ts";

/** Names these streams among all that the program draws ("face"). */
const PURPOSE = 0x66616365;

/** From this number on, a face is the mirror image of the one so many before: drawing takes 20 ms, a mirror image none. */
const DRAWN = 600;

/** `count` portraits, 128x128 grey, eyes at (44,52) and (84,52) (x, y); face i depends on (split, i) alone. */
export function proceduralFaces(split: "train" | "test", count: number): Images {
  const pixels = new Uint8Array(count * AREA), which = split === "train" ? 0 : 1;
  for (let i = 0; i < count; i++) {
    if (i >= DRAWN) {
      const drawn = (i - DRAWN) * AREA;
      pixels.set(mirrored(pixels.subarray(drawn, drawn + AREA)), i * AREA);
      continue;
    }
    const portrait = randomPortrait(stream(PURPOSE, which, i, 0));
    pixels.set(drawPortrait(portrait, stream(PURPOSE, which, i, 1)), i * AREA);
  }
  return { count, height: SIZE, width: SIZE, pixels };
}

/** Mirrors a portrait so that its eyes stay where they are: about x = 64, the left edge of a pixel. The first column is repeated. */
function mirrored(pixels: Uint8Array): Uint8Array {
  return Uint8Array.from({ length: AREA }, (_, at) => {
    const x = at % SIZE;
    return pixels[at - x + Math.min(SIZE - x, SIZE - 1)];
  });
}
