/** Detail transfer: kernel and twin byte for byte, and both against the definition in float64. */
import { assertAlmostEquals, assertEquals } from "@std/assert";
import { correlationScratch, type DetailCandidates, type Kernels } from "../../core/kernels.ts";
import { assertSame, bytes, floats, put, testBoth } from "../kernels_under_test.ts";

const COUNT = 5, BATCH = 3, CAPACITY = 4, HEIGHT = 12, WIDTH = 16;
const INDICES = [0, 4, -1, 7, -1, -1, -1, -1, 9, 2, 3, 8];

/** HR images of 12 x 16 pixels and their LR images, two segments, three images of a batch. */
function candidates(kernels: Kernels, scratch: number, patch: number, channels: number, at = { y: 3, x: 4 }) {
  const half = (HEIGHT / 2) * (WIDTH / 2), pixels = channels * half, planes = 6, length = channels * patch * patch;
  const rows = bytes(1, COUNT * pixels), hr = bytes(2, COUNT * 4 * pixels), images = floats(3, BATCH * pixels);
  // The image of index 3, 8 is flat where it is compared.
  rows.fill(90, 3 * pixels, 4 * pixels);
  const numbers = Uint32Array.from([1, 9, 17, 10, 11, 11, 2, 10, 18, 11, 12, 12]), shift = 2;
  const corners = [at.y, at.x, at.y, at.x + shift], measurements = floats(4, BATCH * length, -0.2, 1.2);
  const weights = Int16Array.from([64, 64, 20, 1, 33, 0]);
  const given: DetailCandidates = {
    lr: 0,
    stride: 0,
    rows: put(kernels, rows),
    pixels,
    numbers: put(kernels, numbers),
    pixelWeights: put(kernels, new Uint8Array(weights.buffer)),
    planes,
    count: COUNT,
    segments: 2,
    batch: BATCH,
    queries: kernels.allocate(BATCH * planes * 2),
    contrasts: kernels.allocate(BATCH * 8),
    scratch,
    indices: put(kernels, Uint32Array.from(INDICES)),
    capacity: CAPACITY,
    images: put(kernels, images),
    measurements: put(kernels, measurements),
    ...at,
    corners: put(kernels, Uint32Array.from(corners)),
    hr: put(kernels, hr),
    height: HEIGHT,
    width: WIDTH,
    channels,
    patch,
    weights: kernels.allocate(BATCH * CAPACITY * 8),
    patches: kernels.allocate(BATCH * CAPACITY * length * 4),
  };
  kernels.toDeviations(given, given.images, 0);
  return { given, length, values: { rows, hr, images, numbers, weights, measurements, corners } };
}

/** The sum of the values for 0 to `count` - 1. */
function sumTo(count: number, value: (i: number) => number): number {
  return Array.from({ length: count }, (_, i) => value(i)).reduce((sum, one) => sum + one, 0);
}

/** Places where the interpolation reaches over the last row and column. */
const PLACES = [[2, 1, 5, 6], [4, 3, 0, 0], [4, 1, 8, 9], [6, 3, 5, 7], [8, 1, 4, 6]];

Deno.test("transferDetail: the same bytes from kernel and twin", () => {
  for (const [patch, channels, y, x] of PLACES) {
    for (const [gain, lrShare] of [[0, 0], [1.3, 0], [4, 0.3], [1.3, 1]]) {
      assertSame((kernels, scratch) => {
        const { given } = candidates(kernels, scratch, patch, channels, { y, x });
        kernels.transferDetail(given, gain, lrShare, 1e-4, 0.7);
      });
    }
  }
});

testBoth("transferDetail: candidates and log T by the definition in float64", (kernels, scratch) => {
  for (const [number, [patch, channels, y, x]] of PLACES.entries()) {
    const height = kernels.mark(), { given, length, values } = candidates(kernels, scratch, patch, channels, { y, x });
    const gain = 1.3, lrShare = [0, 0.3, 0.6, 1, 0.3][number], { pixels, planes } = given, half = WIDTH / 2;
    kernels.transferDetail(given, gain, lrShare, 1e-4, 0.7);
    const total = values.weights.reduce((sum, weight) => sum + weight, 0);
    const deviations = (level: (p: number) => number) => {
      const mean = values.weights.reduce((sum, w, p) => sum + w * level(p), 0) / total;
      const variance = values.weights.reduce((sum, w, p) => sum + w * (level(p) - mean) ** 2, 0) / total;
      return { spread: Math.sqrt(variance) + 5.1, of: (p: number) => level(p) - mean };
    };
    /** U of an LR image at an HR pixel: bilinear, with the border repeated. */
    const up = (image: (at: number) => number, channel: number, row: number, column: number) => {
      const at = (v: number, u: number) =>
        image(channel * pixels / channels + Math.min(v, HEIGHT / 2 - 1) * half + Math.min(u, half - 1));
      const v = row >> 1, u = column >> 1, [dv, du] = [row % 2, column % 2];
      return (at(v, u) + at(v, u + du) + at(v + dv, u) + at(v + dv, u + du)) / 4;
    };
    INDICES.forEach((index, slot) => {
      const [log] = kernels.f64(given.weights + slot * 8, 1), b = Math.floor(slot / CAPACITY);
      if (index < 0) return assertEquals(log, -Infinity);
      const segment = Math.floor(index / COUNT), example = index % COUNT;
      const low = (at: number) => values.images[b * pixels + at],
        own = (at: number) => values.rows[example * pixels + at];
      const query = deviations((p) => 255 * low(values.numbers[p]));
      const other = deviations((p) => own(values.numbers[segment * planes + p]));
      const d = values.weights.reduce((sum, w, p) => {
        return sum + w * (query.of(p) - query.spread * other.of(p) / other.spread) ** 2;
      }, 0);
      const ratio = Math.min(Math.max(query.spread / other.spread, 0.5), 2);
      const [top, left] = values.corners.slice(2 * segment),
        patchOf = kernels.f32(given.patches + slot * length * 4, length);
      /** U Y and U y_j at a value of the patch, and their means over its channel. */
      const interpolated = (p: number) => {
        const channel = Math.floor(p / patch ** 2), row = Math.floor(p / patch) % patch, column = p % patch;
        return [up(low, channel, y + row, x + column), up(own, channel, top + row, left + column) / 255];
      };
      const meansOf = (channel: number) => {
        return [0, 1].map((of) => {
          return sumTo(patch ** 2, (p) => interpolated(channel * patch ** 2 + p)[of]) / patch ** 2;
        });
      };
      let high = 0;
      patchOf.forEach((value, p) => {
        const channel = Math.floor(p / patch ** 2), row = Math.floor(p / patch) % patch, column = p % patch;
        const byte = values.hr[((example * channels + channel) * HEIGHT + top + row) * WIDTH + left + column];
        const [base, other] = interpolated(p), [mean, otherMean] = meansOf(channel);
        const shared = ratio * (other - otherMean) - (base - mean);
        const wanted = base + gain * ratio * (byte / 255 - other) + lrShare * shared;
        assertAlmostEquals(value, Math.min(Math.max(wanted, 0), 1), 1e-5);
        high += (value - values.measurements[b * length + p]) ** 2;
      });
      assertAlmostEquals(log / -(d * 1e-4 + high * 0.7), 1, 5e-3);
    });
    kernels.release(height);
  }
  assertEquals(correlationScratch(6, 1, 1, 1000), 4000);
});
