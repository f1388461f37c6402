/** The relief of head and neck, which a lamp shades, and the exposure of what it shows. */

import { clamp, mix, SIZE, swell } from "../shading.ts";
import { AREA, EYE_Y, type Layout, outline, SIDES } from "./layout.ts";

/** The relief of the face: skull, sockets, nose, lips, chin. */
export function sculptFace(s: Layout): Float32Array {
  const { p, noseX, noseY, mouthX, mouthY, chinX, skullX, happy } = s;
  const z = new Float32Array(AREA);
  for (let at = 0; at < AREA; at++) {
    const out = outline(s, at % SIZE, Math.floor(at / SIZE));
    const inside = 1 - out * (0.62 + 0.38 * out);
    // Beyond the outline the slope goes on, so that the edge is lit like a slope.
    z[at] = 50 * Math.sqrt(Math.max(0.04, inside)) + 125 * clamp(inside - 0.04, -0.6, 0);
  }
  const add = (x: number, y: number, rx: number, ry: number, height: number) => swell(z, x, y, rx, ry, height);
  const { smile, width, upper, lower, open } = p.mouth;
  const { eyes, nose, head, age } = p;
  const { ridge } = p.brows;
  add(skullX, 26, 40, 22, 2);
  add(noseX - 1, 44, 16, 9, ridge * 0.6);
  for (const side of SIDES) {
    const eye = 64 + 20 * side;
    const wing = noseX + side * nose.width;
    const corner = mouthX + side * width;
    // Brow ridge, socket, the socket's deep inner end, the eyeball, temple, cheekbone, the hollow below it, the apple.
    add(eye + side * 2, EYE_Y - 11.5, 22, 8, 1.2 + ridge);
    add(eye - side * 2, EYE_Y - 1, 19, 13, -eyes.depth);
    add(eye - side * 10.5, EYE_Y - 2, 9, 11, -eyes.depth * 0.55);
    add(eye, EYE_Y, 11.5, 9.5, 4.2);
    add(skullX + side * (head.width - 7), 38, 10, 20, -2.2);
    add(skullX + side * head.width * 0.66, 70, 20, 14, 3.2 + head.cheeks * 30);
    add(skullX + side * head.width * 0.62, 88, 17, 20, -3.4 + p.weight * 5 - age);
    add(corner + side * 6, mouthY - 15 - happy * 2, 13, 12, 1.2 + happy * 2.6 + p.weight);
    // The fold from the wing of the nose to beside the mouth's corner.
    for (let t = 0; t <= 1; t += 0.25) {
      const x = mix(wing + side * 2.5, corner + side * 4, t) + side * t * (1 - t) * 5;
      add(x, mix(noseY + 1, mouthY + 3, t), 4.5, 6, -0.3 - happy - age * 1.1);
    }
    add(wing - side * 3.4, noseY + 1, 7, 7, 3.2);
    add(noseX + side * nose.width * 0.5, noseY + 4.6, 4, 3, -1.8);
    add(wing + side * 3, noseY + 1, 4, 7, -1.6);
    add(corner + side * 1.5, mouthY - smile * 3, 5, 5, -1.8);
    add(mouthX + side * 4.5, mouthY + lower * 0.6 + open * 0.7, width * 0.7, lower + 1.6, 1.6);
    if (age > 0.45) add(chinX + side * 19, mouthY + 9, 5, 10, -age * 1.6);
  }
  // The nose's back is a row of bells that grow towards the tip.
  for (let k = 0; k <= 10; k++) {
    const t = k / 10;
    const x = mix(64, noseX, t);
    const y = mix(45, noseY - 3, t);
    add(x, y, nose.bridge * (1.75 + 0.55 * t), 8, 0.7 + t * nose.rise * 0.15);
  }
  add(noseX, noseY - 0.5, nose.bridge * 1.2 + nose.ball, 9, nose.rise * 0.22 + 1);
  add(noseX, noseY + 8, 11, 5, -1.6);
  // Muzzle, philtrum, upper lip, the parting, the groove under the lower lip, chin.
  add(mouthX, mouthY, width * 1.75, 19, 3);
  add(mouthX, mix(noseY + 4, mouthY - upper, 0.55), 3, 6, -1.3);
  add(mouthX, mouthY - upper * 0.7 - open * 0.3, width * 1.02, upper + 2.2, 2.3);
  add(mouthX, mouthY + open * 0.2, width * 1.05, 1.8, -1.6);
  add(mouthX, mouthY + lower + open * 0.7 + 3, width * 0.95, 5, -3.2);
  add(chinX, head.chin - 8.5, 14, 9, p.feminine ? 4 : 5.5);
  return z;
}

/** The relief of what lies behind the face: neck and ears. */
export function sculptBehind({ p, skullX, chinX }: Layout): Float32Array {
  const z = new Float32Array(AREA);
  const { y: earY, size } = p.ears;
  for (let at = 84 * SIZE; at < AREA; at++) {
    const dx = (at % SIZE - mix(chinX, 64, 0.5)) / (p.neck + 1.5);
    const y = Math.floor(at / SIZE);
    z[at] = 26 * Math.sqrt(Math.max(0.03, 1 - dx * dx)) - 14 - (y - 110) * 0.12;
  }
  for (const side of SIDES) {
    // Sinews from behind the ears to the pit of the throat.
    for (let k = 0; k < 8; k++) swell(z, 64 + side * mix(p.neck * 0.85, 7, k / 7), mix(96, 132, k / 7), 6, 8, 1.6);
    const x = skullX + side * (p.head.width - 0.2);
    swell(z, x, earY, 8 * size, 17 * size, 5);
    swell(z, x - side * 1.2, earY - 1, 4.2 * size, 10 * size, -5);
    swell(z, x - side * 1.5, earY + 2, 2.5, 4, 3);
  }
  return z;
}

/** Sets the exposure: cheeks, brow and nose of every sitter get about the same light. */
export function expose(face: Float32Array, behind: Float32Array): void {
  let sum = 0;
  for (let y = 30; y < 100; y++) for (let x = 36; x < 92; x++) sum += face[y * SIZE + x];
  const gain = 0.74 * 70 * 56 / sum;
  for (const light of [face, behind]) {
    for (let at = 0; at < AREA; at++) {
      // A shoulder on the curve keeps highlights from burning out.
      const value = light[at] * gain;
      const over = Math.max(0, value - 0.8);
      light[at] = value - over + over / (1 + 1.6 * over);
    }
  }
}
