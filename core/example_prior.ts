/**
 * What priors of example patches have in common (section "Local Nearest-Neighbor Patch Prior"): the LR patch of a location,
 * with its context, finds the nearest of the LR examples; one of their HR patches is drawn with the posterior of equation
 * (posterior example based). No dictionary is built: examples are read from the planes. Which places of the training
 * images are examples of a location is for each prior to say.
 */
import type { ContextPixel, FittedPrior, LayerData, Location, Measurements, Step } from "./types.ts";

/** Scaled bytes have 6 fractional bits at the most: 64 * 255 fits the 16 bit integers of the kernel with a sign to spare. */
const MOST_SCALE = 64;
/** The kernel's distances stay below this. */
const MOST_DISTANCE = 2 ** 31 - 1;

/** A pixel of the LR patch or its context. `scale` is its weight's square root in integers; distances are sums of squares. */
export interface ScaledPixel extends ContextPixel {
  readonly scale: number;
}

/** The examples of a location: in each of the training images, one at each offset. */
export interface Examples {
  /** In LR pixels from the location; in HR pixels twice that. Both patches lie inside the image; there is at least one. */
  readonly offsets: readonly { readonly dy: number; readonly dx: number }[];
  /** Those of the pixels given that count: they lie inside the image at every offset, so that distances compare. */
  readonly pixels: readonly ScaledPixel[];
}

/** How a prior of example patches differs from another. */
export interface ExampleChoice {
  /** The plugin's name, for error sentences. */
  readonly name: string;
  /** How many of the nearest examples are drawn from. */
  readonly neighbours: number;
  /** The most offsets that a location may have. */
  readonly most: number;
  /** The examples of a location; (y, x) is its LR patch's first pixel, `pixels` are the patch's own and the context's. */
  examplesOf(at: Location, y: number, x: number, pixels: readonly ScaledPixel[]): Examples;
}

/** The column of a pixel in an LR image of side `half`, of the patch whose first pixel is in column `x`. */
function columnOf({ dx, mirrored }: ContextPixel, x: number, half: number): number {
  return mirrored ? half - 1 - (x + dx) : x + dx;
}

/** Whether a pixel lies inside an LR image of side `half`, of the patch whose first pixel is (y, x). */
export function isInside(pixel: ContextPixel, y: number, x: number, half: number): boolean {
  const row = y + pixel.dy, column = columnOf(pixel, x, half);
  return row >= 0 && row < half && column >= 0 && column < half;
}

/** Fits a prior of example patches to a layer. Throws where the context has more pixels than the kernel can sum. */
export function examplePrior(layer: LayerData, { name, neighbours, most, examplesOf }: ExampleChoice): FittedPrior {
  const { kernels, hr, lr, patch, size, batch, locations } = layer, half = size / 2;
  const { scales, unit } = quantize(layer, name);
  const mostPlanes = scales.length + 1, length = batch * neighbours * 8;
  const table = kernels.allocate(most * mostPlanes * 4), corners = kernels.allocate(most * 4);
  const pixels = kernels.allocate(mostPlanes * 4), scale = kernels.allocate(mostPlanes * 2);
  const queries = kernels.allocate(batch * mostPlanes * 2);
  const scratch = kernels.allocate(4 * (2 * neighbours + 64) * 8);
  const weights = kernels.allocate(length), uniform = kernels.allocate(batch * 8);
  const drawn = kernels.allocate(batch * 4), places = kernels.allocate(batch * 8);
  // Lists of a location that is visited again are kept: the LR images do not change within a layer.
  const once = kernels.allocate(length);
  const again = new Map(
    locations.filter(({ visits }) => visits > 1).map(({ y, x }) => [y * size + x, kernels.allocate(length)]),
  );
  const kept = new Map<number, number>();
  let keptFor: object | undefined;

  /** Writes the planes to compare and the HR corners of a location's examples. */
  const lookUp = (at: Location) => {
    const y = at.y >> 1, x = at.x >> 1, { offsets, pixels: used } = examplesOf(at, y, x, scales);
    const planes = used.length + used.length % 2;
    const addresses = kernels.u32(table, offsets.length * planes), numbers = kernels.u32(pixels, planes);
    const factors = kernels.i16(scale, planes), first = kernels.u32(corners, offsets.length);
    for (let p = 0; p < planes; p++) {
      const pixel = used[Math.min(p, used.length - 1)];
      numbers[p] = (y + pixel.dy) * half + columnOf(pixel, x, half);
      factors[p] = p < used.length ? pixel.scale : 0;
      offsets.forEach(({ dy, dx }, segment) => {
        const there = (y + dy + pixel.dy) * half + columnOf(pixel, x + dx, half);
        addresses[segment * planes + p] = lr.at + there * lr.stride;
      });
    }
    offsets.forEach(({ dy, dx }, segment) => first[segment] = (at.y + 2 * dy) * size + at.x + 2 * dx);
    return { planes, offsets };
  };

  /** The nearest LR examples of each image: where their keys are and how many. */
  const find = (at: Location, now: Measurements, planes: number, segments: number) => {
    if (now.lrKey !== keptFor) kept.clear();
    keptFor = now.lrKey;
    const place = at.y * size + at.x, keys = again.get(place) ?? once;
    const before = kept.get(place);
    if (before !== undefined) return { keys, found: before };
    kernels.toQueries(now.lr.byteOffset, half ** 2, now.batch, pixels, scale, planes, queries);
    const found = kernels.search(
      table,
      scale,
      queries,
      planes,
      lr.count,
      segments,
      now.batch,
      neighbours,
      scratch,
      keys,
    );
    if (keys !== once) kept.set(place, found);
    return { keys, found };
  };

  /** Writes log T of each image's candidates to `weights`. */
  const posterior = (at: Location, now: Measurements, { rho, h }: Step) => {
    const { planes, offsets } = lookUp(at), { keys, found } = find(at, now, planes, offsets.length);
    const perLow = 1 / (h * unit * unit * 255 * 255), perHigh = rho / (2 * 255 * 255);
    kernels.logPosterior(
      keys,
      neighbours,
      found,
      now.batch,
      hr.at,
      hr.count,
      size * size,
      size,
      corners,
      now.patches.byteOffset,
      patch,
      perLow,
      perHigh,
      weights,
    );
    return { keys, found, offsets };
  };

  return {
    draw(at, now, step, random, out) {
      const { keys, found, offsets } = posterior(at, now, step);
      random.uniforms(kernels.f64(uniform, now.batch));
      kernels.categorical(weights, neighbours, found, now.batch, uniform, drawn);
      kernels.takePatches(
        keys,
        neighbours,
        drawn,
        now.batch,
        hr.at,
        hr.count,
        size * size,
        size,
        corners,
        patch,
        out.patches.byteOffset,
        places,
      );
      const from = kernels.i32(places, now.batch * 2);
      for (let b = 0; b < now.batch; b++) {
        const { dy, dx } = offsets[from[2 * b + 1]];
        out.sources[3 * b] = from[2 * b];
        out.sources[3 * b + 1] = at.y + 2 * dy;
        out.sources[3 * b + 2] = at.x + 2 * dx;
      }
    },
    candidates(at, now, step, image) {
      const { keys, found, offsets } = posterior(at, now, step), sources = new Int32Array(found * 3);
      const words = kernels.u32(keys + image * neighbours * 8, found * 2);
      for (let c = 0; c < found; c++) {
        const index = words[2 * c], { dy, dx } = offsets[Math.floor(index / hr.count)];
        sources.set([index % hr.count, at.y + 2 * dy, at.x + 2 * dx], 3 * c);
      }
      return { sources, logT: kernels.f64(weights + image * neighbours * 8, found).slice() };
    },
  };
}

/**
 * The pixels of the LR patch and its context with integer scales proportional to the square roots of their weights, as
 * fine as the kernel's 32 bits allow. `unit` is the scale of weight 1, so distance / (unit * 255)^2 is in [0, 1] units.
 */
function quantize({ patch, context }: LayerData, name: string): { scales: ScaledPixel[]; unit: number } {
  const side = patch / 2;
  const own = Array.from({ length: side * side }, (_, i) => ({ dx: i % side, dy: Math.floor(i / side), weight: 1 }));
  const weighted: readonly ContextPixel[] = [...own, ...context];
  for (let unit = MOST_SCALE; unit >= 1; unit--) {
    const scales = weighted.map((pixel) => {
      return { ...pixel, scale: Math.max(1, Math.round(unit * Math.sqrt(pixel.weight))) };
    });
    const most = scales.reduce((sum, { scale }) => sum + scale * scale, 0) * 255 * 255;
    if (most < MOST_DISTANCE) return { scales, unit };
  }
  throw new Error(`prior "${name}" cannot use a context of ${context.length} pixels: at most 33000 fit its sums`);
}
