/**
 * Drawing tools: noise, curves, reliefs under a lamp, and layers that take strokes and washes. Everything is
 * built on + - * / sqrt, floor, min, max and abs, which every JavaScript engine rounds alike, so that a drawing is the
 * same to the last byte everywhere. Coordinates are in pixels of the finished picture; (0, 0) is the centre of the
 * first pixel, x runs right, y down and z towards the viewer.
 */

/** Width and height of the finished picture. */
export const SIZE = 128;
/** Width and height of a layer, which is drawn at twice the size so that edges come out smooth. */
export const FINE = 2 * SIZE;

/** `x`, or the nearer end of [low, high] where it lies outside. */
export const clamp = (x: number, low = 0, high = 1): number => x < low ? low : x > high ? high : x;
/** From `a` at t = 0 to `b` at t = 1, on a line. */
export const mix = (a: number, b: number, t: number): number => a + (b - a) * t;

/** 0 below `low`, 1 above `high` (or the other way round when `low` > `high`), smooth between. */
export function smoothstep(low: number, high: number, x: number): number {
  const t = clamp((x - low) / (high - low));
  return t * t * (3 - 2 * t);
}

/** A bell of height 1 that falls to 0 at distance 1; takes the squared distance: `hill(d * d)`. */
export function hill(squared: number): number {
  if (squared >= 1) return 0;
  const t = 1 - squared;
  return t * t * t;
}

/** A wave in [-1, 1] of period 1. */
export function wave(t: number): number {
  const half = Math.floor(2 * t);
  const f = 2 * t - half;
  return (half & 1 ? -4 : 4) * f * (1 - f);
}

/** The point at `turn` of a full turn (any number) on the unit circle, from (1, 0) towards (0, 1). */
export function circle(turn: number): [number, number] {
  const quarters = 4 * (turn - Math.floor(turn));
  const quarter = Math.floor(quarters);
  const f = quarters - quarter;
  // tan(angle / 2) of a quarter turn, approximated by a cubic.
  const t = f * (0.785 + f * f * 0.215);
  const c = (1 - t * t) / (1 + t * t);
  const s = 2 * t / (1 + t * t);
  return quarter === 0 ? [c, s] : quarter === 1 ? [-s, c] : quarter === 2 ? [-c, -s] : [s, -c];
}

/** A number in [0, 1) of a lattice point. */
function lattice(x: number, y: number, seed: number): number {
  let h = Math.imul(x, 0x27d4eb2d) ^ Math.imul(y, 0x165667b1) ^ seed;
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 4294967296;
}

/** Value noise in [0, 1) with a feature size of 1. */
export function noise(x: number, y: number, seed: number): number {
  const i = Math.floor(x);
  const j = Math.floor(y);
  let u = x - i;
  let v = y - j;
  u = u * u * (3 - 2 * u);
  v = v * v * (3 - 2 * v);
  const top = mix(lattice(i, j, seed), lattice(i + 1, j, seed), u);
  return mix(top, mix(lattice(i, j + 1, seed), lattice(i + 1, j + 1, seed), u), v);
}

/** A smooth curve through points x, y, x, y, ...: (a Catmull-Rom spline), as `steps` + 1 points. */
export function curve(points: readonly number[], steps = 24): number[] {
  const last = points.length / 2 - 1;
  const out: number[] = [];
  for (let k = 0; k <= steps; k++) {
    const t = last * k / steps;
    const i = Math.min(last - 1, Math.floor(t));
    const f = t - i;
    for (let axis = 0; axis < 2; axis++) {
      const at = (j: number) => points[2 * clamp(j, 0, last) + axis];
      const p = at(i - 1);
      const q = at(i);
      const r = at(i + 1);
      const s = at(i + 2);
      out.push(q + 0.5 * f * (r - p + f * (2 * p - 5 * q + 4 * r - s + f * (3 * (q - r) + s - p))));
    }
  }
  return out;
}

/** The point at `t` in [0, 1] along a polyline, written to `out`. */
export function along(line: readonly number[], t: number, out: [number, number]): void {
  const last = line.length / 2 - 1;
  const at = clamp(t) * last;
  const i = Math.min(last - 1, Math.floor(at));
  const f = at - i;
  out[0] = mix(line[2 * i], line[2 * i + 2], f);
  out[1] = mix(line[2 * i + 1], line[2 * i + 3], f);
}

/** The mean over a square of 2 * radius + 1 pixels (edges repeat), of a SIZE x SIZE field. */
export function blur(field: Float32Array, radius: number): Float32Array {
  let from = field;
  for (let axis = 0; axis < 2; axis++) {
    const to = new Float32Array(SIZE * SIZE);
    const step = axis ? SIZE : 1;
    const row = axis ? 1 : SIZE;
    for (let line = 0; line < SIZE; line++) {
      const start = line * row;
      let sum = 0;
      for (let k = -radius; k <= radius; k++) sum += from[start + clamp(k, 0, SIZE - 1) * step];
      for (let k = 0; k < SIZE; k++) {
        to[start + k * step] = sum / (2 * radius + 1);
        sum += from[start + Math.min(SIZE - 1, k + radius + 1) * step] - from[start + Math.max(0, k - radius) * step];
      }
    }
    from = to;
  }
  return from;
}

/** A SIZE x SIZE field at any point, bilinear. */
export function sample(field: Float32Array, x: number, y: number): number {
  x = clamp(x, 0, SIZE - 1.001);
  y = clamp(y, 0, SIZE - 1.001);
  const i = Math.floor(x);
  const j = Math.floor(y);
  const u = x - i;
  const v = y - j;
  const at = j * SIZE + i;
  return mix(mix(field[at], field[at + 1], u), mix(field[at + SIZE], field[at + SIZE + 1], u), v);
}

/** Adds a bell of `height` and radii `rx`, `ry` around (x, y) to a field. */
export function swell(field: Float32Array, x: number, y: number, rx: number, ry: number, height: number): void {
  const x0 = Math.max(0, Math.floor(x - rx));
  const x1 = Math.min(SIZE - 1, Math.floor(x + rx) + 1);
  const y0 = Math.max(0, Math.floor(y - ry));
  const y1 = Math.min(SIZE - 1, Math.floor(y + ry) + 1);
  for (let j = y0; j <= y1; j++) {
    for (let i = x0; i <= x1; i++) {
      const dx = (i - x) / rx;
      const dy = (j - y) / ry;
      field[j * SIZE + i] += height * hill(dx * dx + dy * dy);
    }
  }
}

/** Where the light comes from (a unit vector), how much reaches the shadows, and how much the surface shines. */
export interface Lamp {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly ambient: number;
  readonly shine: number;
}

/**
 * A lamp on a scene, the relief of everything that can stand in the light's way. Gives the brightness (0 to about 1.3)
 * of one relief in it, worked out where `where` is above 0.
 */
export function shade(scene: Float32Array, lamp: Lamp): (relief: Float32Array, where: Float32Array) => Float32Array {
  const near = blur(blur(scene, 3), 3);
  const far = blur(blur(scene, 9), 9);
  const steps = 14;
  const flat = Math.sqrt(lamp.x * lamp.x + lamp.y * lamp.y) + 0.001;
  const rise = lamp.z / flat * 1.5;
  const halfway = Math.sqrt(lamp.x * lamp.x + lamp.y * lamp.y + (lamp.z + 1) * (lamp.z + 1));
  /** Whether something between the point and the lamp stands above the ray: 0 free to 1 in full shadow. */
  const blocked = (i: number, j: number, height: number): number => {
    let most = 0;
    for (let k = 1; k <= steps; k++) {
      const x = Math.floor(i + lamp.x / flat * 1.5 * k + 0.5);
      const y = Math.floor(j + lamp.y / flat * 1.5 * k + 0.5);
      if (x < 0 || y < 0 || x >= SIZE || y >= SIZE) break;
      const over = (scene[y * SIZE + x] - height - rise * k - 0.4) / (1.2 + 0.5 * k);
      if (over > most) most = over;
    }
    return Math.min(1, most);
  };
  return (relief, where) => {
    const out = new Float32Array(SIZE * SIZE);
    for (let j = 0; j < SIZE; j++) {
      for (let i = 0; i < SIZE; i++) {
        const at = j * SIZE + i;
        const z = relief[at];
        if (where[at] <= 0) continue;
        const left = i ? at - 1 : at;
        const right = i < SIZE - 1 ? at + 1 : at;
        const up = j ? at - SIZE : at;
        const down = j < SIZE - 1 ? at + SIZE : at;
        const gx = (relief[left] - relief[right]) / (right - left);
        const gy = (relief[up] - relief[down]) / ((down - up) / SIZE);
        const length = Math.sqrt(gx * gx + gy * gy + 1);
        const facing = gx * lamp.x + gy * lamp.y + lamp.z;
        const free = 1 - blocked(i, j, z);
        const key = Math.max(0, (facing / length + 0.12) / 1.12) * (0.2 + 0.8 * free);
        // Light thrown back from the other side keeps the shadow side round; hollows get less light from all sides.
        const bounce = Math.max(0, (0.35 - gx * lamp.x) / length) * 0.35;
        const open = 1 / (1 + Math.max(0, near[at] - z) * 0.08 + Math.max(0, far[at] - z) * 0.029);
        const mirror = Math.max(0, (facing + 1) / (length * halfway));
        const m2 = mirror * mirror;
        const m4 = m2 * m2;
        const soft = lamp.ambient * 0.6;
        const gloss = m4 * m4 * m4 * m4;
        out[at] = (soft + lamp.ambient * bounce + (1 - soft) * key) * open + lamp.shine * gloss * gloss * free;
      }
    }
    return out;
  };
}

/** A sheet of FINE x FINE: tone (0 black to 1 white, times cover) and cover (0 clear to 1 opaque). */
export interface Layer {
  readonly tone: Float32Array;
  readonly cover: Float32Array;
}

/** A clear layer. */
export const layer = (): Layer => ({ tone: new Float32Array(FINE * FINE), cover: new Float32Array(FINE * FINE) });

/** Repaints a box of the layer, which becomes opaque there: `wash` gets a position and its tone and returns the new tone. */
export function paint(
  on: Layer,
  [x0, y0, x1, y1]: readonly [number, number, number, number],
  wash: (x: number, y: number, tone: number) => number,
): void {
  const right = Math.min(FINE - 1, Math.floor(2 * x1 + 1));
  const bottom = Math.min(FINE - 1, Math.floor(2 * y1 + 1));
  for (let j = Math.max(0, Math.floor(2 * y0)); j <= bottom; j++) {
    for (let i = Math.max(0, Math.floor(2 * x0)); i <= right; i++) {
      const at = j * FINE + i;
      on.tone[at] = wash(i / 2 - 0.25, j / 2 - 0.25, on.tone[at]);
      on.cover[at] = 1;
    }
  }
}

/** How a stroke is drawn: `width` and the width of its blurred edge, `soft`, in pixels; which ends run thin. */
export interface Pencil {
  readonly alpha: number;
  readonly width: number;
  readonly soft?: number;
  readonly taper?: "neither" | "last" | "both";
}

/** Draws a polyline x, y, x, y, ... of one tone, or of a tone that depends on the position of each piece. */
export function stroke(
  on: Layer,
  line: readonly number[],
  tone: number | ((x: number, y: number) => number),
  { alpha, width, soft = 0, taper = "both" }: Pencil,
): void {
  const pieces = line.length / 2 - 1;
  const edge = 1 / Math.max(1, 2 * soft);
  const wide = (t: number) =>
    width * (taper === "both" ? 0.15 + 3.4 * t * (1 - t) : taper === "last" ? 1 - 0.9 * t * t : 1);
  for (let k = 0; k < pieces; k++) {
    const x0 = line[2 * k];
    const y0 = line[2 * k + 1];
    const x1 = line[2 * k + 2];
    const y1 = line[2 * k + 3];
    const ink = typeof tone === "number" ? tone : tone((x0 + x1) / 2, (y0 + y1) / 2);
    // Walks the fine pixels along the longer axis (`a`), filling a run across (`b`); the far end is left out.
    const steep = Math.abs(y1 - y0) > Math.abs(x1 - x0);
    const flip = steep ? y0 > y1 : x0 > x1;
    const p = 2 * (steep ? y0 : x0) + 0.5;
    const q = 2 * (steep ? y1 : x1) + 0.5;
    const a0 = flip ? q : p;
    const a1 = flip ? p : q;
    const r = 2 * (steep ? x0 : y0) + 0.5;
    const s = 2 * (steep ? x1 : y1) + 0.5;
    const b0 = flip ? s : r;
    if (a1 - a0 < 0.001) continue;
    const slope = ((flip ? r : s) - b0) / (a1 - a0);
    const stretch = Math.sqrt(1 + slope * slope);
    const w0 = wide((flip ? k + 1 : k) / pieces) * stretch;
    const w1 = wide((flip ? k : k + 1) / pieces) * stretch;
    for (let a = Math.max(0, Math.ceil(a0)); a < a1 && a < FINE; a++) {
      const t = (a - a0) / (a1 - a0);
      const half = mix(w0, w1, t);
      const b = b0 + slope * (a - a0);
      const reach = half + 0.5 / edge;
      const most = Math.min(1, 2 * half) * alpha;
      const end = Math.min(FINE - 1, Math.floor(b + reach));
      for (let c = Math.max(0, Math.ceil(b - reach)); c <= end; c++) {
        const inside = (half - Math.abs(c - b)) * edge + 0.5;
        const at = steep ? a * FINE + c : c * FINE + a;
        if (inside <= 0) continue;
        const cover = most * Math.min(1, inside);
        on.tone[at] += (ink - on.tone[at]) * cover;
        on.cover[at] += (1 - on.cover[at]) * cover;
      }
    }
  }
}

/** Lays one layer over an opaque one. */
export function overlay(on: Layer, top: Layer): void {
  for (let at = 0; at < FINE * FINE; at++) on.tone[at] = on.tone[at] * (1 - top.cover[at]) + top.tone[at];
}

/** A layer's tone or cover at the finished size. */
export function shrink(fine: Float32Array): Float32Array {
  const out = new Float32Array(SIZE * SIZE);
  for (let at = 0; at < SIZE * SIZE; at++) {
    const from = 2 * (at - at % SIZE) * 2 + 2 * (at % SIZE);
    out[at] = (fine[from] + fine[from + 1] + fine[from + FINE] + fine[from + FINE + 1]) / 4;
  }
  return out;
}
