/** The features of a face, drawn on the shaded skin: eyes, brows, nose, mouth, lines and beard. */

import {
  clamp,
  curve,
  hill,
  type Layer,
  mix,
  noise,
  paint,
  type Pencil,
  sample,
  smoothstep,
  stroke,
} from "../shading.ts";
import { EYE_Y, headCover, type Layout, outline, SIDES } from "./layout.ts";

/** One eye: ball, iris, pupil and catch-light between the lids, then lid edges, crease and lashes. */
export function drawEye({ p, random, ink }: Layout, on: Layer, side: number, skin: Float32Array): void {
  const { eyes, lamp } = p,
    { width: w, iris, size, tilt, crease, lashes } = eyes,
    ex = 64 + 20 * side,
    x0 = ex + side * 0.6;
  // Lids over u from -1 at the nose to 1 at the temple.
  const corner = (u: number) => EYE_Y + 0.9 - tilt * 0.5 * (u + 1) + 0.4 * u;
  const upper = (u: number) => corner(u) - (eyes.upper + 0.6) * (1 - u * u) * (1.04 - 0.18 * u + 0.12 * u * u);
  const lower = (u: number) => corner(u) + (eyes.lower + 0.2) * (1 - u * u) * (1 + 0.22 * u);
  const lid = (edge: (u: number) => number, u0: number, u1: number, dy: number, tone: number, pencil: Pencil) => {
    const line: number[] = [];
    for (let k = 0; k <= 14; k++) line.push(x0 + side * mix(u0, u1, k / 14) * w, edge(mix(u0, u1, k / 14)) + dy);
    stroke(on, line, tone, pencil);
  };
  const light = 0.5 * (sample(skin, ex, EYE_Y + 7) + sample(skin, ex + side * 6, EYE_Y + 6));
  const white = clamp(0.12 + 0.6 * light * mix(0.72, 1, p.skin), 0.2, 0.8), ix = ex + eyes.gaze, iy = EYE_Y + 0.1;
  lid(upper, -1.05, 1.1, -1.4, 0.02, { alpha: 0.22, width: 3.4, soft: 3 });
  paint(on, [ex - 15, EYE_Y - 9, ex + 15, EYE_Y + 9], (x, y, under) => {
    const u = side * (x - x0) / w, below = y - upper(u);
    if (u < -1.1 || u > 1.1) return under;
    const cover = clamp(below * 1.7 + 0.4) * clamp((lower(u) - y) * 1.7 + 0.4);
    if (cover <= 0) return under;
    let ball = white * (1 - 0.3 * u * u * u * u) * (1 - 0.45 * (1 - smoothstep(0, 2.6, below)));
    ball = mix(ball, white * 0.62, smoothstep(-0.78, -1, u));
    const dx = x - ix, dy = y - iy, d = Math.sqrt(dx * dx + dy * dy);
    const ray = 0.75 + 0.5 * noise(dx * 6 / (d + 0.5) + 20, dy * 6 / (d + 0.5) + 20, p.seed + 9);
    // Light crosses the iris and glows on the side away from the lamp.
    const glow = 0.75 - 0.5 * (dx * lamp.x + dy * lamp.y) / size, ring = 1 - 0.65 * smoothstep(size * 0.72, size, d);
    const disc = mix(0.015, iris * ray * glow * ring, smoothstep(1.35, 2.1, d)) *
      (0.5 + 0.5 * smoothstep(0, 2.4, below));
    return mix(under, mix(disc, ball, smoothstep(size - 0.45, size + 0.45, d)), cover);
  });
  lid(upper, -1, 1.12, -0.1, ink * 0.5, { alpha: 0.9, width: 1.15 + lashes * 0.7, soft: 0.5 });
  lid(lower, -0.9, 1.02, 0.35, ink, { alpha: 0.42, width: 0.9, soft: 0.7 });
  if (crease > 1.4) {
    lid(upper, -0.9, 1.12, -crease, ink, { alpha: 0.5, width: 1, soft: 0.8 });
    lid(upper, -0.6, 0.8, -crease * 0.5, 1, { alpha: 0.1, width: 1.2, soft: 1 });
  } else lid(upper, -0.8, 1.15, -crease - 0.6, ink, { alpha: 0.35, width: 1, soft: 1 });
  lid(lower, -1.05, 0.7, 3.6, ink, { alpha: 0.1 + 0.2 * eyes.bags, width: 1.8, soft: 2 });
  lid(lower, -0.7, 0.8, 1.5, 1, { alpha: 0.1, width: 1.2, soft: 1 });
  const duct = [ex - side * (w + 0.4), EYE_Y + 1.2, ex - side * (w - 1.6), EYE_Y + 0.9];
  stroke(on, duct, ink, { alpha: 0.5, width: 1.5, soft: 0.8, taper: "neither" });
  // The catch-light, where the lamp is mirrored.
  const cx = ix + lamp.x * 2.3, cy = iy + lamp.y * 2.4;
  paint(on, [cx - 2, cy - 2, cx + 2, cy + 2], (x, y, under) => {
    const spot = smoothstep(1.25, 0.3, (x - cx) * (x - cx) + (y - cy) * (y - cy));
    return mix(under, 0.98, spot * clamp((y - upper(side * (x - x0) / w)) * 2));
  });
  for (let k = 0, count = Math.floor(lashes * 26); k < count; k++) {
    const u = mix(-0.6, 1.08, (k + random.next()) / count), x = x0 + side * u * w, y = upper(Math.min(1, u));
    const reach = (1.2 + 1.6 * lashes) * (0.8 + 0.5 * u), out = side * reach;
    const lash = [x, y, x + (0.3 + 0.5 * u) * out, y - reach * 0.5, x + (0.4 + 0.9 * u) * out, y - reach];
    stroke(on, lash, 0.03, { alpha: 0.7, width: 0.6, taper: "last" });
  }
}

/** A brow of single hairs, combed up at the inner end and outwards along the arch. */
export function drawBrow({ p, random }: Layout, on: Layer, side: number): void {
  const { height, arch, thick, tone, inner } = p.brows, ground: number[] = [];
  const top = EYE_Y - height + side * p.mouth.skew * -0.5, sad = p.mouth.smile < 0 ? 0.8 : 0;
  const placeX = (t: number) => 64 + side * (20 + mix(-inner, 14, t));
  const placeY = (t: number) => top + 1.5 - sad * (1 - t) - arch * 2.48 * t * (1.05 - t * 0.92) + t * t * t * 3.4;
  for (let k = 0; k <= 12; k++) ground.push(placeX(k / 12), placeY(k / 12));
  stroke(on, ground, tone, { alpha: 0.42, width: thick * 1.1, soft: 2.4 });
  for (let k = 0; k < 38 + thick * 22; k++) {
    const t = random.next(), body = Math.min(1, (1 - t) * 2.2 + 0.15) * Math.min(1, t * 5 + 0.55);
    const x = placeX(t), y = placeY(t) + (random.next() - 0.5) * thick * body, reach = 2.4 + 2 * random.next();
    const rise = (mix(-thick * 0.25, 0.45, Math.min(1, t * 1.5)) + (random.next() - 0.5) * 0.5) * reach;
    const run = side * mix(0.45, 1, Math.min(1, t * 3)) * reach;
    const hair = [x, y, x + run * 0.5, y + rise * 0.35, x + run, y + rise * 0.5 + t * 0.8];
    stroke(on, hair, clamp(tone * (0.5 + random.next()), 0.015, 0.9), { alpha: 0.62, width: 0.75 });
  }
}

/** Nostrils, the wings' creases and the shade beneath the tip. */
export function drawNose({ p, noseX: x, noseY: y, ink }: Layout, on: Layer): void {
  const w = p.nose.width;
  for (const side of SIDES) {
    const at = (out: number) => x + side * out;
    const nostril = [at(w * 0.48 - 2.6), y + 4.5, at(w * 0.48 - 0.6), y + 3.3, at(w * 0.48 + 2.6), y + 3.4];
    stroke(on, curve([...nostril, at(w * 0.48 + 3.4), y + 4.5]), ink, { alpha: 0.85, width: 2.1, soft: 0.9 });
    const wing = [at(w - 0.6), y - 4, at(w + 0.9), y - 0.5, at(w + 0.4), y + 2.6, at(w - 2.4), y + 4.2];
    stroke(on, curve(wing), ink, { alpha: 0.34, width: 1.4, soft: 1.2 });
  }
  const base = [x - w * 0.7, y + 4.4, x - 2.4, y + 4.6, x, y + 5.4, x + 2.4, y + 4.6, x + w * 0.7, y + 4.4];
  stroke(on, curve(base), ink, { alpha: 0.3, width: 1.7, soft: 1.6 });
}

/** Lips, with teeth between them in an open mouth, then the parting, the corners and the groove below. */
export function drawMouth({ p, mouthX: mx, mouthY: my, ink }: Layout, on: Layer): void {
  const { width, upper, lower, smile, open, tone, skew } = p.mouth;
  // Over u from -1 to 1: the parting of the closed lips, the lips' edges at the parting, and their outer edges.
  const lens = (u: number) => 1 - u * u, arc = (u: number) => Math.sqrt(Math.max(0, 1 - u * u));
  const line = (u: number) => my - smile * 3.4 * u * u + smile * 0.8 + skew * 0.6 * u + 0.7 * hill(u * u * 6) - 0.35;
  const over = (u: number) => line(u) - open * 0.3 * lens(u), below = (u: number) => line(u) + open * 0.7 * lens(u);
  const bow = (u: number) => 1 - 0.28 * hill(u * u * 30), swollen = (u: number) => lens(u) * (1 + 0.12 * u * u);
  const top = (u: number) => over(u) - upper * (0.55 * arc(u) + 0.45 * lens(u)) * bow(u);
  const bottom = (u: number) => below(u) + lower * (0.25 * arc(u) + 0.75 * swollen(u));
  paint(on, [mx - width, my - 14, mx + width, my + 16], (x, y, under) => {
    const u = (x - mx) / width, t = top(u), b = bottom(u);
    const cover = u > -1 && u < 1 ? clamp((y - t) * 0.9 + 0.3) * clamp((b - y) * 0.75 + 0.3) : 0;
    if (cover <= 0) return under;
    const o = over(u), e = below(u), v = clamp((y - e) / (b - e + 0.01));
    const shape = y < (o + e) / 2 ? 0.8 : 0.84 + 1.2 * v * (1 - v) * (0.4 + p.lamp.shine);
    let lip = under * tone * shape * (0.92 + 0.16 * noise(x * 1.1, y * 0.12, p.seed + 4));
    if (open > 1) {
      // Upper teeth hang behind the lip; each is a little darker at its edges, all darker towards the corners.
      const tooth = Math.abs(u) * width / 3.6, gap = Math.abs(tooth - Math.floor(tooth) - 0.5) * 2, u2 = u * u;
      const show = open > 2 ? smoothstep(o + open * 0.92, o + open * 0.72, y) * smoothstep(0.98, 0.8, Math.abs(u)) : 0;
      const shadow = (0.55 + 0.45 * smoothstep(0, 1.6, y - o)) * (1 - 0.6 * u2 * u2 - 0.35 * u2);
      const enamel = 0.8 * shadow * (1 - 0.22 * smoothstep(0.6, 1, gap)) * (0.55 + 0.45 * p.skin);
      lip = mix(lip, mix(0.05, enamel, show), clamp((y - o) * 1.5 + 0.4) * clamp((e - y) * 1.5 + 0.4));
    }
    return mix(under, lip, cover);
  });
  const parting: number[] = [];
  for (let k = -10; k <= 10; k++) parting.push(mx + k / 10 * width * 1.02, over(k / 10));
  stroke(on, parting, ink, { alpha: open > 1 ? 0.5 : 0.82, width: 1.3, soft: 0.7 });
  for (const side of SIDES) {
    const x = (out: number) => mx + side * (width + out), y = line(side);
    const corner = [x(-1.5), y + 0.3, x(0.6), y - 0.2, x(2), y + 0.6 - smile];
    stroke(on, corner, ink, { alpha: 0.36, width: 1.7, soft: 1.4 });
  }
  const groove = [mx - width * 0.5, bottom(0.5) + 1.6, mx, bottom(0) + 1.7, mx + width * 0.5, bottom(0.5) + 1.6];
  stroke(on, curve(groove), ink, { alpha: 0.3, width: 2.4, soft: 2.2 });
}

/** Lines of age and expression. */
export function drawLines(s: Layout, on: Layer): void {
  const { p, random, noseX, noseY, mouthX, mouthY, skullX, happy, ink } = s, { age } = p;
  const line = (points: number[], alpha: number, width: number) =>
    stroke(on, curve(points), ink, { alpha, width, soft: width });
  for (const side of SIDES) {
    const x0 = noseX + side * (p.nose.width + 1.5), x1 = mouthX + side * (p.mouth.width + 4.5);
    const bend = [mix(x0, x1, 0.6) + side * 1.2, mix(noseY, mouthY, 0.45)];
    line([x0, noseY - 1, ...bend, x1, mouthY - 1 + age * 5], 0.03 + 0.26 * happy + 0.25 * age, 1.9);
    for (let k = 0; k < 3 && age > 0.4; k++) {
      const x = 64 + side * 34, y = EYE_Y - 1 + k * 3;
      line([x, y, x + side * (4 + 3 * random.next()), y - 2.5 + k * 2.2], 0.25 * age, 1);
    }
  }
  for (let k = 0; k < 3 && age > 0.42; k++) {
    const y = 37 - k * 6 + random.next() * 2, half = 16 + 8 * random.next(), x = (part: number) => skullX + part * half;
    const furrow = [x(-1), y + random.next() * 2, x(-0.4), y - 1.2, x(0.4), y - random.next(), x(1), y + 1.5];
    line(furrow, 0.3 * age * (0.4 + random.next() * 0.6), 1.3);
  }
}

/** How much beard grows at a point. */
function beardAt(s: Layout, x: number, y: number): number {
  const { p, mouthX, mouthY, noseY, chinX } = s, { kind } = p.beard, { width, upper, lower, open } = p.mouth;
  if (kind === "none" || y < 60) return 0;
  const dx = Math.abs(x - mouthX), rough = (noise(x * 0.3, y * 0.3, p.seed) - 0.5) * 2;
  const lipX = dx / (width + 3), lipY = (y - mouthY - open * 0.3) / (upper + lower + open);
  const bare = 1 - clamp(hill(lipX * lipX + lipY * lipY) * 2.2), above = smoothstep(noseY + 3.5, noseY + 6, y + rough);
  const lip = above * smoothstep(mouthY + 3, mouthY - 1, y - dx * 0.12) * smoothstep(width + 5, width, dx + rough);
  if (kind === "moustache") return lip * bare;
  const below = smoothstep(mouthY + 2, mouthY + 6, y + dx * 0.2 + rough);
  const chin = below * smoothstep(width + 5, width - 1, Math.abs(x - chinX) + rough);
  const cheek = mouthY - 8 - smoothstep(0.75, 1, outline(s, x, y)) * 26, beside = dx + (y - mouthY) * 0.7;
  const jaw = smoothstep(cheek, cheek + 7, y + rough) * smoothstep(width - 2, width + 5, beside);
  return Math.max(lip, chin, jaw) * bare;
}

/** A beard: a ground that darkens the skin, then single hairs. */
export function drawBeard(s: Layout, on: Layer, skin: Float32Array): void {
  const { p, random, mouthX } = s, { kind, thick, tone } = p.beard, stubble = kind === "stubble";
  if (kind === "none") return;
  paint(on, [10, 60, 118, 127], (x, y, under) => {
    const amount = beardAt(s, x, y);
    if (amount <= 0) return under;
    const ground = under * 0.35 + tone * 0.4 * sample(skin, x, y);
    return mix(under, ground, amount * headCover(s, x, y) * (stubble ? 0.32 * thick : 0.72));
  });
  for (let k = 0; k < (stubble ? 900 : 2600); k++) {
    const x = mix(14, 114, random.next()), y = mix(62, 126, random.next()), value = 0.5 + random.next();
    const reach = stubble ? 1 : 2.5 + 3 * random.next(), bend = random.next() - 0.5, least = 0.25 + 0.3 * random.next();
    if (beardAt(s, x, y) * headCover(s, x, y * 0.985) < least) continue;
    const side = clamp((x - mouthX) / 14, -1, 1),
      dx = (side + bend) * 0.7 * reach,
      dy = (1 - Math.abs(side) * 0.35) * reach;
    const ink = clamp(tone * value * (0.35 + sample(skin, x, y)), 0.02, 0.95);
    const hair = [x, y, x + dx * 0.5, y + dy * 0.55, x + dx * 0.8, y + dy];
    stroke(on, hair, ink, { alpha: stubble ? 0.35 : 0.7, width: 0.7 });
  }
}
