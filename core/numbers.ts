/** Lists of numbers. */

/** 0 .. count-1. */
export function range(count: number): Uint32Array {
  const all = new Uint32Array(count);
  for (let i = 0; i < count; i++) all[i] = i;
  return all;
}

/** The numbers from `first` to before `end`; none if `end` is less. */
export function numbersFrom(first: number, end: number): number[] {
  return Array.from({ length: end - first }, (_, i) => first + i);
}

/** The mean of some values, added up in their order; NaN of none. */
export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  return sum / values.length;
}

/** The variance of the distribution of some values, by those given; NaN of one. */
export function variance(values: ArrayLike<number>): number {
  const middle = mean(values);
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += (values[i] - middle) ** 2;
  return sum / (values.length - 1);
}

/** The indices of at most `limit` of `count` items, evenly spaced. */
export function evenlySpaced(count: number, limit: number): Uint32Array {
  const chosen = Math.min(limit, count);
  return Uint32Array.from({ length: chosen }, (_, i) => Math.floor(i * count / chosen));
}
