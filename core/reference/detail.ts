/** Detail transfer. */
import type { KernelFunctions } from "../kernel_functions.ts";
import type { DetailCandidates } from "../kernel_arguments.ts";
import type { Views } from "../views.ts";
import { compare } from "./correlate.ts";

const f = Math.fround;

/** The twin of assembly/detail.ts. */
export function detailKernel(memory: Views): Pick<KernelFunctions, "transferDetail"> {
  const { u8, i32, f32, f64 } = memory;
  return {
    transferDetail(given, gain, lrShare, perLow, perHigh) {
      const { batch, capacity, count, pixels, indices, images, measurements, corners, rows, hr } = given;
      const { y, x, height, width, channels, patch } = given;
      const length = channels * patch * patch;
      for (let b = 0; b < batch; b++) {
        const [deviation] = f32(given.contrasts + b * 8, 1);
        const want = f32(measurements + b * length * 4, length);
        const low = f32(images + b * pixels * 4, pixels);
        for (let c = 0; c < capacity; c++) {
          const slot = b * capacity + c;
          const [index] = i32(indices + slot * 4, 1);
          const weight = f64(given.weights + slot * 8, 1);
          if (index < 0) {
            weight[0] = -Infinity;
            continue;
          }
          const segment = Math.floor(index / count);
          const example = index - segment * count;
          const { distance, inverse } = compare(memory, given, b, index);
          const ratio = Math.min(Math.max(f(deviation * inverse), 0.5), 2);
          const factor = f(f(f(gain) * ratio) / 1020);
          const [top, left] = i32(corners + segment * 8, 2);
          const out = f32(given.patches + slot * length * 4, length);
          const lr = u8(rows + example * pixels, pixels);
          const wide = channels * height * width;
          const image = u8(hr + example * wide, wide);
          const own = new Float32Array(length), others = new Int32Array(length);
          for (let p = 0; p < length; p++) {
            const channel = Math.floor(p / patch ** 2), row = Math.floor(p / patch) % patch, column = p % patch;
            const [a, e, o, i] = corner4(given, channel, y + row, x + column);
            own[p] = 0.25 * f(f(low[a] + low[e]) + f(low[o] + low[i]));
            others[p] = corner4(given, channel, top + row, left + column).reduce((sum, at) => sum + lr[at], 0);
            const byte = image[(channel * height + top + row) * width + left + column];
            out[p] = f(own[p] + f(factor * (4 * byte - others[p])));
          }
          if (lrShare > 0) shareLr({ own, others, area: patch ** 2 }, f(lrShare), f(ratio / 1020), out);
          let high = 0;
          for (let p = 0; p < length; p++) {
            out[p] = Math.min(Math.max(out[p], 0), 1);
            const difference = f(out[p] - want[p]);
            high += f(difference * difference);
          }
          weight[0] = -(distance * perLow) - high * perHigh;
        }
      }
    },
  };
}

/** Adds `share` times the difference of both interpolated LR patches, each less its mean; `others` are four times the example's bytes. */
function shareLr(
  { own, others, area }: { readonly own: Float32Array; readonly others: Int32Array; readonly area: number },
  share: number,
  scale: number,
  out: Float32Array,
): void {
  const meanOf = (values: Float32Array | Int32Array) => {
    let sum = 0;
    for (const value of values) sum += value;
    return f(sum / area);
  };
  for (let first = 0; first < out.length; first += area) {
    const mean = meanOf(own.subarray(first, first + area)), other = meanOf(others.subarray(first, first + area));
    for (let p = first; p < first + area; p++) {
      out[p] = f(out[p] + f(share * f(f(scale * f(others[p] - other)) - f(own[p] - mean))));
    }
  }
}

/** The numbers of the four LR pixels that HR pixel (y, x) is interpolated from: two in a row, two in the next. */
function corner4({ height, width }: DetailCandidates, channel: number, y: number, x: number): number[] {
  const high = height / 2;
  const wide = width / 2;
  const y0 = y >> 1;
  const x0 = x >> 1;
  const y1 = Math.min(y0 + (y & 1), high - 1);
  const x1 = Math.min(x0 + (x & 1), wide - 1);
  const number = (row: number, column: number) => (channel * high + row) * wide + column;
  return [number(y0, x0), number(y0, x1), number(y1, x0), number(y1, x1)];
}
