/**
 * What priors of example patches have in common (section "Local Nearest-Neighbor Patch Prior"): the LR patch of a location,
 * with its context, finds the nearest of the LR examples; one of their HR patches is drawn with the posterior of equation
 * (posterior example based). No dictionary is built: examples are read from the planes. Which places of the training
 * images are examples of a location is for each prior to say.
 */
import { type CandidateLists, searchScratch } from "../../core/kernels.ts";
import { isInside, numberOf, quantize, type ScaledPixel } from "./lr_pixels.ts";
import { rowDistances } from "./row_distances.ts";
import { halfOf, lengthOf, sameShape, shapeText } from "../../core/shape.ts";
import type { FittedPrior, LayerData, Location, Measurements, Step } from "../../core/types.ts";

/** From so many pixels on they are given to the kernel as runs, too; for fewer (digits have 26) its sums of planes cost more than they save. */
export const MANY = 64;
/** Bytes of a run. */
export const RUN = 8;

/** Bytes of lists that are kept at the most, in each layer. */
const MOST_KEPT = 2 ** 28;

/** The examples of a location: in each of the training images, one at each pair of a row's and a column's offset. */
export interface Examples {
  /**
   * In LR pixels from the location, without gaps; in HR pixels twice that. Both patches lie inside the training images; there
   * is at least one.
   */
  readonly dys: readonly number[];
  readonly dxs: readonly number[];
  /**
   * Those of the pixels given that count, in their order: they lie inside the images at every offset, so that distances
   * compare. Which they are follows from the LR patch's place and the offsets; it is found out whenever it is asked for.
   */
  readonly pixels: readonly ScaledPixel[];
}

/** How a prior of example patches differs from another. */
export interface ExampleChoice {
  /** The plugin's name, for error sentences. */
  readonly name: string;
  /** How many of the nearest examples are drawn from. */
  readonly neighbours: number;
  /** The most offsets that a location may have, in rows and in columns. */
  readonly mostRows: number;
  readonly mostColumns: number;
  /**
   * The kernels run over examples in consecutive bytes: over the training images at one offset, or, with this, over the
   * offsets along a row of one image, which is faster where images are few. Only the order of equally near examples tells
   * which. Not for contexts with mirrored pixels, which go the other way.
   */
  readonly alongRows?: boolean;
  /** Whether locations of a row may share distances (priors/example/row_distances.ts); true where it is left out. It changes no candidate. */
  readonly sharesRows?: boolean;
  /** The examples of a location; (y, x) is its LR patch's first pixel, `pixels` are the patch's own and the context's. */
  examplesOf(at: Location, y: number, x: number, pixels: readonly ScaledPixel[]): Examples;
}

/**
 * Section "Neighbor Search Window": the examples of a location lie at offsets below the window's size in both axes. Throws
 * where there is no same place: where images are not aligned, or the training images of another shape than the layer's. `name` is the prior's.
 */
export function aroundTheLocation(
  layer: LayerData,
  name: string,
): Pick<ExampleChoice, "mostRows" | "mostColumns" | "examplesOf"> {
  const { lr, hr, patch, window, aligned = true } = layer, side = patch / 2;
  if (!aligned) {
    throw new Error(`prior "${name}" compares the same places: expected aligned images, got exemplars of a texture`);
  }
  if (!sameShape(layer, hr)) {
    const wanted = `training images of ${shapeText(layer)} as the layer's`;
    throw new Error(`prior "${name}" compares the same places: expected ${wanted}, got ${shapeText(hr)}`);
  }
  const examplesOf: ExampleChoice["examplesOf"] = (at, y, x, pixels) => {
    // A neighbouring position counts where its LR and HR patches lie inside the image.
    const line = (low: number, lows: number, high: number, highs: number) => {
      const offsets: number[] = [];
      for (let d = -Math.max(window - 1, 0); d < Math.max(window, 1); d++) {
        const inLow = low + d >= 0 && low + d <= lows - side;
        if (inLow && high + 2 * d >= 0 && high + 2 * d <= highs - patch) offsets.push(d);
      }
      return offsets;
    };
    const dys = line(y, lr.height, at.y, hr.height), dxs = line(x, lr.width, at.x, hr.width);
    const top = y + dys[0], left = x + dxs[0], bottom = y + dys[dys.length - 1], right = x + dxs[dxs.length - 1];
    return {
      dys,
      dxs,
      // A context pixel counts where it lies inside the image for every one of them, so that their distances compare.
      get pixels() {
        return pixels.filter((pixel) => isInside(pixel, top, left, lr) && isInside(pixel, bottom, right, lr));
      },
    };
  };
  return { mostRows: 2 * window + 1, mostColumns: 2 * window + 1, examplesOf };
}

/**
 * The extreme case of section "Neighbor Search Window": the examples of a location lie at all places where they and that part of
 * the context which lies inside the location's image lie inside the training images. Throws where there are none. `name` is the
 * prior's.
 */
export function everywhere(
  { height, width, hr, lr, patch }: LayerData,
  name: string,
): Pick<ExampleChoice, "mostRows" | "mostColumns" | "examplesOf"> {
  const low = halfOf({ height, width });
  const examplesOf: ExampleChoice["examplesOf"] = (at, y, x, pixels) => {
    const used = pixels.filter((pixel) => isInside(pixel, y, x, low));
    // What lies inside at a place is a rectangle's matter: the outermost pixels, and the HR patch's end.
    const line = (here: number, high: number, offsets: readonly number[], size: number) => {
      const first = -Math.min(...offsets) - here, last = size / 2 - 1 - Math.max(...offsets) - here;
      const lastHigh = Math.floor((size - patch - high) / 2), length = Math.min(last, lastHigh) - first + 1;
      return Array.from({ length: Math.max(length, 0) }, (_, i) => first + i);
    };
    const dxs = line(x, at.x, used.map(({ dx }) => dx), hr.width);
    const dys = line(y, at.y, used.map(({ dy }) => dy), hr.height);
    if (dys.length > 0 && dxs.length > 0) return { dys, dxs, pixels: used };
    throw new Error(
      `prior "${name}" finds no examples: training images of ${shapeText(hr)} at this layer have no room for ` +
        `a patch of ${patch} and the context that it has at (${at.x}, ${at.y})`,
    );
  };
  return { mostRows: lr.height - patch / 2 + 1, mostColumns: lr.width - patch / 2 + 1, examplesOf };
}

/** Eight places that follow each other in a row of an LR image, with the pixels that are there. */
interface Run {
  readonly lanes: (ScaledPixel | undefined)[];
  /** 0: it tells most. */
  rank: number;
}

/** The run of each pixel. */
function inRuns(pixels: readonly ScaledPixel[]): Map<ScaledPixel, Run> {
  // Mirrored columns fall where others rise, and at other offsets they move the other way.
  const along = ({ dx, mirrored }: ScaledPixel) => mirrored ? -dx : dx;
  const rows = new Map<string, ScaledPixel[]>();
  for (const pixel of pixels) {
    const { channel, dy, mirrored = false } = pixel, row = [channel, dy, mirrored].join();
    rows.set(row, [...rows.get(row) ?? [], pixel]);
  }
  const runs = [...rows.values()].flatMap((row) => {
    const found: Run[] = [];
    let first = 0;
    for (const pixel of row.toSorted((a, b) => along(a) - along(b))) {
      const lane = along(pixel) - first, last = found.at(-1)?.lanes;
      if (last && lane < RUN && last[lane] === undefined) last[lane] = pixel;
      else {
        first = along(pixel);
        found.push({ lanes: [pixel, ...new Array<undefined>(RUN - 1)], rank: 0 });
      }
    }
    return found;
  });
  const tells = ({ lanes }: Run) => lanes.reduce((sum, pixel) => sum + (pixel?.scale ?? 0) ** 2, 0);
  runs.sort((a, b) => tells(b) - tells(a)).forEach((run, rank) => run.rank = rank);
  return new Map(runs.flatMap((run) => run.lanes.flatMap((pixel) => pixel ? [[pixel, run] as const] : [])));
}

/** A name for a location's examples: two locations with the same name have the same, and the same queries. */
function nameOf({ y, x }: Location, { dys, dxs }: Examples): string {
  return `${y >> 1} ${x >> 1} ${dys[0]} ${dys.length} ${dxs[0]} ${dxs.length}`;
}

/** The candidates of every image of a batch at one location, in kernel memory until the next search. */
export interface Found extends CandidateLists {
  /** Where an example lies: its training image, and its offset from the location in LR pixels. */
  place(segment: number, example: number): { image: number; dy: number; dx: number };
}

/** Finds the candidates that a patch is drawn from, and how likely each is: equation (posterior example based). */
export interface ExampleSearch {
  posterior(at: Location, now: Measurements, step: Step): Found;
}

/** Prepares the search of a layer. Throws where the context has more pixels than the kernel can sum. */
export function exampleSearch(
  layer: LayerData,
  { name, neighbours, mostRows, mostColumns, alongRows = false, sharesRows = true, examplesOf }: ExampleChoice,
): ExampleSearch {
  const { kernels, hr, lr, patch, channels, batch, locations } = layer, low = halfOf(layer);
  const inLow = lengthOf({ ...low, channels });
  const { scales, unit } = quantize(layer, name);
  // A location that a prior has no examples for is refused here, before anything is drawn.
  const visits = new Map<string, number>();
  let mostSegments = 0;
  for (const at of locations) {
    const examples = examplesOf(at, at.y >> 1, at.x >> 1, scales), name = nameOf(at, examples);
    visits.set(name, (visits.get(name) ?? 0) + at.visits);
    mostSegments = Math.max(mostSegments, examples.dys.length * examples.dxs.length);
  }
  const rows = sharesRows && !alongRows && mostSegments === 1 ? rowDistances(layer, scales) : undefined;
  const runOf = inRuns(scales.length < MANY ? [] : scales), mostPlanes = scales.length + 1;
  const mostRuns = new Set(runOf.values()).size,
    mostValues = mostPlanes + RUN * mostRuns,
    length = batch * neighbours * 8;
  const most = alongRows ? hr.count * mostRows : mostRows * mostColumns;
  const table = kernels.allocate(most * (mostPlanes + mostRuns) * 4), corners = kernels.allocate(most * 4);
  const pixels = kernels.allocate(mostValues * 4), scale = kernels.allocate(mostValues * 2);
  const queries = kernels.allocate(batch * mostValues * 2);
  const scratch = kernels.allocate(searchScratch(mostPlanes, batch, neighbours));
  const weights = kernels.allocate(length);
  // The LR images do not change within a layer, so a list is kept where it is asked for again: at the next visit, or at one of
  // the other locations over the same LR patch, of which there are up to four.
  const again = [...visits.keys()].filter((name) => visits.get(name)! > 1).slice(0, Math.floor(MOST_KEPT / length));
  const lists = new Map(again.map((name) => [name, kernels.allocate(length)])), once = kernels.allocate(length);
  const kept = new Map<string, number>();
  let keptFor: object | undefined;
  const inLows = lengthOf(lr);
  let written = "";
  // What was found last, mostly at the neighbouring location: hints for the next search.
  let latest: { keys: number; found: number; batch: number } | undefined;

  /** Writes the planes to compare, unless the list is there already, and the HR corners of a location's examples. */
  const lookUp = (at: Location) => {
    const y = at.y >> 1, x = at.x >> 1, examples = examplesOf(at, y, x, scales), { dys, dxs } = examples;
    const name = nameOf(at, examples), missing = !kept.has(name), gap = missing ? rows?.gapAt(x) : undefined;
    const used = !missing ? [] : gap ? examplesOf(at, y, x, gap.pixels).pixels : examples.pixels;
    const planes = used.length + used.length % 2, last = used[used.length - 1], many = gap || used.length >= MANY;
    const runs = many ? [...new Set(used.map((pixel) => runOf.get(pixel)!))].sort((a, b) => a.rank - b.rank) : [];
    if (missing) {
      // What the kernel compares: the planes, whose number is even, and the places of the runs; only pixels that count have a scale.
      const compared = [...used, ...used.length < planes ? [undefined] : [], ...runs.flatMap(({ lanes }) => lanes)];
      const counts = new Set<ScaledPixel | undefined>(used);
      const numbers = kernels.u32(pixels, compared.length), factors = kernels.i16(scale, compared.length);
      compared.forEach((pixel, i) => {
        const here = pixel && counts.has(pixel);
        numbers[i] = numberOf(here ? pixel : last, y, x, low);
        factors[i] = here ? pixel.scale : 0;
      });
    }
    const places = planes + runs.length,
      write = (segment: number, planesAt: number, apart: number, at: number, dy: number, dx: number) => {
        const addresses = kernels.u32(table + segment * places * 4, places);
        const there = (pixel: ScaledPixel) => numberOf(pixel, y + dy, x + dx, lr);
        for (let p = 0; p < planes; p++) addresses[p] = planesAt + there(used[p] ?? last) * apart;
        runs.forEach(({ lanes: [pixel] }, r) => addresses[planes + r] = at + there(pixel!));
      };
    const corner = (dy: number, dx: number) => (at.y + 2 * dy) * hr.width + at.x + 2 * dx;
    const known = (now: Measurements) => rows && gap ? rows.known(y, gap, now) : 0;
    const shape = { name, planes, runs: runs.length, known };
    if (!alongRows) {
      const offsets = dys.flatMap((dy) => dxs.map((dx) => ({ dy, dx })));
      const first = kernels.u32(corners, offsets.length);
      offsets.forEach(({ dy, dx }, segment) => {
        if (missing) write(segment, lr.at, lr.stride, lr.rows, dy, dx);
        first[segment] = corner(dy, dx);
      });
      const place = (segment: number, example: number) => ({ image: example, ...offsets[segment] });
      return { ...shape, segments: offsets.length, count: hr.count, lowStride: inLows, stride: lengthOf(hr), place };
    }
    const segments = hr.count * dys.length, first = kernels.u32(corners, segments);
    const place = (segment: number, example: number) => {
      return { image: Math.floor(segment / dys.length), dy: dys[segment % dys.length], dx: dxs[example] };
    };
    // Locations with the same part of the context inside have the same examples: what was written for the last will do.
    const same = [y + dys[0], x + dxs[0], dys.length, dxs.length, used.length, corner(dys[0], dxs[0])].join();
    for (let segment = 0; segment < segments; segment++) {
      const { image, dy, dx } = place(segment, 0), from = lr.rows + image * inLows;
      if (missing && same !== written) write(segment, from, 1, from, dy, dx);
      first[segment] = image * lengthOf(hr) + corner(dy, dx);
    }
    if (missing) written = same;
    return { ...shape, segments, count: dxs.length, lowStride: 1, stride: 2, place };
  };

  /** The nearest LR examples of each image: where their keys are and how many. */
  const find = (now: Measurements, examples: ReturnType<typeof lookUp>) => {
    const { name, planes, runs, lowStride, count, segments } = examples;
    const keys = lists.get(name) ?? once, before = kept.get(name);
    if (before !== undefined) return { keys, found: before };
    const values = planes + RUN * runs, inList = neighbours * 8;
    kernels.toQueries(now.lr.byteOffset, inLow, now.batch, pixels, scale, values, queries);
    // Images that are alike here may differ in what is known.
    const known = examples.known(now), all = Array.from({ length: now.batch }, (_, b) => b);
    const own = known ? all : distinct(kernels.i16(queries, now.batch * values), now.batch, values);
    const different = 1 + (own.at(-1) ?? -1);
    const shape = { planes, runs, stride: lowStride, count, segments, batch: different };
    const enough = latest && latest.batch >= different && latest.found >= Math.min(neighbours, segments * count);
    const comparison = { table, scale, queries, ...shape, known, scratch };
    const found = kernels.search(comparison, neighbours, latest && enough ? latest.keys : 0, keys);
    const lines = kernels.u8(keys, now.batch * inList);
    for (let b = now.batch - 1; own[b] < b; b--) lines.copyWithin(b * inList, own[b] * inList, (own[b] + 1) * inList);
    if (keys !== once) kept.set(name, found);
    latest = { keys, found, batch: now.batch };
    return { keys, found };
  };

  const shape = { channels, plane: hr.height * hr.width, width: hr.width, corners, patch };

  /** Writes log T of each image's candidates to `weights`. */
  const posterior = (at: Location, now: Measurements, { rho, h }: Step): Found => {
    if (now.lrKey !== keptFor) kept.clear();
    keptFor = now.lrKey;
    const examples = lookUp(at), { count, stride, place } = examples, { keys, found } = find(now, examples);
    const lists = {
      weights,
      capacity: neighbours,
      found,
      batch: now.batch,
      keys,
      rows: hr.at,
      count,
      stride,
      ...shape,
    };
    const perLow = 1 / (h * unit * unit * 255 * 255), perHigh = rho / (2 * 255 * 255);
    kernels.logPosterior(lists, now.patches.byteOffset, perLow, perHigh);
    return { ...lists, place };
  };
  return { posterior };
}

/**
 * Moves queries that differ from the one before to the front of `rows`, `batch` x `length`; returns which of them is each
 * image's own. Samples of one seed image follow each other and ask the same in the coarsest layer.
 */
function distinct(rows: Int16Array, batch: number, length: number): number[] {
  const own: number[] = [];
  for (let b = 0, next = 0; b < batch; b++) {
    const row = rows.subarray(b * length, (b + 1) * length), before = rows.subarray((next - 1) * length, next * length);
    if (b === 0 || row.some((value, i) => value !== before[i])) {
      rows.copyWithin(next++ * length, b * length, (b + 1) * length);
    }
    own.push(next - 1);
  }
  return own;
}

/** Fits a prior that draws one of its examples. Throws where the context has more pixels than the kernel can sum. */
export function examplePrior(layer: LayerData, choice: ExampleChoice): FittedPrior {
  const { kernels, batch } = layer, { neighbours } = choice;
  const { posterior } = exampleSearch(layer, choice);
  const uniform = kernels.allocate(batch * 8),
    drawn = kernels.allocate(batch * 4),
    places = kernels.allocate(batch * 8);
  return {
    draw(at, now, step, random, out) {
      const found = posterior(at, now, step);
      if (step.zStep === "mean") {
        // Of many examples, so a copy of none.
        kernels.meanPatches(found, out.patches.byteOffset);
        out.sources.fill(-1);
        return;
      }
      if (step.zStep === "map") kernels.likeliest(found, drawn);
      else {
        random.uniforms(kernels.f64(uniform, now.batch));
        kernels.categorical(found, uniform, drawn);
      }
      kernels.takePatches(found, drawn, out.patches.byteOffset, places);
      const from = kernels.i32(places, now.batch * 2);
      for (let b = 0; b < now.batch; b++) {
        const { image, dy, dx } = found.place(from[2 * b + 1], from[2 * b]);
        out.sources[3 * b] = image;
        out.sources[3 * b + 1] = at.y + 2 * dy;
        out.sources[3 * b + 2] = at.x + 2 * dx;
      }
    },
    candidates(at, now, step, image) {
      const { keys, found, weights, count, place } = posterior(at, now, step), sources = new Int32Array(found * 3);
      const words = kernels.u32(keys + image * neighbours * 8, found * 2);
      for (let c = 0; c < found; c++) {
        const index = words[2 * c], { image, dy, dx } = place(Math.floor(index / count), index % count);
        sources.set([image, at.y + 2 * dy, at.x + 2 * dx], 3 * c);
      }
      return { sources, logT: kernels.f64(weights + image * neighbours * 8, found).slice() };
    },
  };
}
