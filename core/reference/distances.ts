/** Whole images against whole images, and the Parzen window of equation (patch ll). */
import type { KernelFunctions } from "../kernel_functions.ts";
import { exp, log } from "./math.ts";
import type { Views } from "../views.ts";

/** The twins of assembly/distances.ts and assembly/parzen.ts. */
export function distanceKernels(memory: Views): Pick<KernelFunctions, "distances" | "parzen"> {
  const { u8, u32, f64 } = memory;
  return {
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

    parzen(window, perDistance, out) {
      const { table, numbers, planes, count, segments, images, pixels, batch } = window;
      const STEP = 1024;
      const reach = Math.min(Math.trunc(24 / perDistance), 0x7fffffff);
      const tabled = (d: number) => exp(-perDistance * (d % STEP)) * exp(-perDistance * (d - d % STEP));
      const term = (d: number) => d < STEP * 4096 ? tabled(d) : exp(-perDistance * d);
      const addresses = u32(table, segments * planes);
      const pixelOf = u32(numbers, planes);
      const to = f64(out, batch);
      for (let b = 0; b < batch; b++) {
        const image = u8(images + b * pixels, pixels);
        let least = 0x7fffffff - reach;
        let sum = 0;
        for (let segment = 0; segment < segments; segment++) {
          const values = Array.from({ length: planes }, (_, p) => u8(addresses[segment * planes + p], count));
          for (let j = 0; j < count; j++) {
            let distance = 0;
            for (let p = 0; p < planes; p++) distance += (values[p][j] - image[pixelOf[p]]) ** 2;
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
}
