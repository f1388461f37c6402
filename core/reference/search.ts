/** Queries and the search for nearest neighbours. */
import type { KernelFunctions } from "../kernel_functions.ts";
import type { Address } from "../kernel_arguments.ts";
import type { Views } from "../views.ts";

const f = Math.fround;

/** The twins of `toQueries` and `search` in assembly/search/: the plain definition, without what makes the kernels fast. */
export function searchKernels(
  memory: Views,
): Pick<KernelFunctions, "toQueries" | "search"> {
  const { u8, i16, i32, u32, f32 } = memory;
  /** Entry n of a list of keys, distance << 32 | index: its words are (index, distance). */
  const key = (keys: Address, n: number) => u32(keys + n * 8, 2);
  return {
    toQueries(images, pixels, batch, numbers, scale, planes, out) {
      const pixelOf = u32(numbers, planes), scales = i16(scale, planes), to = i16(out, batch * planes);
      for (let b = 0; b < batch; b++) {
        const image = f32(images + b * pixels * 4, pixels);
        for (let p = 0; p < planes; p++) {
          const unit = Math.min(Math.max(image[pixelOf[p]], 0), 1);
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
  };
}
