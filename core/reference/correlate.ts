/** Nearest neighbours by correlation. */
import type { KernelFunctions } from "../kernel_functions.ts";
import type { Address, Correlation } from "../kernel_arguments.ts";
import type { Views } from "../views.ts";

const f = Math.fround;
/** What is added to a standard deviation, in grey levels: 0.02 of the range. */
const FLAT = 5.1;

/** An example compared with a query: d in squared grey levels times weights, and 1 / s_j. */
export interface Correlated {
  readonly distance: number;
  readonly inverse: number;
}

/** The sum of the weights. */
function totalWeight({ i16 }: Views, { pixelWeights, planes }: Correlation): number {
  return i16(pixelWeights, planes).reduce((sum, weight) => sum + weight, 0);
}

/** Compares the example of an index with the query of image `b`: the definition of both kernels. */
export function compare(memory: Views, given: Correlation, b: number, index: number): Correlated {
  const { rows, pixels, numbers, pixelWeights, planes, count, queries, contrasts } = given;
  const segment = Math.floor(index / count);
  const image = memory.u8(rows + (index - segment * count) * pixels, pixels);
  const at = memory.u32(numbers + segment * planes * 4, planes);
  const weights = memory.i16(pixelWeights, planes);
  const query = memory.i16(queries + b * planes * 2, planes);
  const [deviation, energy] = memory.f32(contrasts + b * 8, 2);
  const total = totalWeight(memory, given);
  let product = 0;
  let sum = 0;
  let squares = 0;
  for (let p = 0; p < planes; p++) {
    const byte = image[at[p]];
    product += byte * query[p];
    sum += byte * weights[p];
    squares += byte * byte * weights[p];
  }
  const variance = (total * squares - sum * sum) / (total * total);
  const own = Math.sqrt(variance) + FLAT;
  const inverse = f(1 / own);
  const norm = f(total * variance / (own * own));
  const cross = f(f(product) * inverse);
  const distance = f(energy + f(deviation * f(f(deviation * norm) - f(cross + cross))));
  return { distance: Math.max(distance, 0), inverse };
}

/** The twin of assembly/correlate.ts. */
export function correlationKernels(memory: Views): Pick<KernelFunctions, "toDeviations" | "correlate"> {
  const { u8, i16, u32, f32 } = memory;
  const words = (keys: Address, n: number) => u8(keys + n * 8, 8);
  return {
    toDeviations(given, images, home) {
      const { pixels, numbers, pixelWeights, planes, batch, queries, contrasts } = given;
      const at = u32(numbers + home * planes * 4, planes);
      const weights = i16(pixelWeights, planes);
      const total = totalWeight(memory, given);
      for (let b = 0; b < batch; b++) {
        const image = f32(images + b * pixels * 4, pixels);
        const query = i16(queries + b * planes * 2, planes);
        const level = (p: number) => 255 * Math.min(Math.max(image[at[p]], 0), 1);
        let sum = 0;
        for (let p = 0; p < planes; p++) sum += weights[p] * level(p);
        const mean = sum / total;
        let energy = 0;
        let running = 0;
        let before = 0;
        for (let p = 0; p < planes; p++) {
          const deviation = level(p) - mean;
          const weighted = weights[p] * deviation;
          energy += weighted * deviation;
          running += weighted;
          const rounded = Math.floor(running + 0.5);
          query[p] = rounded - before;
          before = rounded;
        }
        f32(contrasts + b * 8, 2).set([Math.sqrt(energy / total) + FLAT, energy]);
      }
    },

    correlate(given, k, out) {
      const { count, segments, batch } = given;
      const found = Math.min(k, segments * count);
      for (let b = 0; b < batch; b++) {
        const all = Array.from({ length: segments * count }, (_, index) => {
          return { index, distance: compare(memory, given, b, index).distance };
        });
        all.sort((x, y) => x.distance - y.distance || x.index - y.index);
        for (let n = 0; n < found; n++) {
          const key = words(out, b * k + n);
          const view = new DataView(key.buffer, key.byteOffset, 8);
          view.setUint32(0, all[n].index, true);
          view.setFloat32(4, all[n].distance, true);
        }
      }
      return found;
    },
  };
}
