/**
 * The twin: every kernel in plain TypeScript, over the same memory and with the same results bit for bit. It is the
 * reading copy of `assembly/`, the truth that the WebAssembly is tested against, and a way to run without it.
 */
import type { CandidateLists, KernelFunctions, WeightLists } from "./kernel_functions.ts";
import { kernelMemory, type Kernels, withMemory } from "./kernels.ts";
import { philox, toUniform } from "./random.ts";

const f = Math.fround;

/** The kernels in plain TypeScript. Slow; the same bytes. */
export function referenceKernels(memory: WebAssembly.Memory = kernelMemory()): Kernels {
  return withMemory(functions(memory), memory, { from: 16, to: 2 ** 32 });
}

const LOG2E = 1.4426950408889634, LN2_HIGH = 0.6931471803691238, LN2_LOW = 1.9082149292705877e-10;
/** 1 / n! for n = 13 down to 0. */
const EXP_SERIES = [
  1 / 6227020800,
  1 / 479001600,
  1 / 39916800,
  1 / 3628800,
  1 / 362880,
  1 / 40320,
  1 / 5040,
  1 / 720,
  1 / 120,
  1 / 24,
  1 / 6,
  0.5,
  1,
  1,
];
const bits = new DataView(new ArrayBuffer(8));

/** e^x as the kernels compute it: 0 below -708, Infinity above 709. */
export function exp(x: number): number {
  if (x < -708) return 0;
  if (x > 709) return Infinity;
  if (x !== x) return NaN;
  const k = Math.floor(x * LOG2E + 0.5), r = (x - k * LN2_HIGH) - k * LN2_LOW;
  let p = EXP_SERIES[0];
  for (let n = 1; n < EXP_SERIES.length; n++) p = p * r + EXP_SERIES[n];
  bits.setBigInt64(0, BigInt(k + 1023) << 52n);
  return p * bits.getFloat64(0);
}

/** The natural logarithm as the kernels compute it. Subnormal numbers count as 0. */
export function log(x: number): number {
  if (!(x >= 0)) return NaN;
  if (x < 2.2250738585072014e-308) return -Infinity;
  if (x === Infinity) return Infinity;
  bits.setFloat64(0, x);
  const word = bits.getBigInt64(0);
  let k = Number(word >> 52n) - 1023;
  bits.setBigInt64(0, (word & 0x000fffffffffffffn) | 0x3ff0000000000000n);
  let m = bits.getFloat64(0);
  if (m > Math.SQRT2) {
    m *= 0.5;
    k += 1;
  }
  const s = (m - 1) / (m + 1), s2 = s * s;
  let p = 1 / 23;
  for (let odd = 21; odd >= 3; odd -= 2) p = p * s2 + 1 / odd;
  return k * LN2_HIGH + (2 * s + (2 * s * s2 * p + k * LN2_LOW));
}

function functions(memory: WebAssembly.Memory): KernelFunctions {
  const u8 = (at: number, length: number) => new Uint8Array(memory.buffer, at, length);
  const i16 = (at: number, length: number) => new Int16Array(memory.buffer, at, length);
  const i32 = (at: number, length: number) => new Int32Array(memory.buffer, at, length);
  const u32 = (at: number, length: number) => new Uint32Array(memory.buffer, at, length);
  const f32 = (at: number, length: number) => new Float32Array(memory.buffer, at, length);
  const f64 = (at: number, length: number) => new Float64Array(memory.buffer, at, length);
  /** Keys are distance << 32 | index in little-endian: index first. */
  const key = (keys: number, n: number) => u32(keys + n * 8, 2);

  /** Where a candidate is, of its number segment * count + example: the address of its first pixel. */
  const placeOf = ({ rows, count, stride, corners }: CandidateLists, index: number) => {
    const segment = Math.floor(index / count), example = index - segment * count;
    return { segment, example, bytes: rows + example * stride + u32(corners, segment + 1)[segment] };
  };
  const weightsOf = ({ weights, capacity, found }: WeightLists, b: number) => f64(weights + b * capacity * 8, found);

  const SIDE = f(0.27406862), MIDDLE = f(0.45186275);
  /** The rows or columns y - 1, y, y + 1, the border repeated. H starts at even pixels, so only the first row can miss one. */
  const around = (y: number) => [Math.max(y - 1, 0), y, y + 1];

  const dot = (a: Float32Array, b: Float32Array) => {
    const sums = [0, 0, 0, 0];
    for (let i = 0; i < a.length; i++) sums[i % 4] += a[i] * b[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  };
  const axpy = (target: Float32Array, factor: number, source: Float32Array) => {
    for (let i = 0; i < target.length; i++) target[i] = f(target[i] + f(f(factor) * source[i]));
  };

  const kernels: KernelFunctions = {
    expInPlace(values, length) {
      const v = f64(values, length);
      for (let i = 0; i < length; i++) v[i] = exp(v[i]);
    },
    logInPlace(values, length) {
      const v = f64(values, length);
      for (let i = 0; i < length; i++) v[i] = log(v[i]);
    },

    uniforms(seedLow, seedHigh, images, batch, stage, location, draw, out) {
      const ids = u32(images, batch), to = f64(out, batch), words = new Uint32Array(4);
      for (let b = 0; b < batch; b++) {
        philox([ids[b], stage >>> 0, location >>> 0, draw >>> 0], [seedLow >>> 0, seedHigh >>> 0], words);
        to[b] = toUniform(words[0], words[1]);
      }
    },

    down(source, target, height, width, count) {
      const high = height >> 1, wide = width >> 1;
      for (let image = 0; image < count; image++) {
        const from = f32(source + image * height * width * 4, height * width);
        const to = f32(target + image * high * wide * 4, high * wide);
        for (let y = 0; y < high; y++) {
          const [y0, y1, y2] = around(2 * y).map((row) => row * width);
          for (let x = 0; x < wide; x++) {
            const [left, middle, right] = around(2 * x).map((column) =>
              f(f(SIDE * f(from[y0 + column] + from[y2 + column])) + f(MIDDLE * from[y1 + column]))
            );
            to[y * wide + x] = f(f(SIDE * f(left + right)) + f(MIDDLE * middle));
          }
        }
      }
    },

    downTransposed(source, target, height, width, count) {
      const high = height >> 1, wide = width >> 1;
      for (let image = 0; image < count; image++) {
        const from = f32(source + image * high * wide * 4, high * wide);
        const to = f32(target + image * height * width * 4, height * width);
        to.fill(0);
        for (let y = 0; y < high; y++) {
          for (let x = 0; x < wide; x++) {
            const value = from[y * wide + x], side = f(SIDE * value), middle = f(MIDDLE * value);
            around(2 * y).forEach((row, i) => {
              const weight = i === 1 ? MIDDLE : SIDE;
              around(2 * x).forEach((column, j) => {
                const at = row * width + column;
                to[at] = f(to[at] + f(weight * (j === 1 ? middle : side)));
              });
            });
          }
        }
      }
    },

    up(source, target, height, width, count) {
      const high = height >> 1, wide = width >> 1;
      const next = (y: number, half: number) => y % 2 === 1 && (y >> 1) + 1 < half ? (y >> 1) + 1 : y >> 1;
      for (let image = 0; image < count; image++) {
        const from = f32(source + image * high * wide * 4, high * wide);
        const to = f32(target + image * height * width * 4, height * width);
        for (let y = 0; y < height; y++) {
          const y0 = (y >> 1) * wide, y1 = next(y, high) * wide;
          for (let x = 0; x < width; x++) {
            const x0 = x >> 1, x1 = next(x, wide);
            to[y * width + x] = f(0.25 * f(f(from[y0 + x0] + from[y0 + x1]) + f(from[y1 + x0] + from[y1 + x1])));
          }
        }
      }
    },

    toUnit(source, target, length) {
      const from = u8(source, length), to = f32(target, length);
      for (let i = 0; i < length; i++) to[i] = f(from[i] / 255);
    },
    toBytes(source, target, length) {
      const from = f32(source, length), to = u8(target, length);
      for (let i = 0; i < length; i++) {
        to[i] = Math.min(Math.max(Math.floor(f(f(from[i] * 255) + f(0.5))), 0), 255);
      }
    },
    clamp(values, length) {
      const v = f32(values, length);
      for (let i = 0; i < length; i++) v[i] = Math.min(Math.max(v[i], 0), 1);
    },

    toPlanes(rows, count, pixels, planes, stride) {
      const from = u8(rows, count * pixels);
      for (let pixel = 0; pixel < pixels; pixel++) {
        const plane = u8(planes + pixel * stride, count);
        for (let i = 0; i < count; i++) plane[i] = from[i * pixels + pixel];
      }
    },

    toQueries(images, pixels, batch, at, scale, planes, out) {
      const numbers = u32(at, planes), scales = i16(scale, planes), to = i16(out, batch * planes);
      for (let b = 0; b < batch; b++) {
        const image = f32(images + b * pixels * 4, pixels);
        for (let p = 0; p < planes; p++) {
          const unit = Math.min(Math.max(image[numbers[p]], 0), 1);
          to[b * planes + p] = Math.floor(f(f(unit * (255 * scales[p])) + f(0.5)));
        }
      }
    },

    search({ table, scale, queries, planes, runs = 0, count, segments, batch, known = 0 }, k, _hints, out) {
      // Runs are the same bytes once more.
      const found = Math.min(k, segments * count), places = planes + runs, breadth = planes + 8 * runs;
      const addresses = u32(table, segments * places), scales = i16(scale, planes);
      for (let b = 0; b < batch; b++) {
        const query = i16(queries + b * breadth * 2, planes);
        const all: { distance: number; index: number }[] = [];
        for (let segment = 0; segment < segments; segment++) {
          const values = Array.from({ length: planes }, (_, p) => u8(addresses[segment * places + p], count));
          for (let j = 0; j < count; j++) {
            let distance = known === 0 ? 0 : i32(known, batch * segments * count)[(b * segments + segment) * count + j];
            for (let p = 0; p < planes; p++) distance += (scales[p] * values[p][j] - query[p]) ** 2;
            all.push({ distance, index: segment * count + j });
          }
        }
        all.sort((a, b) => a.distance - b.distance || a.index - b.index);
        for (let n = 0; n < found; n++) key(out, b * k + n).set([all[n].index, all[n].distance]);
      }
      return found;
    },

    addDistances({ table, scale, queries, planes, count, segments, batch, known = 0 }, out) {
      const addresses = u32(table, segments * planes),
        scales = i16(scale, planes),
        to = i32(out, batch * segments * count);
      for (let b = 0; b < batch; b++) {
        const query = i16(queries + b * planes * 2, planes);
        for (let i = 0; i < segments * count; i++) {
          const at = b * segments * count + i, segment = Math.floor(i / count);
          let distance = known === 0 ? 0 : i32(known, at + 1)[at];
          for (let p = 0; p < planes; p++) {
            const [byte] = u8(addresses[segment * planes + p] + i % count, 1);
            distance += (scales[p] * byte - query[p]) ** 2;
          }
          to[at] = distance;
        }
      }
    },

    leaveOut(all, from, to, length, out) {
      const [whole, end, rest] = [all, to, out].map((at) => i32(at, length));
      for (let i = 0; i < length; i++) rest[i] = whole[i] - end[i] + (from === 0 ? 0 : i32(from, length)[i]);
    },

    logPosterior(lists, measurements, perLow, perHigh) {
      const { weights, capacity, found, batch, keys, channels, plane, width, patch } = lists;
      const inPatch = channels * patch * patch, all = f64(weights, batch * capacity);
      for (let b = 0; b < batch; b++) {
        const want = f32(measurements + b * inPatch * 4, inPatch);
        for (let c = 0; c < found; c++) {
          const [index, low] = key(keys, b * capacity + c), { bytes } = placeOf(lists, index);
          let high = 0;
          for (let channel = 0; channel < channels; channel++) {
            // Lanes as in the kernel: a row is cut into runs of eight, pixels i and i + 4 of a run share a lane.
            const lanes = [f(0), f(0), f(0), f(0)];
            for (let y = 0; y < patch; y++) {
              const row = u8(bytes + channel * plane + y * width, patch), first = (channel * patch + y) * patch;
              for (let x = 0; x < patch; x += 8) {
                for (let lane = 0; lane < 4; lane++) {
                  const square = (column: number) => {
                    if (column >= patch) return 0;
                    const difference = f(f(want[first + column] * 255) - row[column]);
                    return f(difference * difference);
                  };
                  lanes[lane] = f(lanes[lane] + f(square(x + lane) + square(x + lane + 4)));
                }
              }
            }
            high += f(f(lanes[0] + lanes[1]) + f(lanes[2] + lanes[3]));
          }
          all[b * capacity + c] = -(low * perLow) - high * perHigh;
        }
      }
    },

    categorical(lists, uniform, drawn) {
      const { found, batch } = lists, uniforms = f64(uniform, batch), to = i32(drawn, batch);
      for (let b = 0; b < batch; b++) {
        const weights = weightsOf(lists, b), aim = uniforms[b] * toWeights(weights);
        let c = 0, sum = weights[0];
        while (sum <= aim && c < found - 1) sum += weights[++c];
        to[b] = c;
      }
    },

    likeliest(lists, drawn) {
      const to = i32(drawn, lists.batch);
      for (let b = 0; b < lists.batch; b++) {
        const weights = weightsOf(lists, b);
        to[b] = weights.indexOf(weights.reduce((a, w) => Math.max(a, w), -Infinity));
      }
    },

    meanPatches(lists, patches) {
      const { capacity, found, batch, keys, channels, plane, width, patch } = lists;
      const length = channels * patch * patch, to = f32(patches, batch * length).fill(0);
      for (let b = 0; b < batch; b++) {
        const weights = weightsOf(lists, b), total = toWeights(weights);
        for (let c = 0; c < found; c++) {
          const weight = f(weights[c] / (total * 255)), [index] = key(keys, b * capacity + c);
          const { bytes } = placeOf(lists, index);
          for (let p = 0; p < length; p++) {
            const channel = Math.floor(p / patch ** 2), y = Math.floor(p / patch) % patch, x = p % patch;
            const [byte] = u8(bytes + channel * plane + y * width + x, 1);
            to[b * length + p] = f(to[b * length + p] + f(weight * byte));
          }
        }
      }
      for (let p = 0; p < to.length; p++) to[p] = Math.min(to[p], 1);
    },

    takePatches(lists, drawn, patches, sources) {
      const { capacity, batch, keys, channels, plane, width, patch } = lists;
      const chosen = i32(drawn, batch), to = f32(patches, batch * channels * patch * patch);
      const places = i32(sources, batch * 2);
      for (let b = 0; b < batch; b++) {
        const [index] = key(keys, b * capacity + chosen[b]), { segment, example, bytes } = placeOf(lists, index);
        for (let channel = 0; channel < channels; channel++) {
          for (let y = 0; y < patch; y++) {
            const row = u8(bytes + channel * plane + y * width, patch);
            const first = ((b * channels + channel) * patch + y) * patch;
            for (let x = 0; x < patch; x++) to[first + x] = f(row[x] / 255);
          }
        }
        places.set([example, segment], 2 * b);
      }
    },

    measurements(images, height, width, batch, corner, patch, dual, out) {
      const x = f32(images, batch * height * width);
      const u = f32(dual, batch * patch * patch), to = f32(out, batch * patch * patch);
      forPatch(height, width, batch, corner, patch, (pixel, at) => to[at] = f(x[pixel] + u[at]));
    },
    merge(sums, height, width, batch, corner, patch, patches, dual) {
      const z = f32(patches, batch * patch * patch), u = f32(dual, batch * patch * patch);
      const to = f32(sums, batch * height * width);
      forPatch(height, width, batch, corner, patch, (pixel, at) => to[pixel] = f(to[pixel] + f(z[at] - u[at])));
    },
    updateDual(images, height, width, batch, corner, patch, patches, dual) {
      const x = f32(images, batch * height * width);
      const z = f32(patches, batch * patch * patch), u = f32(dual, batch * patch * patch);
      forPatch(height, width, batch, corner, patch, (pixel, at) => u[at] = f(u[at] + f(x[pixel] - z[at])));
    },

    solve(images, sums, diagonal, low, height, width, batch, ratio, tolerance, most, scratch) {
      const pixels = height * width, bytes = pixels * 4;
      const direction = f32(scratch, pixels), product = f32(scratch + bytes, pixels);
      const residual = f32(scratch + 2 * bytes, pixels);
      ratio = f(ratio);
      const apply = (v: Float32Array, own: Float32Array) => {
        kernels.down(v.byteOffset, scratch + 3 * bytes, height, width, 1);
        kernels.downTransposed(scratch + 3 * bytes, product.byteOffset, height, width, 1);
        for (let i = 0; i < pixels; i++) product[i] = f(f(ratio * product[i]) + f(own[i] * v[i]));
      };
      let worst = 0;
      for (let b = 0; b < batch; b++) {
        const x = f32(images + b * bytes, pixels), right = f32(sums + b * bytes, pixels);
        const own = f32(diagonal + b * bytes, pixels);
        if (ratio === 0) {
          for (let i = 0; i < pixels; i++) if (own[i] > 0) x[i] = f(right[i] / own[i]);
          continue;
        }
        kernels.downTransposed(low + b * bytes / 4, product.byteOffset, height, width, 1);
        axpy(right, ratio, product);
        const enough = tolerance * tolerance * dot(right, right);
        apply(x, own);
        residual.set(right);
        axpy(residual, -1, product);
        direction.set(residual);
        let norm = dot(residual, residual);
        for (let step = 0; step < most && norm > enough; step++) {
          apply(direction, own);
          const length = f(norm / dot(direction, product));
          axpy(x, length, direction);
          axpy(residual, -length, product);
          const next = dot(residual, residual), keep = f(next / norm);
          for (let i = 0; i < pixels; i++) direction[i] = f(residual[i] + f(keep * direction[i]));
          norm = next;
        }
        if (enough > 0) worst = Math.max(worst, Math.sqrt(norm / enough) * tolerance);
      }
      return worst;
    },

    distances(queries, batch, rows, count, length, out) {
      const to = f64(out, batch * count);
      for (let q = 0; q < batch; q++) {
        const query = u8(queries + q * length, length);
        for (let i = 0; i < count; i++) {
          const image = u8(rows + i * length, length);
          let sum = 0;
          for (let p = 0; p < length; p++) sum += (image[p] - query[p]) ** 2;
          to[q * count + i] = sum;
        }
      }
    },

    parzen(table, at, planes, count, segments, images, pixels, batch, perDistance, _scratch, out) {
      const STEP = 1024, reach = Math.min(Math.trunc(24 / perDistance), 0x7fffffff);
      const tabled = (d: number) => exp(-perDistance * (d % STEP)) * exp(-perDistance * (d - d % STEP));
      const term = (d: number) => d < STEP * 4096 ? tabled(d) : exp(-perDistance * d);
      const addresses = u32(table, segments * planes), numbers = u32(at, planes), to = f64(out, batch);
      for (let b = 0; b < batch; b++) {
        const image = u8(images + b * pixels, pixels);
        let least = 0x7fffffff - reach, sum = 0;
        for (let segment = 0; segment < segments; segment++) {
          const values = Array.from({ length: planes }, (_, p) => u8(addresses[segment * planes + p], count));
          for (let j = 0; j < count; j++) {
            let distance = 0;
            for (let p = 0; p < planes; p++) distance += (values[p][j] - image[numbers[p]]) ** 2;
            const difference = distance - least;
            if (difference < 0) {
              sum = sum * exp(perDistance * difference) + 1;
              least = distance;
            } else if (difference <= reach) sum += term(difference);
          }
        }
        to[b] = log(sum) - perDistance * least;
      }
    },
  };
  return kernels;
}

/** Calls `each` with the index of every pixel of a patch in its batch of images and in its batch of patches. */
function forPatch(
  height: number,
  width: number,
  batch: number,
  corner: number,
  patch: number,
  each: (pixel: number, at: number) => void,
): void {
  for (let b = 0; b < batch; b++) {
    for (let y = 0; y < patch; y++) {
      for (let x = 0; x < patch; x++) {
        each(b * height * width + corner + y * width + x, (b * patch + y) * patch + x);
      }
    }
  }
}

/** Replaces log weights by the weights relative to the largest; returns their sum. */
function toWeights(weights: Float64Array): number {
  const largest = weights.reduce((a, w) => Math.max(a, w), -Infinity);
  let total = 0;
  for (let c = 0; c < weights.length; c++) total += weights[c] = exp(weights[c] - largest);
  return total;
}
