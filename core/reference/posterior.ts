/** Equation (posterior example based): the weights of the candidates, the draw, and the drawn patches. */
import type { Address, CandidateLists, KernelFunctions, WeightLists } from "../kernel_functions.ts";
import { exp } from "./math.ts";
import type { Views } from "../views.ts";

const f = Math.fround;

/** Replaces log weights by the weights relative to the largest; returns their sum. */
function toWeights(weights: Float64Array): number {
  const largest = weights.reduce((a, w) => Math.max(a, w), -Infinity);
  let total = 0;
  for (let c = 0; c < weights.length; c++) total += weights[c] = exp(weights[c] - largest);
  return total;
}

/** The twin of assembly/posterior.ts: its five kernels side by side, as there. They share how lists are read. */
export function posteriorKernels(
  memory: Views,
): Pick<KernelFunctions, "logPosterior" | "categorical" | "likeliest" | "meanPatches" | "takePatches"> {
  const { u8, i32, u32, f32, f64 } = memory;
  /** Entry n of a list of keys, distance << 32 | index: its words are (index, distance). */
  const key = (keys: Address, n: number) => u32(keys + n * 8, 2);
  /** Where the candidate with the number segment * count + example is: `bytes` is the address of its first pixel. */
  const placeOf = ({ rows, count, stride, corners }: CandidateLists, index: number) => {
    const segment = Math.floor(index / count), example = index - segment * count;
    return { segment, example, bytes: rows + example * stride + u32(corners, segment + 1)[segment] };
  };
  /** The weights of one image. */
  const weightsOf = ({ weights, capacity, found }: WeightLists, b: number) => f64(weights + b * capacity * 8, found);

  return {
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
  };
}
