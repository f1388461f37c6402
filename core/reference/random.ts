/** Uniform numbers for a batch of images. */
import type { KernelFunctions } from "../kernel_functions.ts";
import { philox, toUniform } from "../random.ts";
import type { Views } from "../views.ts";

/** The twin of assembly/random.ts. */
export function randomKernels(memory: Views): Pick<KernelFunctions, "uniforms"> {
  const { u32, f64 } = memory;
  return {
    uniforms(seedLow, seedHigh, numbers, batch, stage, location, draw, out) {
      const imageOf = u32(numbers, batch);
      const to = f64(out, batch);
      const words = new Uint32Array(4);
      for (let b = 0; b < batch; b++) {
        philox([imageOf[b], stage >>> 0, location >>> 0, draw >>> 0], [seedLow >>> 0, seedHigh >>> 0], words);
        to[b] = toUniform(words[0], words[1]);
      }
    },
  };
}
