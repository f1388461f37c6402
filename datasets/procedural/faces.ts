/** Portraits drawn by rule, so that there is a training set of faces without a download. */

import { stream } from "../../core/random.ts";
import type { Images } from "../../core/types.ts";
import { drawPortrait } from "./portrait/draw.ts";
import { randomPortrait } from "./portrait/portrait.ts";
import { SIZE } from "./shading.ts";

/** Names these streams among all that the program draws ("face"). */
const PURPOSE = 0x66616365;

/** `count` portraits, 128x128 grey, eyes at (44,52) and (84,52) (x, y); face i depends on (split, i) alone. */
export function proceduralFaces(split: "train" | "test", count: number): Images {
  const pixels = new Uint8Array(count * SIZE * SIZE), which = split === "train" ? 0 : 1;
  for (let i = 0; i < count; i++) {
    const portrait = randomPortrait(stream(PURPOSE, which, i, 0));
    pixels.set(drawPortrait(portrait, stream(PURPOSE, which, i, 1)), i * SIZE * SIZE);
  }
  return { count, height: SIZE, width: SIZE, pixels };
}
