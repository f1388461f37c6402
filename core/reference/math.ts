/** exp and log in f64 by the same few operations as the kernels, so that they give the same bits on every engine. */
import type { KernelFunctions } from "../kernel_functions.ts";
import type { Views } from "../views.ts";

const LOG2E = 1.4426950408889634;
const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;
/** 1 / n! for n = 13 down to 0. */
const EXP_SERIES = [
  1 / 6227020800,
  1 / 479001600,
  1 / 39916800,
  1 / 3628800,
  1 / 362880,
  1 / 40320,
  1 / 5040,
  1 / 720,
  1 / 120,
  1 / 24,
  1 / 6,
  0.5,
  1,
  1,
];
const bits = new DataView(new ArrayBuffer(8));

/** e^x as the kernels compute it: 0 below -708, Infinity above 709. */
export function exp(x: number): number {
  if (x < -708) return 0;
  if (x > 709) return Infinity;
  if (x !== x) return NaN;
  const k = Math.floor(x * LOG2E + 0.5);
  const r = (x - k * LN2_HIGH) - k * LN2_LOW;
  let p = EXP_SERIES[0];
  for (let n = 1; n < EXP_SERIES.length; n++) p = p * r + EXP_SERIES[n];
  bits.setBigInt64(0, BigInt(k + 1023) << 52n);
  return p * bits.getFloat64(0);
}

/** The natural logarithm as the kernels compute it. Subnormal numbers count as 0. */
export function log(x: number): number {
  if (!(x >= 0)) return NaN;
  if (x < 2.2250738585072014e-308) return -Infinity;
  if (x === Infinity) return Infinity;
  bits.setFloat64(0, x);
  const word = bits.getBigInt64(0);
  let k = Number(word >> 52n) - 1023;
  bits.setBigInt64(0, (word & 0x000fffffffffffffn) | 0x3ff0000000000000n);
  let m = bits.getFloat64(0);
  if (m > Math.SQRT2) {
    m *= 0.5;
    k += 1;
  }
  const s = (m - 1) / (m + 1);
  const s2 = s * s;
  let p = 1 / 23;
  for (let odd = 21; odd >= 3; odd -= 2) p = p * s2 + 1 / odd;
  return k * LN2_HIGH + (2 * s + (2 * s * s2 * p + k * LN2_LOW));
}

/** The twin of assembly/math.ts. */
export function mathKernels(memory: Views): Pick<KernelFunctions, "expInPlace" | "logInPlace"> {
  const { f64 } = memory;
  return {
    expInPlace(values, length) {
      const v = f64(values, length);
      for (let i = 0; i < length; i++) v[i] = exp(v[i]);
    },

    logInPlace(values, length) {
      const v = f64(values, length);
      for (let i = 0; i < length; i++) v[i] = log(v[i]);
    },
  };
}
