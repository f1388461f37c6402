/** Images as planes, and planes as images. */
import type { KernelFunctions } from "../kernel_functions.ts";
import type { Views } from "../views.ts";

/** The twins of assembly/planes.ts. */
export function planeKernels({ u8, u32 }: Views): Pick<KernelFunctions, "toPlanes" | "toRows"> {
  return {
    toPlanes(rows, count, pixels, planes, stride) {
      const from = u8(rows, count * pixels);
      for (let pixel = 0; pixel < pixels; pixel++) {
        const plane = u8(planes + pixel * stride, count);
        for (let i = 0; i < count; i++) plane[i] = from[i * pixels + pixel];
      }
    },

    toRows(table, planes, count, rows) {
      const to = u8(rows, count * planes);
      u32(table, planes).forEach((plane, p) => {
        u8(plane, count).forEach((byte, i) => to[i * planes + p] = byte);
      });
    },
  };
}
