/**
 * Objects drawn by rule: bags, shirts, shoes and trousers with patterns, each at its own place, scale and angle. They are a data
 * set that is not aligned, and whose patterns the seed images do not show. Only + - * / and square roots are used, so that every
 * engine draws the same bytes.
 */
import { type Stream, stream } from "../../core/random.ts";
import type { LabelledImages } from "../data_set.ts";

/** Side of an image in pixels. */
const SIZE = 32;
/** Samples of a pixel along each axis: edges are smooth. */
const SAMPLES = 2;
/** Names of the random streams. */
const SEED = 0x6f626a73;
const SPLIT = { train: 1, test: 2 } as const;

/** A point of an object: x to the right and y down, from -1 to 1 over the image. */
type Point = readonly [x: number, y: number];
/** A part of an object: a polygon, or the ring of a handle. `shade` is a factor of its grey value. */
interface Part {
  readonly points?: readonly Point[];
  readonly ring?: { readonly y: number; readonly radius: number; readonly width: number };
  /** 0 cuts out what was drawn before. */
  readonly shade: number;
}

/** Draws a number between two. */
type Between = (low: number, high: number) => number;

/** The kinds of objects, in the order of their labels. */
const KINDS: readonly ((between: Between) => Part[])[] = [bag, shirt, shoe, trousers];

/**
 * `perClass` objects of each of the four kinds, 32x32, grey on black, interleaved by kind: object i is of kind i % 4. It depends on
 * `split` and i alone; train and test share no object.
 */
export function proceduralObjects(split: "train" | "test", perClass: number): Required<LabelledImages> {
  const count = KINDS.length * perClass;
  const area = SIZE * SIZE;
  const pixels = new Uint8Array(count * area);
  const labels = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    labels[i] = i % KINDS.length;
    const random = stream(SEED, SPLIT[split], i);
    drawObject(KINDS[labels[i]], random, pixels.subarray(i * area, (i + 1) * area));
  }
  return { images: { count, height: SIZE, width: SIZE, pixels }, labels };
}

function drawObject(kind: (between: Between) => Part[], random: Stream, pixels: Uint8Array): void {
  const between = (low: number, high: number) => low + (high - low) * random.next();
  const parts = kind(between);
  const greyAt = fabric(between);
  // Turned by up to 10 degrees: t is the tangent of half the angle. Moved by up to 3 pixels each way.
  const t = between(-0.087, 0.087);
  const scale = between(0.8, 1.05);
  const moveX = between(-0.19, 0.19);
  const moveY = between(-0.19, 0.19);
  const cos = (1 - t * t) / (1 + t * t) / scale;
  const sin = 2 * t / (1 + t * t) / scale;
  for (let p = 0; p < pixels.length; p++) {
    let sum = 0;
    for (let s = 0; s < SAMPLES * SAMPLES; s++) {
      const column = p % SIZE + (s % SAMPLES + 0.5) / SAMPLES;
      const row = Math.floor(p / SIZE) + (Math.floor(s / SAMPLES) + 0.5) / SAMPLES;
      const x = 2 * column / SIZE - 1 - moveX;
      const y = 2 * row / SIZE - 1 - moveY;
      const u = cos * x - sin * y;
      const v = sin * x + cos * y;
      const part = parts.findLast((part) => isIn(part, u, v));
      if (part && part.shade > 0) sum += part.shade * greyAt(u, v);
    }
    pixels[p] = Math.round(Math.min(sum / (SAMPLES * SAMPLES), 255));
  }
}

function isIn({ points = [], ring }: Part, x: number, y: number): boolean {
  if (ring) {
    const distance = Math.sqrt(x * x + 1.7 * (y - ring.y) * (y - ring.y));
    return distance < ring.radius && distance > ring.radius - ring.width;
  }
  let inside = false;
  for (let i = 0, j = points.length - 1; i < points.length; j = i++) {
    const [x0, y0] = points[i];
    const [x1, y1] = points[j];
    if ((y0 > y) !== (y1 > y) && x < x0 + (x1 - x0) * (y - y0) / (y1 - y0)) inside = !inside;
  }
  return inside;
}

/** A fabric: plain, striped across or along, checked, or with a bright or dark spot. Returns the grey value at a point. */
function fabric(between: Between): (x: number, y: number) => number {
  const base = between(90, 200);
  const pattern = Math.floor(between(0, 5));
  const period = between(0.16, 0.34);
  const contrast = between(30, 60);
  const spotY = between(-0.2, 0.2);
  const spot = between(-60, 60);
  const slope = between(-25, 25);
  const stripe = (at: number) => at / period - Math.floor(at / period) < 0.5 ? contrast : -contrast;
  return (x, y) => {
    const plain = base + slope * x;
    if (pattern === 1) return plain + stripe(y);
    if (pattern === 2) return plain + stripe(x);
    if (pattern === 3) return plain + 0.6 * (stripe(x) + stripe(y));
    return pattern === 4 ? plain + spot / (1 + 8 * (x * x + (y - spotY) * (y - spotY))) : plain;
  };
}

function bag(between: Between): Part[] {
  const wide = between(0.55, 0.85);
  const high = between(0.35, 0.6);
  const y = between(0.1, 0.35);
  const top = wide * between(0.8, 1);
  const ring = { y: y - high, radius: between(0.3, 0.5), width: between(0.09, 0.14) };
  return [{ ring, shade: 1 }, {
    points: [[-top, y - high], [top, y - high], [wide, y + high], [-wide, y + high]],
    shade: 1,
  }];
}

function shirt(between: Between): Part[] {
  const wide = between(0.38, 0.52);
  const high = between(0.6, 0.85);
  const hem = wide * between(0.85, 1.1);
  const sleeve = between(0.25, 1);
  const end = between(0.18, 0.26);
  const neck = between(0.1, 0.2);
  const depth = between(0.08, 0.35);
  const arm = (side: number): Part => {
    const x = side * (wide + sleeve * 0.45);
    const y = 0.25 - high + sleeve * (high + 0.2);
    return {
      points: [[side * wide * 0.8, -high], [x + side * end * 0.3, y - 0.1], [x - side * end * 0.7, y + 0.02], [
        side * wide * 0.9,
        0.45 - high,
      ]],
      shade: 1,
    };
  };
  return [
    { points: [[-wide, -high], [wide, -high], [hem, high], [-hem, high]], shade: 1 },
    arm(-1),
    arm(1),
    { points: [[-neck, -high - 0.02], [neck, -high - 0.02], [0, depth - high]], shade: 0 },
  ];
}

function shoe(between: Between): Part[] {
  const high = between(0.25, 0.75);
  const heel = between(0, 0.3);
  const long = between(0.75, 0.95);
  const sole = 0.45 + between(0.08, 0.14);
  const upper: Point[] = [[-long, 0.35 - high], [0.5 - long, 0.35 - high], [0.65 - long, 0.35 - high * 0.4], [
    long * 0.6,
    0.2,
  ]];
  return [
    { points: [...upper, [long, 0.38], [long, 0.5], [-long, 0.5 - heel * 0.2]], shade: 1 },
    { points: [[-long, 0.45], [long, 0.45], [long, sole], [-long, sole]], shade: 0.8 },
    { points: [[-long, 0.45], [0.3 - long, 0.45], [0.2 - long, 0.45 + heel], [0.02 - long, 0.45 + heel]], shade: 0.8 },
  ];
}

function trousers(between: Between): Part[] {
  const wide = between(0.28, 0.42);
  const high = between(0.8, 0.95);
  const leg = between(0.2, 0.34);
  const apart = between(0.04, 0.29);
  const end = between(0, 1) < 0.7 ? high : between(0, 0.3);
  const side = (s: number): Part => ({
    points: [[s * wide, 0.35 - high], [0, 0.35 - high], [s * apart, end], [s * (apart + leg), end]],
    shade: 1,
  });
  return [
    { points: [[-wide, -high], [wide, -high], [wide, 0.4 - high], [-wide, 0.4 - high]], shade: 1 },
    side(-1),
    side(1),
  ];
}
