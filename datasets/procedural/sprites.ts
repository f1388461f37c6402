/** Sprites drawn by rule: creatures of 24x24 pixels with outlines, four colours each, on a transparent ground. */
import { type Stream, stream } from "../../core/random.ts";
import type { Images } from "../../core/types.ts";
import type { Colour } from "../formats/colour.ts";

const SIDE = 24, MIDDLE = (SIDE - 1) / 2;
/** Body colours: base, shade and light of each. */
const BODIES: readonly (readonly [Colour, Colour, Colour])[] = [
  [[92, 168, 72], [56, 116, 60], [164, 212, 100]],
  [[204, 84, 68], [144, 48, 60], [240, 148, 108]],
  [[84, 128, 204], [56, 80, 148], [140, 188, 236]],
  [[220, 168, 64], [164, 108, 44], [248, 216, 124]],
  [[148, 96, 176], [96, 60, 128], [200, 152, 220]],
  [[120, 128, 136], [76, 80, 92], [180, 188, 192]],
];
const OUTLINE: Colour = [36, 28, 44], WHITE: Colour = [248, 248, 240];
/** Keys the random numbers of a sprite. */
const SPRITES = 0x73707269;

/** Drawn parts of a sprite; `none` is transparent. */
type Part = "none" | "base" | "shade" | "light" | "outline" | "white";

/**
 * Draws sprites, byte-identical on every engine.
 *
 * @param split test sprites are others than training sprites
 * @param background the colour of transparent pixels
 */
export function proceduralSprites(split: "train" | "test", count: number, background: Colour): Images {
  const area = SIDE * SIDE, pixels = new Uint8Array(count * 3 * area);
  for (let i = 0; i < count; i++) {
    const random = stream(SPRITES, split === "train" ? 0 : 1, i), [base, shade, light] = pick(random, BODIES);
    const colours = { none: background, base, shade, light, outline: OUTLINE, white: WHITE };
    creature(random).forEach((part, p) => {
      colours[part].forEach((value, channel) => pixels[(3 * i + channel) * area + p] = value);
    });
  }
  return { count, height: SIDE, width: SIDE, channels: 3, pixels };
}

/** A creature, alike on both sides: a body, mostly a head, ears or horns, feet, and eyes. */
function creature(random: Stream): Part[] {
  const between = (low: number, high: number) => low + random.next() * (high - low);
  const shapes: { y: number; x: number; high: number; wide: number }[] = [];
  const bodyY = between(13, 15), wide = between(5, 8.5), high = between(5, 7);
  shapes.push({ y: bodyY, x: 0, high, wide });
  const hasHead = random.next() < 0.6,
    headY = hasHead ? between(7, 9) : bodyY,
    headWide = hasHead ? between(4, 6.5) : wide;
  if (hasHead) shapes.push({ y: headY, x: 0, high: between(3.5, 5), wide: headWide });
  const ears = Math.floor(random.next() * 4), top = hasHead ? headY - 4 : bodyY - high;
  if (ears === 1) shapes.push({ y: top, x: headWide * 0.7, high: between(2, 3.5), wide: between(1.2, 2.4) });
  if (ears === 2) shapes.push({ y: top - 0.5, x: headWide * 0.45, high: between(3, 4.5), wide: 1.3 });
  if (ears === 3) shapes.push({ y: top, x: 0, high: between(2.5, 4), wide: between(1, 2) });
  const arms = random.next() < 0.5;
  if (arms) {
    shapes.push({ y: bodyY - 1 + between(-1, 2), x: wide + 0.5, high: between(1.5, 3), wide: between(1.3, 2.2) });
  }
  shapes.push({
    y: Math.min(bodyY + high, 21),
    x: wide * between(0.35, 0.7),
    high: between(1.4, 2.4),
    wide: between(1.4, 2.6),
  });
  const inside = (y: number, x: number) => {
    return shapes.some((one) => {
      const dy = (y - one.y) / one.high, dx = (Math.abs(x - MIDDLE) - one.x) / one.wide;
      return dy * dy + dx * dx <= 1;
    });
  };
  const body = Array.from({ length: SIDE * SIDE }, (_, p) => inside(Math.floor(p / SIDE), p % SIDE));
  const at = (y: number, x: number) => y >= 0 && x >= 0 && y < SIDE && x < SIDE && body[y * SIDE + x];
  const belly = random.next() < 0.5, spots = random.next() < 0.4;
  const parts = body.map((filled, p): Part => {
    const y = Math.floor(p / SIDE), x = p % SIDE;
    const atEdge = !at(y - 1, x) || !at(y + 1, x) || !at(y, x - 1) || !at(y, x + 1);
    if (!filled) return "none";
    if (atEdge) return "outline";
    const dx = Math.abs(x - MIDDLE);
    if (belly && dx < wide * 0.5 && y > bodyY - 1 && y < bodyY + high * 0.6) return "light";
    if (spots && (x + 2 * y) % 5 === 0 && y < bodyY) return "shade";
    if (!at(y + 2, x) || !at(y + 1, x + 1) || x > MIDDLE + wide * 0.6) return "shade";
    return !at(y - 2, x) && x < MIDDLE ? "light" : "base";
  });
  const eyeY = Math.round(headY - (hasHead ? 0 : 2)), eyeX = Math.floor(between(1.6, Math.max(2, headWide * 0.6)));
  const put = (y: number, x: number, part: Part) => at(y, x) && (parts[y * SIDE + x] = part);
  const large = random.next() < 0.5;
  for (const side of [Math.floor(MIDDLE) - eyeX, Math.ceil(MIDDLE) + eyeX]) {
    put(eyeY, side, "white");
    if (large) put(eyeY - 1, side, "white");
    put(eyeY + 1, side, "outline");
  }
  for (let x = Math.floor(MIDDLE) - 1; x <= Math.ceil(MIDDLE) + 1; x++) put(eyeY + 3, x, "outline");
  return parts;
}

function pick<T>(random: Stream, from: readonly T[]): T {
  return from[Math.floor(random.next() * from.length)];
}
