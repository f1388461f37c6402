/**
 * Colours of portraits: a portrait is drawn once for red, green and blue, with the tones that its parts have there. Shapes and
 * random numbers are the same in the three drawings, so that they lie on each other exactly.
 */
import type { Stream } from "../../../core/random.ts";
import { clamp, mix } from "../shading.ts";
import type { Portrait } from "./portrait.ts";

/** How much lighter or darker than grey something is in red, green and blue. */
type Tint = readonly [red: number, green: number, blue: number];

/** Colours of clothes and backdrops; the last is grey. Each keeps about the brightness that it has in grey. */
const DYES: readonly Tint[] = [[0.3, -0.1, -0.12], [-0.16, -0.02, 0.26], [-0.12, 0.09, -0.1], [0.16, 0.02, -0.24], [
  0,
  0,
  0,
]];

/** The same portrait in red, green and blue: plain numbers, as the portrait itself. */
export function colouredPortrait(portrait: Portrait, random: Stream): [Portrait, Portrait, Portrait] {
  const dye = () => DYES[Math.floor(random.next() * DYES.length)];
  const clothes = dye();
  const shirt = dye();
  const backdrop = dye();
  const blush = random.next();
  const warmth = random.next();
  const { skin, age, eyes, brows, mouth, hair, beard } = portrait;
  const lightEyes = eyes.iris > 0.26;
  // Grey hair has lost its colour; skin and hair are redder the darker they are.
  const hued = (age > 0.45 ? 0.25 : 1) * mix(0.5, 1, warmth);
  const skinAt = brown(skin, mix(0.28, 0.4, warmth));
  const hairAt = brown(hair.tone, 0.5 * hued);
  const browAt = brown(brows.tone, 0.4 * hued);
  const beardAt = brown(beard.tone, 0.5 * hued);
  const iris: Tint = lightEyes ? [-0.12, 0.02, 0.12] : [0.1, -0.02, -0.08];
  const lips: Tint = [0.12 + 0.08 * blush, -0.09, -0.04];
  const inChannel = (c: 0 | 1 | 2): Portrait => ({
    ...portrait,
    skin: skinAt[c],
    eyes: { ...eyes, iris: clamp(eyes.iris + iris[c], 0.03, 0.8) },
    brows: { ...brows, tone: browAt[c] },
    mouth: { ...mouth, tone: clamp(mouth.tone + lips[c], 0.2, 1) },
    hair: { ...hair, tone: hairAt[c] },
    beard: { ...beard, tone: beardAt[c] },
    clothes: {
      ...portrait.clothes,
      tone: tinted(portrait.clothes.tone, clothes[c]),
      shirt: tinted(portrait.clothes.shirt, 0.3 * shirt[c]),
    },
    backdrop: { ...portrait.backdrop, tone: tinted(portrait.backdrop.tone, 0.7 * backdrop[c]) },
  });
  return [inChannel(0), inChannel(1), inChannel(2)];
}

/** A tone in the three channels of a brown: red is lighter, blue is darker, and black stays. */
function brown(tone: number, amount: number): Tint {
  const by = amount * tone * (1.2 - tone);
  return [clamp(tone + by, 0.02, 0.97), tone, clamp(tone - by, 0.02, 0.97)];
}

/** Dyes little where a tone is near black or white. */
function tinted(tone: number, by: number): number {
  return clamp(tone + by * Math.min(1, 3 * tone * (1.3 - tone)), 0.02, 0.98);
}
