/** What lies behind and below the face: backdrop, neck, ears and clothes. */

import { clamp, curve, type Layer, mix, noise, paint, sample, SIZE, smoothstep, stroke } from "../shading.ts";
import { type Layout, SIDES } from "./layout.ts";

/** The backdrop: a tone that slopes across the picture. It has no pattern: pieces of several patterns would make patchwork. */
export function paintBackdrop({ p }: Layout, on: Layer): void {
  const { tone, slope, fall } = p.backdrop;
  paint(on, [0, 0, SIZE, SIZE], (x, y) => clamp(tone + slope * (x / 64 - 1) + fall * (y / 64 - 1), 0.02, 0.98));
}

/** Neck and ears, in the shadow of the face. */
export function paintBehind(s: Layout, on: Layer, light: Float32Array): void {
  const { p, skullX, coversEars } = s;
  const { y: earY, size } = p.ears;
  const earX = p.head.width - 0.2;
  paint(on, [0, 40, SIZE, SIZE], (x, y, under) => {
    let cover = 0;
    if (y > 84) {
      cover = clamp((p.neck * (1 + Math.max(0, y - 104) * 0.006) - Math.abs(x - 64)) * 1.4 + 0.5);
    } else if (!coversEars) {
      const dx = (Math.abs(x - skullX) - earX) / (5.4 * size);
      const dy = (y - earY) / ((y < earY ? 12 : 13.5) * size);
      cover = clamp((1 - dx * dx - dy * dy) * 4 + 0.5);
    }
    return cover > 0 ? mix(under, p.skin * 0.9 * sample(light, x, y), cover) : under;
  });
  if (coversEars) return;
  for (const side of SIDES) {
    const x = skullX + side * earX;
    const fold = [x + side * 1.2, earY - 8 * size, x + side * 3.3, earY - 6 * size];
    fold.push(x + side * 3.4, earY, x + side * 1.6, earY + 6 * size);
    stroke(on, curve(fold), 0.04, { alpha: 0.4, width: 1.1, soft: 0.9 });
    const hollow = [x + side * 0.8, earY - 3.5, x + side * 1.9, earY + 0.5, x + side * 0.7, earY + 3.5];
    stroke(on, hollow, 0.04, { alpha: 0.5, width: 2, soft: 0.9 });
    const ring = [x, earY + 13, x + side * 0.2, earY + 16.5];
    if (p.ears.ring > 0.6) stroke(on, ring, p.ears.ring, { alpha: 0.9, width: 2.6, soft: 0.5 });
  }
}

/** Shoulders and collar, which show in the corners below the jaw. */
export function paintClothes({ p }: Layout, on: Layer): void {
  const { kind, tone, shirt, y: top } = p.clothes;
  const { neck } = p;
  const edge = kind === "open" ? top + 9 : top;
  const [rise, dip] = kind === "roll" ? [16, 6] : [7, 15];
  const suit = kind === "suit";
  paint(on, [0, 84, SIZE, SIZE], (x, y, under) => {
    // Shoulders slope away from the neck; a neckline dips in the middle.
    const dx = Math.abs(x - 64);
    const out = dx - neck;
    const inside = Math.max(0, 1 - dx / (neck + 2));
    const line = out > 0 ? edge - 7 + out * 0.34 + out * out * 0.0035 : edge - rise + inside * inside * dip;
    const cover = clamp((y - line) * 1.6 + 0.5);
    if (cover <= 0) return under;
    const fold = noise(x * 0.11 + y * 0.05, y * 0.06, p.seed + 5) - 0.5;
    const round = 1 - 0.35 * smoothstep(20, 70, dx);
    let cloth = tone * (round + p.lamp.x * (x - 64) * 0.004) + fold * 0.16 * (0.3 + tone);
    if (suit || kind === "shirt") {
      // Two collar wings from the neck down to the middle, and a tie.
      const tip = edge + 2 + (5 - out) * 0.75;
      const wing = 1 - smoothstep(tip, tip + 2.5, y);
      const collar = out < 5 ? wing : 0;
      const linen = (suit ? shirt : Math.min(0.97, tone + 0.08)) * (round + fold * 0.2);
      const opening = suit ? 1 - smoothstep(0, 1.5, dx - Math.max(3, neck - 2 - (y - edge) * 0.6)) : 0;
      cloth = mix(cloth, linen, Math.max(collar, opening));
      if (suit && dx < 5 + (y - edge) * 0.12) cloth = mix(cloth, tone * 0.5 + 0.1, smoothstep(edge + 10, edge + 12, y));
      cloth *= 1 - 0.45 * collar * smoothstep(0.6, 0, Math.abs(wing - 0.5));
    }
    cloth *= 1 - (1 - smoothstep(0, 2.5, y - line)) * (out < 3 ? 0.5 : 0.18);
    return mix(under, clamp(cloth, 0.02, 0.98), cover);
  });
}
