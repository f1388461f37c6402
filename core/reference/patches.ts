/** R_i and its transpose at one location. */
import type { KernelFunctions } from "../kernel_functions.ts";
import type { Views } from "../views.ts";

const f = Math.fround;

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

/** The twin of assembly/patches.ts. */
export function patchKernels(memory: Views): Pick<KernelFunctions, "measurements" | "merge" | "updateDual"> {
  const { f32 } = memory;
  return {
    measurements(images, height, width, batch, corner, patch, dual, out) {
      const x = f32(images, batch * height * width);
      const u = f32(dual, batch * patch * patch);
      const to = f32(out, batch * patch * patch);
      forPatch(height, width, batch, corner, patch, (pixel, at) => to[at] = f(x[pixel] + u[at]));
    },

    merge(sums, height, width, batch, corner, patch, patches, dual, weights) {
      const z = f32(patches, batch * patch * patch);
      const u = f32(dual, batch * patch * patch);
      const to = f32(sums, batch * height * width);
      const area = patch * patch;
      const w = f32(weights, area);
      forPatch(height, width, batch, corner, patch, (pixel, at) => {
        to[pixel] = f(to[pixel] + f(w[at % area] * f(z[at] - u[at])));
      });
    },

    updateDual(images, height, width, batch, corner, patch, patches, dual) {
      const x = f32(images, batch * height * width);
      const z = f32(patches, batch * patch * patch);
      const u = f32(dual, batch * patch * patch);
      forPatch(height, width, batch, corner, patch, (pixel, at) => u[at] = f(u[at] + f(x[pixel] - z[at])));
    },
  };
}
