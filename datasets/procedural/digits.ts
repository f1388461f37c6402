/**
 * Handwritten digits drawn by rule: a training set without a download. A digit is a style from a table of pen strokes,
 * written by a random hand (slant, proportions, shake, pressure) and framed as MNIST frames its scans. Only + - * / and square roots are used, which IEEE 754 rounds exactly: every JavaScript engine makes the same
 * bytes.
 */
import { type Stream, stream } from "../../core/random.ts";
import type { LabelledImages } from "../data_set.ts";
import { distance, drawPath, penPath, type PenPoint } from "./stroke.ts";

/** Side of an image in pixels. */
const SIZE = 28;
/** Names of the random streams: a digit's numbers come from stream(SEED, SPLIT[split], index). */
const SEED = 0x64696769;
const SPLIT = { train: 1, test: 2 } as const;

/**
 * STYLES[digit] lists ways to write it, the commonest first. A style is a list of strokes. A stroke is at least three
 * points "x,y", written as in an SVG polyline, x right and y down, in percent of the digit's height. They are corners
 * that the pen rounds off (see penPath) and so lie outside the curve; a corner given twice stays sharp.
 */
const STYLES: readonly (readonly (readonly string[])[])[] = [
  [ // 0
    ["56,1 12,-2 0,56 24,104 76,104 100,56 88,-2 46,2"],
    ["48,0 14,4 2,70 36,106 86,96 98,32 76,-2 42,1"],
    ["64,6 30,-10 0,36 12,106 76,108 104,54 84,-8 44,4"],
    ["72,16 40,-10 -2,36 16,110 84,104 104,36 80,-8 50,2 42,14"],
    ["40,8 66,-10 104,22 92,104 26,112 -2,50 22,-4 52,2"],
  ],
  [ // 1
    ["50,0 50,50 50,100"],
    ["52,0 46,30 54,70 48,100"],
    ["48,0 54,40 52,100"],
    ["42,15 54,0 54,0 54,50 54,100"],
    ["40,15 54,0 54,0 52,50 52,98", "35,99 52,100 71,98"],
  ],
  [ // 2
    ["17,24 24,-2 83,-6 85,36 52,66 15,98 15,98 50,96 90,96"],
    ["15,26 21,-4 83,-6 87,34 61,76 26,108 4,94 15,76 41,82 61,98 94,92"],
    ["15,14 39,0 98,-4 74,42 17,96 17,96 50,92 92,96"],
    ["19,28 28,-8 90,-2 76,48 50,76 17,96 17,96 41,80 61,106 94,88"],
    ["10,12 39,2 81,2 81,2 79,30 43,66 13,92 13,92 61,92 109,98"],
    ["24,20 37,-8 87,-4 81,36 57,80 17,108 6,88 28,74 72,96 109,78"],
  ],
  [ // 3
    ["6,10 34,-8 86,-4 84,44 53,48 53,48 94,46 92,102 44,106 16,86"],
    ["6,8 44,-12 90,4 82,46 56,48 90,50 90,104 40,108 16,88"],
    ["4,6 34,-10 90,-6 82,46 60,53 52,48 60,43 96,48 88,106 40,106 12,86"],
    ["22,2 50,2 80,0 80,0 62,20 46,40 46,40 92,40 90,104 40,108 18,88"],
    ["8,16 40,-8 90,-4 70,36 40,44 40,44 84,40 88,88 64,112 26,100 18,92"],
  ],
  [ // 4
    ["21,4 19,30 12,60 12,60 50,60 93,54", "72,0 70,50 66,100"],
    ["19,4 7,66 41,64 79,52", "79,2 75,50 70,100"],
    ["63,0 39,32 7,66 7,66 50,66 95,62", "63,0 63,50 61,100"],
    ["16,6 7,60 41,62 75,52 84,4 84,4 78,50 70,100"],
    ["61,100 68,50 70,0 70,0 39,34 5,66 5,66 50,66 97,60"],
    ["7,14 3,40 -2,56 -2,56 39,58 108,48", "66,8 68,50 61,100"],
  ],
  [ // 5
    ["83,2 50,4 28,4 28,4 24,26 19,46 19,46 46,30 92,42 92,102 43,108 10,88"],
    ["28,4 24,24 19,48 19,48 50,30 94,46 90,104 39,108 10,90", "28,4 54,4 92,0"],
    ["85,4 54,2 32,2 15,34 35,46 85,50 90,100 50,110 10,92"],
    ["46,16 39,28 32,46 32,46 68,36 85,62 72,104 28,106 -1,90", "46,16 72,12 114,-2"],
    ["79,0 50,6 21,4 21,4 28,30 26,44 26,44 61,40 81,58 76,100 43,106 28,100"],
  ],
  [ // 6
    ["68,0 34,20 14,60 18,110 82,108 86,54 42,48 20,78"],
    ["56,0 40,26 22,54 14,110 84,108 80,48 42,54 22,74"],
    ["78,6 58,-6 14,20 14,110 86,108 86,54 42,46 20,74"],
    ["60,0 24,30 12,108 76,112 86,64 64,46 36,66"],
    ["50,0 28,40 8,84 30,108 70,104 84,72 62,62 40,76 32,100"],
  ],
  [ // 7
    ["6,5 38,5 85,4 85,4 63,44 46,100"],
    ["8,9 44,-2 95,-6 69,44 48,70 46,100"],
    ["6,5 38,5 85,4 85,4 63,44 46,100", "33,54 52,52 80,48"],
    ["15,22 18,6 18,6 50,8 82,4 82,4 54,50 46,100"],
    ["0,18 28,10 61,12 95,2 95,2 67,40 28,100"],
    ["18,22 22,0 54,14 87,4 87,4 61,36 52,64 56,100", "28,58 56,54 91,56"],
  ],
  [ // 8
    ["72,14 62,-4 22,-8 20,36 84,58 86,106 16,106 16,60 76,36 80,0 62,2"],
    ["66,6 30,-12 12,32 80,56 94,106 12,108 14,62 74,36 86,4"],
    ["52,48 20,46 18,-2 82,-2 82,44 50,48", "50,48 12,50 12,104 88,104 88,50 50,48"],
    ["92,4 50,-4 10,10 20,38 66,50 84,80 60,108 28,102 30,72 60,44 96,6"],
    ["36,8 14,30 46,44 78,70 76,106 28,108 24,70 56,44 84,24 70,-6 44,0 34,12"],
  ],
  [ // 9
    ["76,14 60,-8 16,-4 16,48 60,58 76,22 78,8 78,8 74,50 66,100"],
    ["74,24 60,52 12,58 16,-2 72,-10 82,8 76,56 60,100"],
    ["76,14 60,-8 16,-4 16,48 60,58 76,22 78,8 78,8 82,60 76,110 40,106 24,90"],
    ["72,10 50,-10 14,4 16,54 64,56 76,16", "77,2 75,50 70,100"],
    ["84,6 50,-8 16,10 10,46 40,56 72,32 84,6 84,6 62,50 30,100"],
    ["70,8 40,-8 26,20 36,40 60,36 74,14 70,8 72,60 58,112 24,98"],
  ],
];

/** The table's points as numbers, in units of the digit's height. */
const GLYPHS = STYLES.map((styles) => styles.map((strokes) => strokes.map(parsePoints)));

function parsePoints(text: string): { x: number; y: number }[] {
  return text.split(" ").map((point) => {
    const [x, y] = point.split(",").map(Number);
    return { x: x / 100, y: y / 100 };
  });
}

/**
 * `perClass` digits of each class, 28x28, white ink (255) on black (0), interleaved by class: digit i shows i % 10. It
 * depends on `split` and i alone, so a larger set begins with the smaller one; train and test share no digit.
 *
 * @param perClass a positive integer
 */
export function proceduralDigits(split: "train" | "test", perClass: number): Required<LabelledImages> {
  if (!Number.isInteger(perClass) || perClass < 1) throw new RangeError("perClass must be a positive integer");
  const count = 10 * perClass;
  const area = SIZE * SIZE;
  const pixels = new Uint8Array(count * area);
  const labels = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    labels[i] = i % 10;
    drawDigit(labels[i], stream(SEED, SPLIT[split], i), pixels.subarray(i * area, (i + 1) * area));
  }
  return { images: { count, height: SIZE, width: SIZE, pixels }, labels };
}

/** Draws one digit into `pixels`, black before, with the centre of mass in the middle as MNIST has it. */
function drawDigit(digit: number, random: Stream, pixels: Uint8Array): void {
  const pen = 1.9 + 1.7 * random.next();
  const softness = 0.7 + 0.5 * random.next();
  const extent = 18.5 + 1.5 * random.next();
  const draft = toPixels(write(digit, random), pen, extent, random);
  // Strokes overlap, so the mass of the ink is known only from a drawing: draw, measure, draw again centred.
  for (const path of draft) drawPath(pixels, SIZE, path, softness);
  const [x, y] = centreOfMass(pixels);
  pixels.fill(0);
  let scale = 1; // below 1 only if a long tail would reach the border
  for (const p of draft.flat()) {
    const room = SIZE / 2 - 1 - (p.width + softness) / 2;
    scale = Math.min(scale, room / Math.max(Math.abs(p.x - x), Math.abs(p.y - y)));
  }
  const place = (p: PenPoint) => ({
    x: SIZE / 2 + (p.x - x) * scale,
    y: SIZE / 2 + (p.y - y) * scale,
    width: p.width,
  });
  for (const path of draft) drawPath(pixels, SIZE, path.map(place), softness);
}

/** The ink's centre of mass, in pixels from the image's left and top edge. */
function centreOfMass(pixels: Uint8Array): [number, number] {
  let mass = 0;
  let x = 0;
  let y = 0;
  for (let i = 0; i < pixels.length; i++) {
    mass += pixels[i];
    x += pixels[i] * (i % SIZE + 0.5);
    y += pixels[i] * (Math.floor(i / SIZE) + 0.5);
  }
  return [x / mass, y / mass];
}

/** A random number in (-1, 1), near 0 more often than not: a triangular distribution of standard deviation 0.41. */
function spread(random: Stream): number {
  return random.next() + random.next() - 1;
}

/** Writes a digit by a random hand: a style, bent as a whole and shaken stroke by stroke, as paths in units of its height. */
function write(digit: number, random: Stream): PenPoint[][] {
  const styles = GLYPHS[digit];
  const choice = random.next();
  const strokes = styles[Math.floor(choice * choice * styles.length)]; // squared: the first styles come most often
  const aspect = 1 + 0.4 * spread(random);
  const slant = 0.2 + 0.45 * spread(random); // most hands lean right
  const tilt = 0.25 * spread(random) - 0.05; // and rise along the line
  const bow = 0.35 * spread(random); // the middle to the right or left of the ends
  const taper = 0.35 * spread(random); // the foot wider or narrower than the head
  const waist = 0.3 * spread(random); // the middle lower or higher: head and foot of different size
  const shake = 0.06 + 0.08 * random.next(); // a careful or a hasty writer
  return strokes.map((stroke) => {
    const offsetX = 0.05 * spread(random);
    const offsetY = 0.05 * spread(random);
    const control = stroke.map((point, i) => {
      // A hand is least sure where it lands and where it leaves.
      const jitter = i === 0 || i === stroke.length - 1 ? 1.4 * shake : shake;
      const x = point.x - 0.5 + offsetX + jitter * spread(random);
      const y = point.y - 0.5 + offsetY + jitter * spread(random);
      const fromMiddle = 0.25 - y * y;
      return {
        x: aspect * x * (1 + taper * y) - slant * y + bow * fromMiddle,
        y: y + tilt * x + waist * fromMiddle,
        width: 1 + 0.3 * spread(random),
      };
    });
    return penPath(control, 0.05);
  });
}

/**
 * Scales paths to pixels: the bounding box in the middle of the image, the longer side of the ink `extent` pixels, the line
 * `pen` pixels wide, or less if it would blot.
 */
function toPixels(paths: PenPoint[][], pen: number, extent: number, random: Stream): PenPoint[][] {
  let left = Infinity;
  let right = -Infinity;
  let top = Infinity;
  let bottom = -Infinity;
  let length = 0;
  for (const path of paths) {
    path.forEach((p, i) => {
      left = Math.min(left, p.x);
      right = Math.max(right, p.x);
      top = Math.min(top, p.y);
      bottom = Math.max(bottom, p.y);
      if (i > 0) length += distance(path[i - 1], p);
    });
  }
  const width = right - left;
  const height = bottom - top;
  // How often the pen crosses the digit's width: many lines in a narrow digit would run together.
  const crossings = (length - height) / (width + 0.05);
  const line = Math.max(1.8, pen * Math.min(1, 2.1 / Math.max(crossings, 1)));
  const scale = (extent - line) / Math.max(width, height);
  const place = (p: PenPoint) => ({
    x: SIZE / 2 + (p.x - (left + right) / 2) * scale,
    y: SIZE / 2 + (p.y - (top + bottom) / 2) * scale,
    width: p.width * line + 0.4 * spread(random), // a scanned edge is never quite straight
  });
  return paths.map((path) => path.map(place));
}
