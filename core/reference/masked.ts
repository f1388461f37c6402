/** Squared distances of one image to all examples over many masks. */
import type { KernelFunctions } from "../kernel_functions.ts";
import type { Views } from "../views.ts";

const f = Math.fround;

/** The twin of assembly/masked.ts. */
export function maskedKernel({ u8, u32, f32 }: Views): Pick<KernelFunctions, "maskedDistances"> {
  return {
    maskedDistances(image, planes, stride, values, scale, masks, _scratch, out) {
      const x = f32(image, values),
        bytes = u8(planes, values * stride),
        sums = f32(out, values * stride),
        by = f(scale);
      const square = (q: number, n: number) => {
        const difference = f(x[q] - f(by * bytes[q * stride + n]));
        return f(difference * difference);
      };
      for (let p = 0, at = masks; p < values; p++) {
        const [base, added, taken] = u32(at, 3), numbers = u32(at + 12, added + taken);
        for (let n = 0; n < stride; n++) {
          let sum = base > 0 ? sums[(base - 1) * stride + n] : 0;
          numbers.forEach((q, i) => sum = f(i < added ? sum + square(q, n) : sum - square(q, n)));
          sums[p * stride + n] = sum;
        }
        at += 4 * (3 + added + taken);
      }
    },
  };
}
