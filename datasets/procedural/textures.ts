/** Texture exemplars drawn by rule, byte-identical on every engine: a brick wall and pebbles. */
import { stream } from "../../core/random.ts";
import type { LabelledImages } from "../data_set.ts";
import { clamp, mix, noise, SIZE, smoothstep } from "./shading.ts";

type Colour = readonly [red: number, green: number, blue: number];

/** Both exemplars, in colour; the wall is class 0, the pebbles are class 1. */
export function proceduralTextures(): LabelledImages & { readonly labels: Uint8Array } {
  const textures = [bricks(), pebbles()];
  const area = SIZE * SIZE;
  const pixels = new Uint8Array(textures.length * 3 * area);
  textures.forEach((colourAt, i) => {
    for (let p = 0; p < area; p++) {
      colourAt(p % SIZE, Math.floor(p / SIZE)).forEach((part, channel) => {
        pixels[(3 * i + channel) * area + p] = Math.round(255 * clamp(part));
      });
    }
  });
  return {
    images: { count: textures.length, height: SIZE, width: SIZE, channels: 3, pixels },
    labels: Uint8Array.of(0, 1),
  };
}

/** Grain in [-0.5, 0.5), coarse and fine. */
function grain(x: number, y: number, seed: number): number {
  return 0.5 * noise(x / 5, y / 5, seed) + 0.5 * noise(x / 1.5, y / 1.5, seed + 1) - 0.5;
}

/** Rows of bricks of 31 x 13 pixels, every other row by half a brick to the right, with light from above left. */
function bricks(): (x: number, y: number) => Colour {
  const wide = 32;
  const high = 14;
  const tones = stream(1, 0x6272);
  const rows = Math.ceil(SIZE / high) + 1;
  const inRow = SIZE / wide + 2;
  const bricks = Array.from({ length: rows * inRow }, () => ({ tone: tones.next(), red: tones.next() }));
  return (x, y) => {
    // Edges that are not quite straight.
    const across = x + 2 * (noise(x / 9, y / 9, 5) - 0.5);
    const down = y + 1.5 * (noise(x / 11, y / 11, 6) - 0.5) + high / 2;
    const row = Math.floor(down / high);
    const from = across + (row % 2 === 0 ? wide : wide / 2);
    const inX = from - wide * Math.floor(from / wide);
    const inY = down - high * row;
    const edge = Math.min(inX, inY, wide - inX, high - inY);
    const brick = smoothstep(1, 2.2, edge);
    const { tone, red } = bricks[row * inRow + Math.floor(from / wide)];
    const light = 0.12 *
      (smoothstep(4, 1.5, Math.min(inX, inY)) - smoothstep(4, 1.5, Math.min(wide - inX, high - inY)));
    const level = 0.42 + 0.26 * tone + light + 0.2 * grain(x, y, 11);
    const mortar = 0.66 + 0.18 * grain(x, y, 21);
    const clay: Colour = [level * 1.15, level * mix(0.5, 0.68, red), level * mix(0.36, 0.58, red)];
    return [mix(mortar, clay[0], brick), mix(mortar * 0.97, clay[1], brick), mix(mortar * 0.9, clay[2], brick)];
  };
}

/** Stones around the points of a jittered grid: their Voronoi cells, rounded at the rim. */
function pebbles(): (x: number, y: number) => Colour {
  const apart = 15;
  const cells = Math.ceil(SIZE / apart) + 4;
  const random = stream(1, 0x7062);
  const stones = Array.from({ length: cells * cells }, (_, i) => ({
    x: (i % cells - 2 + 0.15 + 0.7 * random.next()) * apart,
    y: (Math.floor(i / cells) - 2 + 0.15 + 0.7 * random.next()) * apart,
    tone: random.next(),
    warm: random.next(),
  }));
  return (x, y) => {
    let first = stones[0];
    let least = Infinity;
    let second = Infinity;
    for (const stone of stones) {
      const squared = (x - stone.x) * (x - stone.x) + (y - stone.y) * (y - stone.y);
      if (squared < least) [first, second, least] = [stone, least, squared];
      else if (squared < second) second = squared;
    }
    const distance = Math.sqrt(least);
    const gap = Math.sqrt(second) - distance;
    const stone = smoothstep(0.8, 3, gap);
    // The lamp stands above left; towards the rim the stone turns away from the eye.
    const round = smoothstep(0, 9, gap);
    const light = 0.02 * ((first.x - x) + (first.y - y)) * (1 - 0.5 * round) + 0.18 * round;
    const level = (0.34 + 0.36 * first.tone + light + 0.16 * grain(x, y, 31)) * mix(0.25, 1, stone);
    return [level * mix(0.95, 1.1, first.warm), level, level * mix(1.05, 0.82, first.warm)];
  };
}
