/** Where the parts of a portrait are, once the head is turned and tipped, and how far the head reaches. */

import type { Stream } from "../../../core/random.ts";
import { clamp, hill, mix, SIZE } from "../shading.ts";
import type { Portrait } from "./portrait.ts";

/** The y of the eyes, in pixels. */
export const EYE_Y = 52;
/** The y of the cheekbones, where the head is widest, in pixels. */
export const WIDEST = 58;
/** Pixels of a portrait. */
export const AREA = SIZE * SIZE;
/** Left and right. */
export const SIDES = [-1, 1] as const;

/** What all parts share: the portrait, its random numbers, and where things are once the head is turned and tipped. */
export function layOut(p: Portrait, random: Stream) {
  return {
    p,
    random,
    /** The tone of the deepest lines in the skin. */
    ink: Math.min(0.1, p.skin * 0.12),
    happy: Math.max(0, p.mouth.smile),
    coversEars: p.hair.style === "bob" || p.hair.style === "long" || p.hair.style === "long fringe",
    skullX: 64 - 3.6 * p.turn,
    noseX: 64 + 4.6 * p.turn,
    mouthX: 64 + 3 * p.turn,
    chinX: 64 + p.turn,
    noseY: p.nose.tip + 1.6 * p.nod,
    mouthY: p.mouth.y + 1.2 * p.nod,
  };
}
export type Layout = ReturnType<typeof layOut>;

/** How far out of the head's outline a point is: 0 in the middle, 1 on the outline. */
export function outline({ p, skullX, chinX }: Layout, x: number, y: number): number {
  const { width, crown, chin, square, taper, cheeks } = p.head;
  if (y <= WIDEST) {
    const up = (WIDEST - y) / (WIDEST - crown);
    const half = width * (1 - 0.03 * hill((up - 0.25) * (up - 0.25) * 12));
    return (x - skullX) * (x - skullX) / (half * half) + up * up * (0.55 + 0.45 * up * up);
  }
  const down = (y - WIDEST) / (chin - WIDEST);
  const d2 = down * down;
  const bone = down - 0.2;
  const jowl = down - 0.6;
  const full = cheeks * hill(bone * bone * 9) + p.weight * 0.05 * hill(jowl * jowl * 6);
  const dx = (x - mix(skullX, chinX, Math.min(1, down))) / (width * (1 - taper * down + full));
  return dx * dx + d2 * (1 - square) + square * d2 * d2 * d2;
}

/** How much of a pixel the head covers. */
export function headCover(s: Layout, x: number, y: number): number {
  return clamp((1 - outline(s, x, y)) * s.p.head.width * 0.6 + 0.5);
}
