/**
 * Compares the textures of `synth` with plain image quilting (Efros and Freeman, "Image Quilting for Texture Synthesis and Transfer",
 * 2001): `deno run -A bench/image_quilting.ts [--out PICTURE.png] [EXEMPLAR.png ...]`, by default of the built-in exemplars. It prints a
 * table in Markdown, and draws the exemplar, a plain quilt and one of `synth`, one row for each exemplar.
 */
import { type Stream, stream } from "../core/random.ts";
import { areaOf, type Size } from "../core/shape.ts";
import { finish } from "../core/steps.ts";
import { readPng } from "../datasets/formats/png.ts";
import { pngOf } from "../datasets/formats/write_png.ts";
import { proceduralTextures } from "../datasets/procedural/textures.ts";
import type { Exemplars } from "../pipelines/quilting/exemplars.ts";
import { blockSide, quilt, valuesOf } from "../pipelines/quilting/quilt.ts";
import { SourceMap } from "../pipelines/quilting/source_map.ts";

/** Sides of the textures, how many are measured of each kind, and sides and number of the windows that are compared. */
const SIDE = 192, COUNT = 5, WINDOW = 24, WINDOWS = 60;
/** Of the paper: the part of a block that overlaps the one before, and by how much a block may fit worse than the best. */
const OVERLAP = 1 / 6, TOLERANCE = 0.1;

/** Quilts an image in one pass. Returns its sources: the number of the exemplar's pixel that each pixel is. */
export function imageQuilting(exemplar: Exemplars, size: Size, side: number, random: Stream): Int32Array {
  const { channels, height, width, values } = exemplar, area = areaOf(exemplar), sources = new Int32Array(areaOf(size));
  const overlap = Math.max(1, Math.floor(side * OVERLAP)), step = side - overlap;
  const difference = (a: number, b: number) => {
    let sum = 0;
    for (let c = 0; c < channels; c++) sum += (values[c * area + a] - values[c * area + b]) ** 2;
    return sum;
  };
  for (let top = 0; top < size.height; top += step) {
    for (let left = 0; left < size.width; left += step) {
      const high = Math.min(side, size.height - top), wide = Math.min(side, size.width - left);
      /** The placed pixel at a place of the block, where the overlap with blocks above or on the left is. */
      const placedAt = (y: number, x: number) => sources[(top + y) * size.width + left + x];
      const shared: [y: number, x: number][] = [];
      for (let y = 0; y < high; y++) {
        for (let x = 0; x < wide; x++) if (top > 0 && y < overlap || left > 0 && x < overlap) shared.push([y, x]);
      }
      const errors: number[] = [], across = width - wide + 1;
      for (let block = 0; block < (height - high + 1) * across; block++) {
        const first = Math.floor(block / across) * width + block % across;
        errors.push(shared.reduce((sum, [y, x]) => sum + difference(first + y * width + x, placedAt(y, x)), 0));
      }
      const limit = (1 + TOLERANCE) * errors.reduce((a, b) => Math.min(a, b));
      const fitting = [...errors.keys()].filter((block) => errors[block] <= limit);
      const block = fitting[Math.floor(random.next() * fitting.length)];
      const sourceOf = (y: number, x: number) => (Math.floor(block / across) + y) * width + block % across + x;
      const cost = (y: number, x: number) => difference(sourceOf(y, x), placedAt(y, x));
      // The first column, and the first row, that are the block's, by the minimum cuts through the overlaps.
      const columns = left > 0 ? minimumCut(high, Math.min(overlap, wide), cost) : [];
      const rows = top > 0 ? minimumCut(wide, Math.min(overlap, high), (x, y) => cost(y, x)) : [];
      for (let y = 0; y < high; y++) {
        for (let x = 0; x < wide; x++) {
          if (x >= (columns[y] ?? 0) && y >= (rows[x] ?? 0)) {
            sources[(top + y) * size.width + left + x] = sourceOf(y, x);
          }
        }
      }
    }
  }
  return sources;
}

/** The cheapest path through an overlap, from its first line to its last: where it crosses each line. */
function minimumCut(length: number, across: number, cost: (along: number, across: number) => number): number[] {
  const sums = Array.from({ length }, () => new Float64Array(across));
  const cheapest = (line: Float64Array, from: number, end: number) => {
    let best = from;
    for (let i = from; i < end; i++) if (line[i] < line[best]) best = i;
    return best;
  };
  const near = (at: number) => [Math.max(0, at - 1), Math.min(across, at + 2)] as const;
  for (let along = 0; along < length; along++) {
    for (let i = 0; i < across; i++) {
      const before = along === 0 ? 0 : sums[along - 1][cheapest(sums[along - 1], ...near(i))];
      sums[along][i] = before + cost(along, i);
    }
  }
  const path = [cheapest(sums[length - 1], 0, across)];
  for (let along = length - 2; along >= 0; along--) path.unshift(cheapest(sums[along], ...near(path[0])));
  return path;
}

/** What is measured of a texture. */
interface Measured {
  /** How far windows are from the most similar ones of the exemplar: root mean squares, in grey levels. */
  readonly distance: number;
  /** The longest run of pixels in a row or column that are copied side by side. */
  readonly run: number;
  /** The largest piece that is copied as a whole, as a part of the texture. */
  readonly piece: number;
  /** How visible boundaries are: the errors of `SourceMap`, by colours, per thousand pixels. */
  readonly boundaries: number;
  /** The part of the exemplar's pixels that are used. */
  readonly used: number;
}

function measure(exemplar: Exemplars, size: Size, sources: Int32Array): Measured {
  const map = new SourceMap(exemplar, size), area = areaOf(size);
  map.sources.set(sources);
  return {
    distance: windowDistance(exemplar, size, valuesOf(exemplar, sources)),
    run: Math.max(longestRun(sources, size, true, 1), longestRun(sources, size, false, exemplar.width)),
    piece: largestPiece(sources, size, exemplar.width) / area,
    boundaries: 1000 * map.errorIn() / area,
    used: new Set(sources).size / areaOf(exemplar),
  };
}

function windowDistance({ channels, ...exemplar }: Exemplars, size: Size, image: Float32Array): number {
  const random = stream(1, 0x7277), [area, own] = [areaOf(size), areaOf(exemplar)];
  let sum = 0;
  for (let n = 0; n < WINDOWS; n++) {
    const [y0, x0] = [size.height, size.width].map((side) => Math.floor(random.next() * (side - WINDOW + 1)));
    let least = Infinity;
    for (let y = 0; y + WINDOW <= exemplar.height; y++) {
      for (let x = 0; x + WINDOW <= exemplar.width; x++) {
        let squares = 0;
        for (let i = 0; i < WINDOW * WINDOW && squares < least; i++) {
          const row = Math.floor(i / WINDOW), column = i % WINDOW;
          for (let c = 0; c < channels; c++) {
            const value = image[c * area + (y0 + row) * size.width + x0 + column];
            squares += (value - exemplar.values[c * own + (y + row) * exemplar.width + x + column]) ** 2;
          }
        }
        least = Math.min(least, squares);
      }
    }
    sum += 255 * Math.sqrt(least / (channels * WINDOW * WINDOW));
  }
  return sum / WINDOWS;
}

function longestRun(sources: Int32Array, { height, width }: Size, inRows: boolean, step: number): number {
  let longest = 0;
  for (let line = 0; line < (inRows ? height : width); line++) {
    for (let i = 0, run = 0, before = NaN; i < (inRows ? width : height); i++) {
      const source = sources[inRows ? line * width + i : i * width + line];
      run = source === before + step ? run + 1 : 1;
      before = source;
      longest = Math.max(longest, run);
    }
  }
  return longest;
}

/** The pixels of the largest piece of neighbours that are copied from neighbours. */
function largestPiece(sources: Int32Array, { height, width }: Size, stride: number): number {
  const open = new Uint8Array(sources.length).fill(1);
  let largest = 0;
  for (let first = 0; first < sources.length; first++) {
    const todo = open[first] ? [first] : [];
    open[first] = 0;
    let pixels = 0;
    for (let p = todo.pop(); p !== undefined; p = todo.pop()) {
      pixels++;
      const y = Math.floor(p / width), x = p % width;
      for (const [dy, dx] of [[0, 1], [0, -1], [1, 0], [-1, 0]]) {
        const next = p + dy * width + dx;
        if (y + dy < 0 || y + dy >= height || x + dx < 0 || x + dx >= width || !open[next]) continue;
        if (sources[next] !== sources[p] + dy * stride + dx) continue;
        open[next] = 0;
        todo.push(next);
      }
    }
    largest = Math.max(largest, pixels);
  }
  return largest;
}

const SIZE = { height: SIDE, width: SIDE };

/** The ways to make a texture: sources by the number of the image. */
function waysOf(exemplar: Exemplars): [name: string, make: (image: number) => Int32Array][] {
  const large = Math.round(blockSide(exemplar)), sides = [large, Math.max(8, large >> 1)];
  return [
    ...sides.map((side): [string, (image: number) => Int32Array] => {
      return [
        `plain, blocks of ${side}`,
        (image) => imageQuilting(exemplar, SIZE, side, stream(1, 0x6566, image, side)),
      ];
    }),
    ["`synth`", (image) => finish(quilt(exemplar, SIZE, { seed: 1, image })).sources],
  ];
}

async function exemplarsOf(paths: readonly string[]): Promise<[name: string, exemplar: Exemplars][]> {
  const pictures = await Promise.all(
    paths.map(async (path) => readPng(await Deno.readFile(path), path, { channels: 3 })),
  );
  const builtin = proceduralTextures().images, length = 3 * areaOf(builtin);
  const all = pictures.length > 0 ? pictures : [0, 1].map((n) => {
    return { ...builtin, pixels: builtin.pixels.subarray(n * length, (n + 1) * length) };
  });
  const names = paths.length > 0 ? paths.map((path) => path.replace(/^.*\/|\.png$/g, "")) : ["bricks", "pebbles"];
  return all.map(({ height, width, pixels }, n) => {
    const values = Float32Array.from(pixels, (byte) => byte / 255);
    return [names[n], { count: 1, channels: 3, height, width, values }];
  });
}

/** Puts pictures in colour side by side, some pixels apart, and rows of them below each other. */
function montage(rows: readonly (readonly (Size & { readonly values: Float32Array })[])[]): Uint8Array {
  const gap = 6, high = rows.map((row) => Math.max(...row.map(({ height }) => height)) + gap);
  const width = Math.max(...rows.map((row) => row.reduce((sum, one) => sum + one.width + gap, -gap)));
  const height = high.reduce((sum, one) => sum + one, -gap), out = new Uint8Array(3 * height * width).fill(255);
  rows.forEach((row, r) => {
    let left = 0;
    const top = high.slice(0, r).reduce((sum, one) => sum + one, 0);
    for (const { values, ...size } of row) {
      values.forEach((value, i) => {
        const p = i % areaOf(size), y = top + Math.floor(p / size.width), x = left + p % size.width;
        out[Math.floor(i / areaOf(size)) * height * width + y * width + x] = Math.round(255 * value);
      });
      left += size.width + gap;
    }
  });
  return pngOf({ height, width, channels: 3 }, out);
}

if (import.meta.main) {
  const [out, paths] = Deno.args[0] === "--out" ? [Deno.args[1], Deno.args.slice(2)] : [undefined, Deno.args];
  console.log(
    "| exemplar | method | distance | run | piece | boundaries | used |\n| --- | --- | --- | --- | --- | --- | --- |",
  );
  const rows = [];
  for (const [name, exemplar] of await exemplarsOf(paths)) {
    const row: (Size & { readonly values: Float32Array })[] = [exemplar];
    for (const [method, make] of waysOf(exemplar)) {
      const made = Array.from({ length: COUNT }, (_, image) => make(image));
      const all = made.map((sources) => measure(exemplar, SIZE, sources));
      const mean = (key: keyof Measured) => all.reduce((sum, one) => sum + one[key], 0) / COUNT;
      const cells = [
        mean("distance").toFixed(1),
        mean("run").toFixed(0),
        `${(100 * mean("piece")).toFixed(0)} %`,
        mean("boundaries").toFixed(2),
        `${(100 * mean("used")).toFixed(0)} %`,
      ];
      console.log(`| ${[name, method, ...cells].join(" | ")} |`);
      row.push({ ...SIZE, values: valuesOf(exemplar, made[0]) });
    }
    rows.push(row);
  }
  if (out) await Deno.writeFile(out, montage(rows));
}
