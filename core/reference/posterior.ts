/** Equation (posterior example based): the weights of the candidates, the draw, and the drawn patches. */
import type { KernelFunctions } from "../kernel_functions.ts";
import type { Address, CandidateLists, WeightLists } from "../kernel_arguments.ts";
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

/** Entry n of a list of keys, distance << 32 | index: its words are (index, distance). */
function key({ u32 }: Views, keys: Address, n: number): Uint32Array {
  return u32(keys + n * 8, 2);
}

/** Where the candidate with the number segment * count + example is: `bytes` is the address of its first pixel. */
function placeOf({ u32 }: Views, { rows, count, stride, corners }: CandidateLists, index: number) {
  const segment = Math.floor(index / count);
  const example = index - segment * count;
  return { segment, example, bytes: rows + example * stride + u32(corners, segment + 1)[segment] };
}

/** The weights of one image. */
function weightsOf({ f64 }: Views, { weights, capacity, found }: WeightLists, b: number): Float64Array {
  return f64(weights + b * capacity * 8, found);
}

/** The twins of assembly/posterior.ts. */
export function posteriorKernels(
  memory: Views,
): Pick<KernelFunctions, "logPosterior" | "categorical" | "sample" | "likeliest" | "meanPatches" | "takePatches"> {
  return {
    logPosterior: logPosterior(memory),
    categorical: categorical(memory),
    sample: sample(memory),
    likeliest: likeliest(memory),
    meanPatches: meanPatches(memory),
    takePatches: takePatches(memory),
  };
}

function logPosterior(memory: Views): KernelFunctions["logPosterior"] {
  const { u8, f32, f64 } = memory;
  return (lists, measurements, perLow, perHigh) => {
    const { weights, capacity, found, batch, keys, count, channels, plane, width, patch, penalties } = lists;
    const inPatch = channels * patch * patch;
    const all = f64(weights, batch * capacity);
    for (let b = 0; b < batch; b++) {
      const want = f32(measurements + b * inPatch * 4, inPatch);
      for (let c = 0; c < found; c++) {
        const [index, low] = key(memory, keys, b * capacity + c);
        const { bytes } = placeOf(memory, lists, index);
        let high = 0;
        for (let channel = 0; channel < channels; channel++) {
          // Lanes as in the kernel: a row is cut into runs of eight, pixels i and i + 4 of a run share a lane.
          const lanes = [f(0), f(0), f(0), f(0)];
          for (let y = 0; y < patch; y++) {
            const row = u8(bytes + channel * plane + y * width, patch);
            const first = (channel * patch + y) * patch;
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
        const penalty = penalties ? f64(penalties + (index % count) * 8, 1)[0] : 0;
        all[b * capacity + c] = -(low * perLow) - high * perHigh - penalty;
      }
    }
  };
}

function categorical(memory: Views): KernelFunctions["categorical"] {
  const { i32, f64 } = memory;
  return (lists, uniform, drawn) => {
    const { found, batch } = lists;
    const uniforms = f64(uniform, batch);
    const to = i32(drawn, batch);
    for (let b = 0; b < batch; b++) {
      const weights = weightsOf(memory, lists, b);
      const aim = uniforms[b] * toWeights(weights);
      let c = 0;
      let sum = weights[0];
      while (sum <= aim && c < found - 1) sum += weights[++c];
      to[b] = c;
    }
  };
}

/** What the kernel draws by estimates is what exact weights draw. */
function sample(memory: Views): KernelFunctions["sample"] {
  const weigh = logPosterior(memory);
  const draw = categorical(memory);
  return (lists, measurements, perLow, perHigh, uniform, _scratch, drawn) => {
    weigh(lists, measurements, perLow, perHigh);
    draw(lists, uniform, drawn);
  };
}

function likeliest(memory: Views): KernelFunctions["likeliest"] {
  const { i32 } = memory;
  return (lists, drawn) => {
    const to = i32(drawn, lists.batch);
    for (let b = 0; b < lists.batch; b++) {
      const weights = weightsOf(memory, lists, b);
      to[b] = weights.indexOf(weights.reduce((a, w) => Math.max(a, w), -Infinity));
    }
  };
}

function meanPatches(memory: Views): KernelFunctions["meanPatches"] {
  const { u8, f32 } = memory;
  return (lists, patches) => {
    const { capacity, found, batch, keys, channels, plane, width, patch } = lists;
    const length = channels * patch * patch;
    const to = f32(patches, batch * length).fill(0);
    for (let b = 0; b < batch; b++) {
      const weights = weightsOf(memory, lists, b);
      const total = toWeights(weights);
      for (let c = 0; c < found; c++) {
        const weight = f(weights[c] / (total * 255));
        const [index] = key(memory, keys, b * capacity + c);
        const { bytes } = placeOf(memory, lists, index);
        for (let p = 0; p < length; p++) {
          const channel = Math.floor(p / patch ** 2);
          const y = Math.floor(p / patch) % patch;
          const x = p % patch;
          const [byte] = u8(bytes + channel * plane + y * width + x, 1);
          to[b * length + p] = f(to[b * length + p] + f(weight * byte));
        }
      }
    }
    for (let p = 0; p < to.length; p++) to[p] = Math.min(to[p], 1);
  };
}

function takePatches(memory: Views): KernelFunctions["takePatches"] {
  const { u8, i32, f32 } = memory;
  return (lists, drawn, patches, sources) => {
    const { capacity, batch, keys, channels, plane, width, patch } = lists;
    const chosen = i32(drawn, batch);
    const to = f32(patches, batch * channels * patch * patch);
    const places = i32(sources, batch * 2);
    for (let b = 0; b < batch; b++) {
      const [index] = key(memory, keys, b * capacity + chosen[b]);
      const { segment, example, bytes } = placeOf(memory, lists, index);
      for (let channel = 0; channel < channels; channel++) {
        for (let y = 0; y < patch; y++) {
          const row = u8(bytes + channel * plane + y * width, patch);
          const first = ((b * channels + channel) * patch + y) * patch;
          for (let x = 0; x < patch; x++) to[first + x] = f(row[x] / 255);
        }
      }
      places.set([example, segment], 2 * b);
    }
  };
}
