/** Draws a portrait: a relief of head and neck under a lamp, then eyes, brows, mouth, hair, and the paper's grain. */

import type { Stream } from "../../core/random.ts";
import type { Portrait } from "./faces.ts";
import { along, blur, circle, clamp, curve, hill, type Layer, layer, mix, noise, overlay } from "./shading.ts";
import { paint, type Pencil, sample, shade, shrink, SIZE, smoothstep, stroke, swell, wave } from "./shading.ts";

const EYE_Y = 52, WIDEST = 58, AREA = SIZE * SIZE, SIDES = [-1, 1] as const;

/** What the parts share: the sitter, its random numbers, and where things are once the head is turned and tipped. */
function sit(p: Portrait, random: Stream) {
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
type Sitting = ReturnType<typeof sit>;

/** How far out of the head's outline a point is: 0 in the middle, 1 on the outline. */
function outline({ p, skullX, chinX }: Sitting, x: number, y: number): number {
  const { width, crown, chin, square, taper, cheeks } = p.head;
  if (y <= WIDEST) {
    const up = (WIDEST - y) / (WIDEST - crown), half = width * (1 - 0.03 * hill((up - 0.25) * (up - 0.25) * 12));
    return (x - skullX) * (x - skullX) / (half * half) + up * up * (0.55 + 0.45 * up * up);
  }
  const down = (y - WIDEST) / (chin - WIDEST), d2 = down * down, bone = down - 0.2, jowl = down - 0.6;
  const full = cheeks * hill(bone * bone * 9) + p.weight * 0.05 * hill(jowl * jowl * 6);
  const dx = (x - mix(skullX, chinX, Math.min(1, down))) / (width * (1 - taper * down + full));
  return dx * dx + d2 * (1 - square) + square * d2 * d2 * d2;
}

/** How much of a pixel the head covers. */
function headCover(s: Sitting, x: number, y: number): number {
  return clamp((1 - outline(s, x, y)) * s.p.head.width * 0.6 + 0.5);
}

/** The relief of the face: skull, sockets, nose, lips, chin. */
function sculptFace(s: Sitting): Float32Array {
  const { p, noseX, noseY, mouthX, mouthY, chinX, skullX, happy } = s, z = new Float32Array(AREA);
  for (let at = 0; at < AREA; at++) {
    const out = outline(s, at % SIZE, Math.floor(at / SIZE));
    const inside = 1 - out * (0.62 + 0.38 * out);
    // Beyond the outline the slope goes on, so that the edge is lit like a slope.
    z[at] = 50 * Math.sqrt(Math.max(0.04, inside)) + 125 * clamp(inside - 0.04, -0.6, 0);
  }
  const add = (x: number, y: number, rx: number, ry: number, height: number) => swell(z, x, y, rx, ry, height);
  const { smile, width, upper, lower, open } = p.mouth, { eyes, nose, head, age } = p, { ridge } = p.brows;
  add(skullX, 26, 40, 22, 2);
  add(noseX - 1, 44, 16, 9, ridge * 0.6);
  for (const side of SIDES) {
    const eye = 64 + 20 * side, wing = noseX + side * nose.width, corner = mouthX + side * width;
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
    const t = k / 10, x = mix(64, noseX, t), y = mix(45, noseY - 3, t);
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
function sculptBehind({ p, skullX, chinX }: Sitting): Float32Array {
  const z = new Float32Array(AREA), { y: earY, size } = p.ears;
  for (let at = 84 * SIZE; at < AREA; at++) {
    const dx = (at % SIZE - mix(chinX, 64, 0.5)) / (p.neck + 1.5), y = Math.floor(at / SIZE);
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
function expose(face: Float32Array, behind: Float32Array): void {
  let sum = 0;
  for (let y = 30; y < 100; y++) for (let x = 36; x < 92; x++) sum += face[y * SIZE + x];
  const gain = 0.74 * 70 * 56 / sum;
  for (const light of [face, behind]) {
    for (let at = 0; at < AREA; at++) {
      // A shoulder on the curve keeps highlights from burning out.
      const value = light[at] * gain, over = Math.max(0, value - 0.8);
      light[at] = value - over + over / (1 + 1.6 * over);
    }
  }
}

function paintBackdrop({ p }: Sitting, on: Layer): void {
  const { tone, slope, fall, cloud } = p.backdrop, field = new Float32Array(AREA);
  for (let at = 0; at < AREA; at++) {
    const x = at % SIZE, y = Math.floor(at / SIZE), puff = (noise(x * 0.035, y * 0.035, p.seed) - 0.5) * 2 * cloud;
    field[at] = clamp(tone + slope * (x / 64 - 1) + fall * (y / 64 - 1) + puff, 0.02, 0.98);
  }
  paint(on, [0, 0, SIZE, SIZE], (x, y) => field[Math.round(y) * SIZE + Math.round(x)]);
}

/** Neck and ears, in the shadow of the face. */
function paintBehind(s: Sitting, on: Layer, light: Float32Array): void {
  const { p, skullX, coversEars } = s, { y: earY, size } = p.ears, earX = p.head.width - 0.2;
  paint(on, [0, 40, SIZE, SIZE], (x, y, under) => {
    let cover = 0;
    if (y > 84) {
      cover = clamp((p.neck * (1 + Math.max(0, y - 104) * 0.006) - Math.abs(x - 64)) * 1.4 + 0.5);
    } else if (!coversEars) {
      const dx = (Math.abs(x - skullX) - earX) / (5.4 * size), dy = (y - earY) / ((y < earY ? 12 : 13.5) * size);
      cover = clamp((1 - dx * dx - dy * dy) * 4 + 0.5);
    }
    return cover > 0 ? mix(under, p.skin * 0.9 * sample(light, x, y), cover) : under;
  });
  if (coversEars) return;
  for (const side of SIDES) {
    const x = skullX + side * earX, fold = [x + side * 1.2, earY - 8 * size, x + side * 3.3, earY - 6 * size];
    fold.push(x + side * 3.4, earY, x + side * 1.6, earY + 6 * size);
    stroke(on, curve(fold), 0.04, { alpha: 0.4, width: 1.1, soft: 0.9 });
    const hollow = [x + side * 0.8, earY - 3.5, x + side * 1.9, earY + 0.5, x + side * 0.7, earY + 3.5];
    stroke(on, hollow, 0.04, { alpha: 0.5, width: 2, soft: 0.9 });
    const ring = [x, earY + 13, x + side * 0.2, earY + 16.5];
    if (p.ears.ring > 0.6) stroke(on, ring, p.ears.ring, { alpha: 0.9, width: 2.6, soft: 0.5 });
  }
}

/** Shoulders and collar, which show in the corners below the jaw. */
function paintClothes({ p }: Sitting, on: Layer): void {
  const { kind, tone, shirt, y: top } = p.clothes, { neck } = p, edge = kind === "open" ? top + 9 : top;
  const [rise, dip] = kind === "roll" ? [16, 6] : [7, 15], suit = kind === "suit";
  paint(on, [0, 84, SIZE, SIZE], (x, y, under) => {
    // Shoulders slope away from the neck; a neckline dips in the middle.
    const dx = Math.abs(x - 64), out = dx - neck, inside = Math.max(0, 1 - dx / (neck + 2));
    const line = out > 0 ? edge - 7 + out * 0.34 + out * out * 0.0035 : edge - rise + inside * inside * dip;
    const cover = clamp((y - line) * 1.6 + 0.5);
    if (cover <= 0) return under;
    const fold = noise(x * 0.11 + y * 0.05, y * 0.06, p.seed + 5) - 0.5, round = 1 - 0.35 * smoothstep(20, 70, dx);
    let cloth = tone * (round + p.lamp.x * (x - 64) * 0.004) + fold * 0.16 * (0.3 + tone);
    if (suit || kind === "shirt") {
      // Two collar wings from the neck down to the middle, and a tie.
      const tip = edge + 2 + (5 - out) * 0.75, wing = 1 - smoothstep(tip, tip + 2.5, y);
      const collar = out < 5 ? wing : 0, linen = (suit ? shirt : Math.min(0.97, tone + 0.08)) * (round + fold * 0.2);
      const opening = suit ? 1 - smoothstep(0, 1.5, dx - Math.max(3, neck - 2 - (y - edge) * 0.6)) : 0;
      cloth = mix(cloth, linen, Math.max(collar, opening));
      if (suit && dx < 5 + (y - edge) * 0.12) cloth = mix(cloth, tone * 0.5 + 0.1, smoothstep(edge + 10, edge + 12, y));
      cloth *= 1 - 0.45 * collar * smoothstep(0.6, 0, Math.abs(wing - 0.5));
    }
    cloth *= 1 - (1 - smoothstep(0, 2.5, y - line)) * (out < 3 ? 0.5 : 0.18);
    return mix(under, clamp(cloth, 0.02, 0.98), cover);
  });
}

/** A sheet of hair: strand `a` in [0, 1] at `t` in [0, 1] of its length, written to `out`. */
type Sheet = (a: number, t: number, out: [number, number]) => void;

/** Strands that start on one line and end on another, leaning sideways. */
function across(root: number[], tip: number[], lean: (a: number) => number): Sheet {
  const from = curve(root, 40), to = curve(tip, 40), end: [number, number] = [0, 0];
  return (a, t, out) => {
    along(from, a, out);
    along(to, a + lean(a), end);
    out[0] = mix(out[0], end[0], t);
    out[1] = mix(out[1], end[1], t * (1.35 - 0.35 * t));
  };
}

/** Strands that run beside each other between two lines. */
function between(inner: number[], outer: number[]): Sheet {
  const from = curve(inner, 40), to = curve(outer, 40), end: [number, number] = [0, 0];
  return (a, t, out) => {
    // Strands lie together at the start, so that no gap opens there.
    const on = clamp(t * 1.12 - 0.12, 0, 2);
    along(from, on, out);
    along(to, on, end);
    out[0] = mix(out[0], end[0], a);
    out[1] = mix(out[1], end[1], a);
  };
}

interface Comb {
  readonly strands: number;
  /** The shortest strand, as a part of the whole length. */
  readonly least: number;
  /** 0 is straight. */
  readonly curl: number;
  /** How much light there is; 1 unless told. */
  readonly dim?: number;
  /** The part of the sheet, at either side, over which hair thins out towards the skin. */
  readonly fade?: number;
}

/** Draws a sheet of hair: an opaque ground, then strands gathered into locks; a few loose ones leave the outline. */
function comb(s: Sitting, on: Layer, sheet: Sheet, { strands, least, curl, dim = 1, fade = 0 }: Comb): void {
  const { p, random, skullX } = s, { tone, sheen, volume } = p.hair, { lamp, seed } = p, at: [number, number] = [0, 0];
  const full = (a: number) => fade ? 0.12 + 0.88 * smoothstep(0, fade, Math.min(a, 1 - a)) : 1;
  const wide = p.head.width + volume, high = WIDEST - p.head.crown + volume;
  const light = (value: number, glow: number) => (x: number, y: number): number => {
    const nx = clamp((x - skullX) / wide, -1, 1), ny = clamp((y - WIDEST) / high, -1, 0);
    const nz = Math.sqrt(Math.max(0.05, 1 - nx * nx - ny * ny));
    const l = Math.max(0, nx * lamp.x + ny * lamp.y + nz * lamp.z), l2 = l * l, l4 = l2 * l2, low = Math.max(0, y - 70);
    return clamp((tone * (0.4 + 0.75 * l) * value + sheen * glow * l4 * l4) * (dim - low * 0.003), 0.015, 0.97);
  };
  const strand = (pieces: number, place: (t: number) => void): number[] => {
    const line: number[] = [];
    for (let j = 0; j <= pieces; j++) {
      place(j / pieces);
      line.push(at[0], at[1]);
    }
    return line;
  };
  for (let a = 0; a <= 1; a += 1 / 140) {
    const length = 0.88 + 0.1 * noise(a * 49, 5, seed), value = 0.6 + 0.3 * noise(a * 28, 0, seed);
    const start = 0.1 * noise(a * 90, 8, seed), line = strand(12, (t) => sheet(a, mix(start, length, t), at));
    stroke(on, line, light(value, 0), { alpha: full(a), width: 2.2, soft: 0.6, taper: "last" });
  }
  for (let k = 0; k < strands; k++) {
    const a = random.next() * 1.04 - 0.02, fine = random.next(), even = 0.5 * tone;
    const reach = 0.9 + 0.12 * noise(a * 23, 5, seed), length = mix(least, 1, random.next() * random.next()) * reach;
    const from = random.next() * (reach + 0.06 - length) - 0.06, drift = (random.next() - 0.5) * 0.12;
    const lock = noise(a * 18, from * 3.5, seed),
      value = mix((0.45 + 0.8 * lock) * (0.65 + 0.7 * fine), 1, even) * (0.72 + 1.3 * a * (1 - a));
    const phase = noise(a * 4, 9, seed) * 1.6 + random.next() * 0.12;
    const line = strand(Math.max(5, Math.floor(length * (curl > 0.15 ? 20 : 10))), (part) => {
      const t = from + length * part, sway = curl * wave(t * 2.6 + phase) * 4.5 * clamp(t * 2);
      sheet(a + drift * t, t, at);
      at[0] += sway;
      at[1] += sway * 0.25;
    });
    stroke(on, line, light(value, lock * fine * 1.6), { alpha: 0.75 * full(a), width: 0.5 + 0.6 * fine });
  }
  for (let k = 0; k < 40; k++) {
    const a = random.next() * 1.06 - 0.03, start = 0.3 + 0.5 * random.next(), length = 0.25 + 0.3 * random.next();
    const away = random.next() * 4, ink = clamp(tone * (0.7 + random.next() * 0.8), 0.03, 0.95);
    const line = strand(7, (t) => {
      sheet(a, start + length * t, at);
      at[0] += (a - 0.5) * away * t;
      at[1] -= away * 0.6 * t;
    });
    stroke(on, line, ink, { alpha: 0.45, width: 0.5, taper: "last" });
  }
}

/** Covers a sheet with curls: small open rings, bright where they face the light and dark where they turn away. */
function curls(s: Sitting, on: Layer, sheet: Sheet, count: number, radius: number): void {
  const { p, random, skullX } = s, { tone, sheen } = p.hair, { lamp, seed } = p, at: [number, number] = [0, 0];
  for (let k = 0; k < count; k++) {
    const a = random.next();
    sheet(a, random.next() * 1.06, at);
    if (random.next() > smoothstep(0, 0.1, Math.min(a, 1 - a))) continue;
    const [x, y] = at, r = radius * (0.5 + random.next()), start = random.next(), sweep = 0.4 + 0.5 * random.next();
    const clump = noise(x * 0.16, y * 0.16, seed), line: number[] = [];
    for (let j = 0; j <= 9; j++) {
      const [c, d] = circle(start + sweep * j / 9);
      line.push(x + c * r, y + d * r * 0.85);
    }
    const round = clamp(0.75 + (x - skullX) / 62 * lamp.x * 0.5 + (y - WIDEST) / 70 * lamp.y * 0.6);
    const base = tone * (0.35 + 0.8 * round) * (0.45 + clump), glow = sheen * random.next() * clump * 0.7 * round;
    stroke(on, line, (a, b) => {
      const face = ((a - x) * lamp.x + (b - y) * lamp.y) / r;
      return clamp(base * (1 + 0.35 * face) + glow * Math.max(0, face + 0.3), 0.015, 0.97);
    }, { alpha: 0.7, width: 0.75 });
  }
}

/** The hair's outer edge: from beside the left ear over the crown to the right ear. */
function rim({ p, skullX }: Sitting, grow = 1): number[] {
  const volume = p.hair.volume * grow, points: number[] = [];
  for (let k = 0; k <= 12; k++) {
    const [c, d] = circle(0.5 + 0.5 * k / 12), snug = 0.5 + 0.5 * Math.min(1, -d * 2);
    points.push(skullX + c * (p.head.width + volume * snug), WIDEST + d * (WIDEST - p.head.crown + volume));
  }
  return points;
}

/** The line where hair begins: from one sideburn over the forehead to the other. */
function hairline({ p, skullX }: Sitting): number[] {
  const { line, recede, style } = p.hair, w = p.head.width, peak = style === "receding" ? 2 : 0;
  const x = [-0.985, -0.955, -0.9, -0.8, -0.62, -0.34, 0, 0.34, 0.62, 0.8, 0.9, 0.955, 0.985];
  const y = [61, 49, 38, line + 12 - recede * 0.35, line + 4 - recede, line + 0.5 - recede * 0.6, line + peak];
  return x.flatMap((part, k) => [skullX + part * w, y[Math.min(k, 12 - k)]]);
}

/** Hair that falls from a part to one side, beside the face and down. */
function fall({ p, skullX }: Sitting, side: number): Sheet {
  const w = p.head.width, { line, flare, part, volume: v, end } = p.hair, partX = skullX + part * w;
  const x = (out: number) => skullX + side * out,
    wide = w + v,
    stray = (k: number) => (noise(k, side, p.seed) - 0.5) * 7;
  const dome = (t: number): [number, number] => {
    const from = mix(partX, x(wide), t), q = (from - skullX) / wide;
    return [from, WIDEST - (WIDEST - p.head.crown + v) * Math.sqrt(Math.max(0, 1 - q * q))];
  };
  const inner = [partX, line - 4, mix(partX, x(w * 0.8), 0.5), line + 1, x(w * 0.8), line + 15, x(w * 0.95), 48];
  const outer = [...dome(0), ...dome(0.52), ...dome(0.84), x(w + v * 0.97), 46];
  if (end < 80) {
    inner.push(x(w * 0.985), end);
    outer.push(x(w + v * 0.3), end);
  } else {
    const last = w + v * flare * (end > 120 ? 1.2 : 0.5);
    inner.push(x(w * 0.87), 70, x(w * 0.8) + stray(1), 92, x(w * 0.93) + stray(2), end);
    outer.push(x(w + v * (0.6 + 0.5 * flare)), 70, x(w + v * flare) + stray(3), 94, x(last) + stray(4), end);
  }
  return between(inner, outer);
}

/** A fringe that hangs from the crown over the forehead. */
function fringe({ p, skullX }: Sitting, y: number): Sheet {
  const w = p.head.width, top = p.head.crown - p.hair.volume * 0.7, root: number[] = [], tip: number[] = [];
  for (let u = -1; u <= 1; u += 0.25) {
    root.push(skullX + u * w * 0.62 + p.hair.part * 12, top + 3 + u * u * 9);
    tip.push(skullX + u * w * 0.86, y + u * u * 3 + (noise(u * 3.6, 7, p.seed) - 0.5) * 5);
  }
  return across(root, tip, () => p.hair.lean * 2.2);
}

/** Long hair behind the neck. */
function drawBackHair(s: Sitting, on: Layer): void {
  if (!s.coversEars) return;
  const w = s.p.head.width, { volume: v, end, curl } = s.p.hair, low = Math.min(136, end);
  const edge = (x: (out: number) => number) => [x(w + v), 50, x(w + v * 1.2), 80, x(w + v * 0.7), low];
  comb(s, on, between(edge((out) => s.skullX - out), edge((out) => s.skullX + out)), {
    strands: 220,
    least: 0.3,
    curl,
    dim: 0.5,
  });
}

function drawHair(s: Sitting, on: Layer): void {
  const { style, lean, line, curl, afro, part } = s.p.hair, swept = style === "swept" || style === "tied back";
  if (style === "bald") return;
  if (style === "side part" || s.coversEars) {
    for (const side of SIDES) comb(s, on, fall(s, side), { strands: 620, least: 0.25, curl });
    if (style === "long fringe") comb(s, on, fringe(s, line + 15), { strands: 420, least: 0.55, curl: 0.05 });
    return;
  }
  // Hair is combed away from the part, and down at the sides or back and up.
  const down = swept ? -0.14 : style === "curls" ? 0 : 0.2,
    apart = style === "swept" ? 0.16 : 0,
    parting = 0.5 + part * 0.4;
  const grow = style === "tied back" ? 0.45 : style === "receding" ? 0.6 : 1;
  const comber = (a: number) =>
    lean - down * (smoothstep(0.36, 0, a) - smoothstep(0.64, 1, a)) +
    apart * (smoothstep(parting - 0.04, parting + 0.04, a) * 2 - 1);
  const cap = across(hairline(s), rim(s, grow), style === "tied back" ? (a) => (0.5 - a) * 0.42 : comber);
  if (style === "curls") {
    comb(s, on, cap, { strands: 250, least: 0.2, curl: 0.4, fade: 0.06 });
    return curls(s, on, cap, afro ? 1500 : 900, afro ? 1.3 : 2.3);
  }
  const fade = style === "tied back" ? 0 : style === "crop" ? 0.2 : 0.1, least = swept ? 0.48 : 0.2;
  comb(s, on, cap, {
    strands: style === "crop" ? 1500 : 900,
    least,
    curl: style === "swept" ? curl * 0.5 : 0.05,
    fade,
  });
  if (style === "fringe") comb(s, on, fringe(s, line + 12), { strands: 420, least: 0.5, curl: curl * 0.5 });
}

/** How much beard grows at a point. */
function beardAt(s: Sitting, x: number, y: number): number {
  const { p, mouthX, mouthY, noseY, chinX } = s, { kind } = p.beard, { width, upper, lower, open } = p.mouth;
  if (kind === "none" || y < 60) return 0;
  const dx = Math.abs(x - mouthX), rough = (noise(x * 0.3, y * 0.3, p.seed) - 0.5) * 2;
  const lipX = dx / (width + 3), lipY = (y - mouthY - open * 0.3) / (upper + lower + open);
  const bare = 1 - clamp(hill(lipX * lipX + lipY * lipY) * 2.2), above = smoothstep(noseY + 3.5, noseY + 6, y + rough);
  const lip = above * smoothstep(mouthY + 3, mouthY - 1, y - dx * 0.12) * smoothstep(width + 5, width, dx + rough);
  if (kind === "moustache") return lip * bare;
  const below = smoothstep(mouthY + 2, mouthY + 6, y + dx * 0.2 + rough);
  const chin = below * smoothstep(width + 5, width - 1, Math.abs(x - chinX) + rough);
  if (kind === "goatee") return Math.max(lip, chin) * bare;
  const cheek = mouthY - 8 - smoothstep(0.75, 1, outline(s, x, y)) * 26, beside = dx + (y - mouthY) * 0.7;
  const jaw = smoothstep(cheek, cheek + 7, y + rough) * smoothstep(width - 2, width + 5, beside);
  return Math.max(lip, chin, jaw) * bare;
}

function drawBeard(s: Sitting, on: Layer, skin: Float32Array): void {
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

/** One eye: ball, iris, pupil and catch-light between the lids, then lid edges, crease and lashes. */
function drawEye({ p, random, ink }: Sitting, on: Layer, side: number, skin: Float32Array): void {
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
function drawBrow({ p, random }: Sitting, on: Layer, side: number): void {
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
function drawNose({ p, noseX: x, noseY: y, ink }: Sitting, on: Layer): void {
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

function drawMouth({ p, mouthX: mx, mouthY: my, ink }: Sitting, on: Layer): void {
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
function drawLines(s: Sitting, on: Layer): void {
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

function drawGlasses({ p, skullX }: Sitting, on: Layer): void {
  const { kind, round, size, tone } = p.glasses, wire = kind === "wire", width = wire ? 1 : 2.1, taper = "neither";
  const rx = 16 * size,
    ry = mix(10.5, 13.5, round) * size,
    cy = EYE_Y + 1.8,
    pen: Pencil = { alpha: 0.9, width, soft: 0.4, taper };
  if (kind === "none") return;
  for (const side of SIDES) {
    const cx = 64 + side * 20.6, frame: number[] = [];
    for (let k = 0; k <= 44; k++) {
      // A circle stretched towards a rounded box.
      const [c, d] = circle(k / 44), r = mix(mix(1, 1 / Math.max(Math.abs(c), Math.abs(d)), 0.55), 1, round);
      frame.push(cx + c * r * rx * 0.92, cy + d * r * ry * (d > 0 ? 1 : 0.9));
    }
    const shadow = frame.map((value, k) => k % 2 ? value + 2 : value - p.lamp.x * 2);
    stroke(on, shadow, 0.02, { alpha: 0.2, width: width + 1, soft: 2, taper });
    paint(on, [cx - rx, cy - ry, cx + rx, cy + ry], (x, y, under) => {
      const dx = (x - cx) / rx, dy = (y - cy) / ry, glare = smoothstep(0.16, 0, Math.abs(dx * 0.8 + dy * 0.6 + 0.52));
      return dx * dx + dy * dy < 0.8 ? under + (1 - under) * (0.03 + 0.16 * glare) : under;
    });
    stroke(on, frame, tone, pen);
    stroke(on, [cx + side * rx, cy - 3, skullX + side * (p.head.width + 1), cy - 3.6], tone, pen);
    if (wire) stroke(on, frame.slice(50, 70), 0.9, { alpha: 0.5, width: 0.7 });
  }
  const half = 20.6 - rx * 0.93;
  stroke(on, curve([64 - half, EYE_Y - 0.5, 64, EYE_Y - 2.2, 64 + half, EYE_Y - 0.5]), tone, pen);
}

/** The finished picture in bytes: hatching in the shadows, paper grain, and the tones spread over the whole range. */
function print({ p }: Sitting, on: Layer): Uint8Array {
  const { hatch, seed } = p, [dx, dy] = hatch.along, tones = shrink(on.tone), counts = new Uint32Array(1024);
  for (let at = 0; at < AREA; at++) {
    const x = at % SIZE, y = Math.floor(at / SIZE), tone = clamp(tones[at]), middle = tone * (1 - tone) * 4;
    const mark = noise((x * dx + y * dy) * 0.16, (y * dx - x * dy) * 0.95, seed + 6) - 0.5;
    const paper = noise(x * 0.7, y * 0.7, seed + 8) - 0.5, grain = paper * 0.05 * hatch.grain * (0.4 + middle);
    tones[at] = clamp(tone + mark * 0.095 * hatch.strength * middle * (1.2 - tone) + grain);
    counts[Math.floor(tones[at] * 1023)]++;
  }
  const level = (part: number) => {
    let seen = 0, k = 0;
    while (k < 1023 && (seen += counts[k]) < part * AREA) k++;
    return k / 1023;
  };
  const low = 0.85 * level(0.01) - 0.02, high = mix(1, level(0.99), 0.85) + 0.02;
  return Uint8Array.from(tones, (tone) => Math.round(255 * clamp((tone - low) / (high - low))));
}

/** Draws a portrait as 128x128 grey bytes. */
export function draw(portrait: Portrait, random: Stream): Uint8Array {
  const s = sit(portrait, random), { lamp, seed } = portrait, hair = layer(), page = layer();
  const face = sculptFace(s), behind = sculptBehind(s);
  const front = face.map((_, at) => headCover(s, at % SIZE, Math.floor(at / SIZE)));
  const back = front.map((cover, at) => at > 40 * SIZE ? 1 - cover : 0);
  const lit = shade(face.map((z, at) => mix(behind[at], z, front[at])), lamp);
  const faceLight = lit(face, blur(front, 2)), behindLight = lit(behind, blur(back, 2));
  expose(faceLight, behindLight);
  drawHair(s, hair);
  // Pores and blotches, and the soft shadow that hair throws on the skin beneath it.
  const cast = blur(blur(shrink(hair.cover), 2), 2);
  for (let at = 0; at < AREA; at++) {
    const x = at % SIZE, y = Math.floor(at / SIZE), shadow = sample(cast, x + lamp.x * 4, y + lamp.y * 4);
    const pores = 0.92 + 0.08 * noise(x * 0.2, y * 0.2, seed + 1) + 0.09 * noise(x * 0.8, y * 0.8, seed + 2);
    faceLight[at] *= pores * (1 - 0.6 * shadow);
    behindLight[at] *= pores * (1 - 0.5 * shadow);
  }
  paintBackdrop(s, page);
  drawBackHair(s, page);
  paintBehind(s, page, behindLight);
  paintClothes(s, page);
  paint(page, [10, 0, 118, SIZE], (x, y, under) => {
    const cover = headCover(s, x, y);
    return cover > 0 ? mix(under, portrait.skin * sample(faceLight, x, y), cover) : under;
  });
  drawLines(s, page);
  for (const side of SIDES) drawEye(s, page, side, faceLight);
  drawNose(s, page);
  drawMouth(s, page);
  drawBeard(s, page, faceLight);
  for (const side of SIDES) drawBrow(s, page, side);
  overlay(page, hair);
  drawGlasses(s, page);
  return print(s, page);
}
