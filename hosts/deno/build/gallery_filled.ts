/** Draws the gallery's filled holes: pictures with something in the way, what is painted over, and what they become. */
import { areaOf, type Size } from "../../../core/shape.ts";
import { finish } from "../../../core/steps.ts";
import { pngOf } from "../../../datasets/formats/write_png.ts";
import { clamp, mix, noise, smoothstep } from "../../../datasets/procedural/shading.ts";
import { proceduralTextures } from "../../../datasets/procedural/textures.ts";
import { fillHole } from "../../../pipelines/filling/fill_hole.ts";

type Colour = readonly [red: number, green: number, blue: number];

/** A picture in colour, channel by channel, and whether a pixel of it is painted over. */
interface Scene extends Size {
  readonly pixels: Uint8Array;
  isPainted(x: number, y: number): boolean;
}

/** What is painted over is shown in this colour. */
const PAINT: Colour = [255, 0, 200];
/** Pixels between pictures. */
const GAP = 4;

/** Draws each scene, with what is painted over, and filled. */
export function drawFilled(): Promise<Uint8Array> {
  const rows = [[signOnWall(), ballOnPebbles()], [walker()]].map((scenes) => scenes.flatMap(threePictures));
  const width = Math.max(...rows.map((row) => row.reduce((sum, { width }) => sum + width + GAP, -GAP)));
  const height = rows.reduce((sum, [{ height }]) => sum + height + GAP, -GAP), area = width * height;
  const out = new Uint8Array(3 * area).fill(255);
  let top = 0;
  for (const row of rows) {
    let left = 0;
    for (const picture of row) {
      const own = areaOf(picture);
      picture.pixels.forEach((value, i) => {
        const y = top + Math.floor(i % own / picture.width), x = left + i % picture.width;
        out[Math.floor(i / own) * area + y * width + x] = value;
      });
      left += picture.width + GAP;
    }
    top += row[0].height + GAP;
  }
  return Promise.resolve(pngOf({ height, width, channels: 3 }, out));
}

/** A scene, what is painted over in it, and what `fill` makes of it with its default seed. */
function threePictures(scene: Scene): (Size & { readonly pixels: Uint8Array })[] {
  const { height, width, pixels } = scene, area = areaOf(scene);
  const missing = Uint8Array.from(
    { length: area },
    (_, p) => scene.isPainted(p % width, Math.floor(p / width)) ? 1 : 0,
  );
  const values = Float32Array.from(pixels, (value) => value / 255);
  const sources = finish(fillHole({ height, width, channels: 3, values }, missing, { seed: 1, number: 0 }));
  const painted = pixels.map((value, i) => missing[i % area] ? PAINT[Math.floor(i / area)] : value);
  const filled = pixels.map((_, i) => pixels[i - i % area + sources[i % area]]);
  return [pixels, painted, filled].map((pixels) => ({ height, width, pixels }));
}

/** Draws a scene: its background, and something in front of it. */
function sceneOf(
  { height, width }: Size,
  background: (x: number, y: number) => Colour,
  front: (x: number, y: number) => Colour | undefined,
  isPainted: Scene["isPainted"],
): Scene {
  const pixels = new Uint8Array(3 * height * width);
  for (let p = 0; p < height * width; p++) {
    const x = p % width, y = Math.floor(p / width);
    (front(x, y) ?? background(x, y)).forEach((part, c) =>
      pixels[c * height * width + p] = Math.round(255 * clamp(part))
    );
  }
  return { height, width, pixels, isPainted };
}

/** A built-in texture as a background. */
function textureAt(number: number): (x: number, y: number) => Colour {
  const { images: { height, width, pixels } } = proceduralTextures(), area = height * width;
  const at = (p: number, c: number) => pixels[(3 * number + c) * area + p] / 255;
  return (x, y) => [at(y * width + x, 0), at(y * width + x, 1), at(y * width + x, 2)];
}

/** A round sign on the built-in brick wall. */
function signOnWall(): Scene {
  const squared = (x: number, y: number) => (x - 66) * (x - 66) + (y - 62) * (y - 62);
  const sign = (x: number, y: number): Colour | undefined => {
    if (squared(x, y) > 22 * 22) return undefined;
    if (Math.abs(y - 62) < 5 && Math.abs(x - 66) < 15) return [0.95, 0.95, 0.92];
    return squared(x, y) > 20 * 20 ? [0.9, 0.9, 0.88] : [0.75, 0.1, 0.12];
  };
  return sceneOf({ height: 128, width: 128 }, textureAt(0), sign, (x, y) => squared(x, y) < 25 * 25);
}

/** A ball on the built-in pebbles. */
function ballOnPebbles(): Scene {
  const squared = (x: number, y: number) => (x - 60) * (x - 60) + (y - 70) * (y - 70);
  const ball = (x: number, y: number): Colour | undefined => {
    if (squared(x, y) > 19 * 19) return undefined;
    const light = 1 - Math.sqrt((x - 53) * (x - 53) + (y - 62) * (y - 62)) / 40;
    return [light, 0.75 * light, 0.1 * light];
  };
  return sceneOf({ height: 128, width: 128 }, textureAt(1), ball, (x, y) => squared(x, y) < 22 * 22);
}

/** Noise of several sizes. */
function clouds(x: number, y: number, seed: number): number {
  return 0.5 * noise(x, y, seed) + 0.3 * noise(2 * x, 2 * y, seed + 1) + 0.2 * noise(5 * x, 5 * y, seed + 2);
}

function blend(a: Colour, b: Colour, t: number): Colour {
  return [mix(a[0], b[0], t), mix(a[1], b[1], t), mix(a[2], b[2], t)];
}

/** A fence and a path in a meadow. `u`, `v`: the place as parts of the picture's sides. */
function meadow(x: number, y: number, u: number, v: number): Colour {
  const horizon = 0.4, hills = horizon - 0.1 * clouds(u * 5, 0.7, 31);
  if (v < hills) {
    const sky = blend([0.36, 0.55, 0.85], [0.8, 0.88, 0.95], v / horizon);
    return blend(sky, [0.97, 0.97, 0.98], 0.9 * smoothstep(0.48, 0.72, clouds(u * 4, v * 9, 3)));
  }
  if (v < horizon) return blend([0.35, 0.45, 0.55], [0.3, 0.42, 0.45], clouds(u * 30, v * 30, 41));
  const isRail = Math.abs(v - 0.6) < 0.011 || Math.abs(v - 0.68) < 0.011, post = u * 9 - Math.floor(u * 9);
  if (Math.abs(post - 0.5) < 0.06 && v > 0.56 && v < 0.74) {
    return blend([0.4, 0.29, 0.18], [0.58, 0.45, 0.31], noise(x / 1.5, y / 7, 92));
  }
  if (isRail) return blend([0.45, 0.33, 0.22], [0.6, 0.47, 0.33], noise(x / 7, y / 1.5, 91));
  const near = 1 / (v - horizon + 0.05), grass = clouds(u * near * 8, near * 6, 51) * 1.5 - 0.25;
  const green = blend(
    [0.24, 0.42, 0.13],
    [0.52, 0.62, 0.22],
    clamp(grass + 0.35 * (noise(x / 1.3, y / 2.5, 61) - 0.5)),
  );
  const aside = Math.abs(u - 0.62 + 0.25 * (v - 0.5)) / (v - horizon + 0.01) + 0.05 * noise(u * 40, v * 40, 5);
  const path = blend([0.62, 0.52, 0.38], [0.75, 0.66, 0.5], clouds(u * 60, v * 60, 81));
  return blend(path, green, smoothstep(0.16, 0.22, aside));
}

/** A person before the fence. */
function walker(): Scene {
  const size = { height: 172, width: 256 }, { height, width } = size;
  const person = (x: number, y: number): Colour | undefined => {
    const across = x - 78, head = across * across + (y - 70) * (y - 70);
    if (head < 49) return [0.85, 0.65, 0.5];
    if (Math.abs(across) < 11 && y > 77 && y < 112) return [0.75, 0.15, 0.15];
    if (Math.abs(across) < 9 && y >= 112 && y < 146) return [0.15, 0.18, 0.35];
  };
  const isPainted = (x: number, y: number) => Math.abs(x - 78) < 15 && y > 59 && y < 150;
  return sceneOf(size, (x, y) => meadow(x, y, x / width, y / height), person, isPainted);
}
