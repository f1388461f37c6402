/** Fits a prior to one layer, 8 -> 16, of small images, and draws from it as `synthesize` does. */
import type { Kernels } from "../kernels.ts";
import type { Values } from "../plugin.ts";
import { requireFunction } from "../plugin_error.ts";
import { pyramidSizes, seedImages, trainingPyramid } from "../pyramid.ts";
import { philox, seedKey, stream, toUniform } from "../random.ts";
import { optionValues } from "../options.ts";
import type {
  Candidates,
  ContextPixel,
  DrawOutput,
  FittedPrior,
  Images,
  LayerData,
  Location,
  Measurements,
  PatchSources,
  Prior,
  RandomNumbers,
  ZStep,
} from "../types.ts";
import type { PluginOf } from "./check.ts";
import { blobs, changed, remember, SIDE, type Untouched } from "./small_images.ts";
import { lengthOf } from "../shape.ts";
import { finish } from "../steps.ts";

/** n: side of an HR patch. */
export const PATCH = 4;
/** Pixels of an HR patch, in each channel. */
export const AREA = PATCH * PATCH;
const GUARD = 64;
const TRAINING = blobs(24);
/** What LR images are made of: blobs that are not the training's. */
const SEED_BLOBS = blobs(32, 2);

/** A ring of one pixel around the LR patch. */
const RING: readonly ContextPixel[] = Array.from({ length: 16 }, (_, i) => ({ dy: (i >> 2) - 1, dx: i % 4 - 1 }))
  .filter(({ dy, dx }) => dy < 0 || dy >= PATCH / 2 || dx < 0 || dx >= PATCH / 2)
  .map((place) => ({ ...place, weight: 0.5 }));

/** Locations at the corners, the edges and in the middle, at even and odd pixels; all but one are visited twice. */
export const LOCATIONS: readonly Location[] = [[0, 0], [0, 12], [12, 5], [5, 6], [6, 3], [12, 12], [9, 0], [3, 7]]
  .map(([y, x], i) => ({ y, x, visits: i === 0 ? 1 : 2 }));

/** What a prior is fitted to. By default: 24 blobs, window 2, a ring as context, a batch of 5. */
export interface PriorFixtureOptions {
  /** The training images; they have the shape of the synthesized ones, and sides of at least `SIDE`. */
  readonly training?: Images;
  readonly window?: number;
  readonly context?: readonly ContextPixel[];
  readonly batch?: number;
}

/** The parameters of a draw. */
export interface DrawRequest {
  /** The numbers of the images of the batch. LR image, measurements and random numbers depend on this number alone. */
  readonly images: readonly number[];
  readonly at: Location;
  readonly iteration?: number;
  /** "sample" by default. */
  readonly zStep?: ZStep;
  readonly seed?: number;
  readonly rho?: number;
  readonly h?: number;
  /** Whether to return the candidates, too. */
  readonly look?: boolean;
}

/** The outcome of a draw, and what it changed against the rules. */
export interface DrawOutcome {
  readonly patches: Float32Array;
  readonly sources: Int32Array;
  /** R_i X + u_i, as the prior got it. */
  readonly measured: Float32Array;
  /** What each image was drawn from, if requested and if the prior can list it. */
  readonly candidates: readonly Candidates[];
  /** What it changed besides `out`, if anything. */
  readonly wrote?: string;
  /** The call by which it allocated memory, if any. */
  readonly grew?: string;
}

/** A fitted prior and its layer. */
export interface PriorFixture {
  readonly layer: LayerData;
  readonly fitted: FittedPrior;
  /** The input that `fit` changed, if any. */
  readonly wrote?: string;
  draw(request: DrawRequest): DrawOutcome;
  /** The images' patches and sources, one text for each image. */
  drawTexts(request: DrawRequest): string[];
}

/** Numbers of the images of a batch, in no order. */
export const BATCH = [3, 8, 1, 14, 6];

/** The location of a draw, for an error. */
export function where({ at: { x, y } }: DrawRequest): string {
  return `at (${x}, ${y})`;
}

/** The draws of most checks: every location in two iterations. */
export function drawRequests(images: readonly number[], more: Partial<DrawRequest> = {}): DrawRequest[] {
  return [0, 1].flatMap((iteration) => {
    return LOCATIONS.filter(({ visits }) => visits > iteration).map((at) => ({ images, at, iteration, ...more }));
  });
}

/** Creates the plugin's prior with these values, or its defaults. */
export function createPrior(plugin: PluginOf<"prior">, values: Values = optionValues(plugin, {})): Prior {
  return plugin.create(values);
}

/** What a draw is given, and what it must leave as it is. */
interface PreparedDraw {
  readonly measurements: Measurements;
  readonly out: DrawOutput;
  readonly untouched: readonly Untouched[];
}

/** Fits a plugin's prior. The caller releases the kernel memory. */
export function priorFixture(
  plugin: PluginOf<"prior">,
  kernels: Kernels,
  setting: PriorFixtureOptions = {},
  prior: Prior = createPrior(plugin),
): PriorFixture {
  const calls: string[] = [];
  const layer = fixtureLayer(kernels, watched(kernels, calls), setting);
  const area = layer.channels * AREA;
  const prepare = drawPreparation(kernels, layer);
  const before = examplesOf(kernels, layer);
  const fitted = finish(prior.fit(layer));
  requireFunction({ ...plugin, from: undefined }, "fit", fitted, "draw");
  const wrote = changed(kernels, before);
  let examples = examplesOf(kernels, layer);

  const draw = (request: DrawRequest): DrawOutcome => {
    const { images, at, iteration = 0, rho = 0.1, h = 1, zStep = "sample" } = request;
    const height = kernels.mark();
    const { measurements, out, untouched } = prepare(request);
    const measured = measurements.patches.slice();
    const top = kernels.mark();
    const bytes = kernels.memory.buffer.byteLength;
    calls.length = 0;
    const step = { rho, h, iteration, zStep };
    const { byteOffset: patchesAt, length: values } = out.patches;
    const { byteOffset: sourcesAt } = out.sources;
    fitted.draw(at, measurements, step, randomNumbers(request), out);
    const told = request.look ? images.map((_, b) => fitted.candidates?.(at, measurements, step, b)) : [];
    if (kernels.memory.buffer.byteLength !== bytes) calls.push("a larger memory");
    if (kernels.mark() !== top) calls.push(`${kernels.mark() - top} bytes more in use`);
    const drew = {
      patches: kernels.f32(patchesAt, values).slice(),
      sources: kernels.i32(sourcesAt, images.length * 3).slice(),
      measured,
      candidates: told.filter((one) => one !== undefined),
      wrote: changed(kernels, [...examples, ...untouched]),
      grew: calls[0],
    };
    if (drew.wrote !== undefined) examples = examplesOf(kernels, layer); // so that the next draw is checked alone
    kernels.release(height);
    return drew;
  };
  return {
    layer,
    fitted,
    wrote,
    draw,
    drawTexts: (request) => {
      const { patches, sources } = draw(request);
      return request.images.map((_, b) => {
        return [...patches.subarray(b * area, (b + 1) * area), "of", ...sources.subarray(3 * b, 3 * b + 3)].join(" ");
      });
    },
  };
}

/** Kernels that note the calls by which they take memory. */
function watched(kernels: Kernels, calls: string[]): Kernels {
  return {
    ...kernels,
    allocate: (bytes) => (calls.push(`a call of allocate(${bytes})`), kernels.allocate(bytes)),
    reserve: (end) => (calls.push(`a call of reserve(${end})`), kernels.reserve(end)),
  };
}

/** The layer that a prior is fitted to, whose kernels are those that the prior gets. */
function fixtureLayer(kernels: Kernels, given: Kernels, setting: PriorFixtureOptions): LayerData {
  const { training = TRAINING, window = 2, context = RING, batch = 5 } = setting;
  const { height, width, channels = 1 } = training;
  const { hr: [hr], lr: [lr] } = finish(trainingPyramid(kernels, training, pyramidSizes({ height, width }, 1)));
  const size = { height, width, channels };
  return { layer: 0, ...size, patch: PATCH, window, context, locations: LOCATIONS, batch, hr, lr, kernels: given };
}

/** Remembers the training images of a layer. */
function examplesOf(kernels: Kernels, { hr, lr }: LayerData): Untouched[] {
  return [
    remember(kernels, "the training rows", hr.at, hr.count * lengthOf(hr)),
    remember(kernels, "the training planes", lr.at, lr.stride * lengthOf(lr)),
    remember(kernels, "the rows of the training planes", lr.rows, lr.count * lengthOf(lr)),
  ];
}

/** Returns a function that puts into kernel memory what a draw is given. */
function drawPreparation(kernels: Kernels, layer: LayerData): (request: DrawRequest) => PreparedDraw {
  const { height, width, channels, lr: { height: lrHeight, width: lrWidth } } = layer;
  const area = channels * AREA;
  const low = lengthOf({ height: lrHeight, width: lrWidth, channels });
  const isUsual = height === SIDE && width === SIDE && channels === 1;
  const seeds = isUsual ? SEED_BLOBS : blobs(SEED_BLOBS.count, 2, { height, width, channels });
  const lrImages = new Map<number, Float32Array>();
  const lrImageOf = (image: number) => {
    const lrImage = lrImages.get(image) ?? seedImages(kernels, seeds, pyramidSizes({ height, width }, 1), [image]);
    lrImages.set(image, lrImage);
    return lrImage;
  };
  let lastImages = "";
  let lrKey = {};
  return ({ images, at, iteration = 0 }) => {
    const batch = images.length;
    // Addresses first, views last: memory may grow in between. A guard lies behind what is to be filled.
    const lrAt = kernels.allocate(batch * low * 4);
    const measuredAt = kernels.allocate(batch * area * 4);
    const patchesAt = kernels.allocate(batch * area * 4 + GUARD);
    const sourcesAt = kernels.allocate(batch * 12 + GUARD);
    images.map(lrImageOf).forEach((lr, b) => kernels.f32(lrAt + b * low * 4, low).set(lr));
    const patches = kernels.f32(measuredAt, batch * area);
    patches.set(measuredOf(seeds, images, at, iteration));
    const out = { patches: kernels.f32(patchesAt, batch * area), sources: kernels.i32(sourcesAt, batch * 3) };
    out.patches.fill(NaN);
    out.sources.fill(-1);
    // As in the engine, the key lives as long as the images.
    if (lastImages !== String(images)) lrKey = {};
    lastImages = String(images);
    const lr = kernels.f32(lrAt, batch * low);
    return {
      measurements: { batch, patches, lr, lrKey, ...sourcesOf(images, iteration, layer) },
      out,
      untouched: [
        remember(kernels, "measurements.lr", lrAt, batch * low * 4),
        remember(kernels, "measurements.patches", measuredAt, batch * area * 4),
        remember(kernels, "the memory behind out.patches", patchesAt + batch * area * 4, GUARD),
        remember(kernels, "the memory behind out.sources", sourcesAt + batch * 12, GUARD),
      ],
    };
  };
}

/** R_i X + u_i of each image: its own patch under noise, so that values outside [0, 1] occur, too. */
function measuredOf(
  { height, width, channels = 1, pixels }: Images,
  images: readonly number[],
  { y, x }: Location,
  iteration: number,
): Float32Array {
  return Float32Array.from(images.flatMap((image) => {
    const random = stream(3, image, y * SIDE + x, iteration);
    return Array.from({ length: channels * AREA }, (_, p) => {
      const channel = Math.floor(p / AREA);
      const row = y + Math.floor(p % AREA / PATCH);
      const column = x + p % PATCH;
      const pixel = ((image * channels + channel) * height + row) * width + column;
      return pixels[pixel] / 255 + 0.4 * (random.next() - 0.5);
    });
  }));
}

/** Where earlier patches came from, made up from the image's number and the place: it differs from image to image, not from batch to batch. */
function sourcesOf(images: readonly number[], iteration: number, { hr, locations }: LayerData) {
  const madeUp = (salt: number): PatchSources => ({
    total: locations.length,
    sourceAt: (image, y, x) => (7 * images[image] + 5 * (y >> 2) + 3 * (x >> 2) + salt) % hr.count,
    count: (image, source) => (images[image] + source + salt) % 3,
  });
  return {
    sources: madeUp(1),
    previousSources: iteration > 0 ? madeUp(iteration + 1) : undefined,
    coarserSources: madeUp(0),
  };
}

/** The random numbers of one location in one iteration, with the same key as in `synthesize`. */
function randomNumbers({ images, at, iteration = 0, seed = 1 }: DrawRequest): RandomNumbers {
  const key = seedKey(seed);
  const words = new Uint32Array(4);
  return {
    uniforms(out, draw = 0) {
      images.forEach((image, b) => {
        philox([image, iteration, at.y * 0x10000 + at.x, draw], key, words);
        out[b] = toUniform(words[0], words[1]);
      });
    },
  };
}
