/** Planes, and regions cut out of images. */
import type { KernelFunctions } from "../kernel_functions.ts";
import type { Views } from "../views.ts";

/** The twins of assembly/planes.ts. */
export function planeKernels({ u8 }: Views): Pick<KernelFunctions, "toPlanes" | "copyRegions"> {
  return {
    toPlanes(rows, count, pixels, planes, stride) {
      const from = u8(rows, count * pixels);
      for (let pixel = 0; pixel < pixels; pixel++) {
        const plane = u8(planes + pixel * stride, count);
        for (let i = 0; i < count; i++) plane[i] = from[i * pixels + pixel];
      }
    },

    copyRegions(images, count, rowBytes, rows, channels, height, width, offset, out) {
      for (let row = 0; row < count * channels * height; row++) {
        const plane = Math.floor(row / height), from = images + (plane * rows + row % height) * rowBytes + offset;
        u8(out + row * width, width).set(u8(from, width));
      }
    },
  };
}
