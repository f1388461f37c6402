/** Hair: sheets of strands between two lines, combed or curled, and the sheets that make up each style. */

import { along, circle, clamp, curve, type Layer, mix, noise, smoothstep, stroke, wave } from "../shading.ts";
import { type Layout, SIDES, WIDEST } from "./layout.ts";

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
  /** How much light there is; 1 by default. */
  readonly dim?: number;
  /** The part of the sheet, at either side, over which hair thins out towards the skin. */
  readonly fade?: number;
}

/** Draws a sheet of hair: an opaque ground, then strands gathered into locks; a few loose ones leave the outline. */
function comb(s: Layout, on: Layer, sheet: Sheet, { strands, least, curl, dim = 1, fade = 0 }: Comb): void {
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
function curls(s: Layout, on: Layer, sheet: Sheet, count: number, radius: number): void {
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
function rim({ p, skullX }: Layout, grow = 1): number[] {
  const volume = p.hair.volume * grow, points: number[] = [];
  for (let k = 0; k <= 12; k++) {
    const [c, d] = circle(0.5 + 0.5 * k / 12), snug = 0.5 + 0.5 * Math.min(1, -d * 2);
    points.push(skullX + c * (p.head.width + volume * snug), WIDEST + d * (WIDEST - p.head.crown + volume));
  }
  return points;
}

/** The line where hair begins: from one sideburn over the forehead to the other. */
function hairline({ p, skullX }: Layout): number[] {
  const { line, recede, style } = p.hair, w = p.head.width, peak = style === "receding" ? 2 : 0;
  const x = [-0.985, -0.955, -0.9, -0.8, -0.62, -0.34, 0, 0.34, 0.62, 0.8, 0.9, 0.955, 0.985];
  const y = [61, 49, 38, line + 12 - recede * 0.35, line + 4 - recede, line + 0.5 - recede * 0.6, line + peak];
  return x.flatMap((part, k) => [skullX + part * w, y[Math.min(k, 12 - k)]]);
}

/** Hair that falls from a part to one side, beside the face and down. */
export function fall({ p, skullX }: Layout, side: number): Sheet {
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
export function fringe({ p, skullX }: Layout, y: number): Sheet {
  const w = p.head.width, top = p.head.crown - p.hair.volume * 0.7, root: number[] = [], tip: number[] = [];
  for (let u = -1; u <= 1; u += 0.25) {
    root.push(skullX + u * w * 0.62 + p.hair.part * 12, top + 3 + u * u * 9);
    tip.push(skullX + u * w * 0.86, y + u * u * 3 + (noise(u * 3.6, 7, p.seed) - 0.5) * 5);
  }
  return across(root, tip, () => p.hair.lean * 2.2);
}

/** Long hair behind the neck. */
export function drawBackHair(s: Layout, on: Layer): void {
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

/** The hair in front: nothing on a bald head, else one or more sheets as the style wants them. */
export function drawHair(s: Layout, on: Layer): void {
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
