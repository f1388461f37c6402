/**
 * The local nearest-neighbour prior (section "Local Nearest-Neighbor Patch Prior"): at each location the LR patch, with its
 * context, finds the nearest LR examples of the same place; one of their HR patches is drawn with the posterior of
 * equation (posterior example based). No dictionary is built: examples are read from the planes.
 */
import { definePlugin } from "../core/plugin.ts";
import type { FittedPrior, LayerData, Location, Measurements, Step } from "../core/types.ts";

/** Scaled bytes have 6 fractional bits at the most: 64 * 255 fits the 16 bit integers of the kernel with a sign to spare. */
const MOST_SCALE = 64;
/** The kernel's distances stay below this. */
const MOST_DISTANCE = 2 ** 31 - 1;

/** The prior of the paper. */
export const localNn = definePlugin({
  api: 1,
  kind: "prior",
  name: "local-nn",
  about: "one of the nearest LR-HR example pairs of the same place, drawn by its posterior weight (the paper's prior)",
  options: {
    neighbours: {
      default: 100,
      min: 1,
      max: 65535,
      integer: true,
      about: "nearest LR examples to draw from; more: more variety, fewer: closer to the seed and safer",
    },
  },
  create: ({ neighbours }) => ({ fit: (layer) => fit(layer, neighbours) }),
});

function fit(layer: LayerData, neighbours: number): FittedPrior {
  const { kernels, hr, lr, patch, window, size, batch, locations } = layer, side = patch / 2;
  const { scales, unit } = quantize(layer, side);
  const most = (2 * window + 1) ** 2, mostPlanes = scales.length + 1, length = batch * neighbours * 8;
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

  /** Writes the planes to compare and the HR corners for the location and its window; returns their numbers. */
  const lookUp = (at: Location) => {
    const half = size / 2, y = at.y >> 1, x = at.x >> 1;
    // A neighbouring position counts where its LR and HR patches lie inside the image.
    const offsets: { dy: number; dx: number }[] = [];
    for (let dy = -Math.max(window - 1, 0); dy < Math.max(window, 1); dy++) {
      for (let dx = -Math.max(window - 1, 0); dx < Math.max(window, 1); dx++) {
        const inside = (low: number, high: number) =>
          low >= 0 && low <= half - side && high >= 0 && high <= size - patch;
        if (inside(y + dy, at.y + 2 * dy) && inside(x + dx, at.x + 2 * dx)) offsets.push({ dy, dx });
      }
    }
    // A context pixel counts where it lies inside the image for every one of them, so that their distances compare.
    const used = scales.filter((pixel) =>
      offsets.every(({ dy, dx }) => {
        const row = y + dy + pixel.dy, column = x + dx + pixel.dx;
        return row >= 0 && row < half && column >= 0 && column < half;
      })
    );
    const planes = used.length + used.length % 2;
    const addresses = kernels.u32(table, offsets.length * planes), numbers = kernels.u32(pixels, planes);
    const factors = kernels.i16(scale, planes), first = kernels.u32(corners, offsets.length);
    for (let p = 0; p < planes; p++) {
      const pixel = used[Math.min(p, used.length - 1)];
      numbers[p] = (y + pixel.dy) * half + x + pixel.dx;
      factors[p] = p < used.length ? pixel.scale : 0;
      offsets.forEach(({ dy, dx }, segment) => {
        addresses[segment * planes + p] = lr.at + (numbers[p] + dy * half + dx) * lr.stride;
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
    kernels.toQueries(now.lr.byteOffset, (size / 2) ** 2, now.batch, pixels, scale, planes, queries);
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

/** A pixel that counts in the LR distance, with its integer scale. */
interface ScaledPixel {
  readonly dx: number;
  readonly dy: number;
  readonly scale: number;
}

/**
 * The pixels of the LR patch and its context with integer scales proportional to the square roots of their weights, as
 * fine as the kernel's 32 bits allow. `unit` is the scale of weight 1, so distance / (unit * 255)^2 is in [0, 1] units.
 */
function quantize(layer: LayerData, side: number): { scales: ScaledPixel[]; unit: number } {
  const own = Array.from({ length: side * side }, (_, i) => ({ dx: i % side, dy: Math.floor(i / side), weight: 1 }));
  const weighted = [...own, ...layer.context];
  for (let unit = MOST_SCALE; unit >= 1; unit--) {
    const scales = weighted.map(({ dx, dy, weight }) => ({
      dx,
      dy,
      scale: Math.max(1, Math.round(unit * Math.sqrt(weight))),
    }));
    const most = scales.reduce((sum, { scale }) => sum + scale * scale, 0) * 255 * 255;
    if (most < MOST_DISTANCE) return { scales, unit };
  }
  throw new Error(
    `prior "local-nn" cannot use a context of ${layer.context.length} pixels: at most 33000 fit its sums`,
  );
}
