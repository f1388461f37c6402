/** Writes parts as percentages. */

/** A probability or a share as a percentage. */
export function percentOf(part: number): string {
  const percent = 100 * part;
  return percent > 0 && percent < 0.1 ? "<0.1\u00a0%" : `${percent.toFixed(percent < 10 ? 1 : 0)}\u00a0%`;
}

/** Writes a number of things that need not be whole, such as of equally probable ones: with a decimal only if it is small. */
export function effectiveOf(number: number): string {
  return number.toFixed(number < 9.95 ? 1 : 0);
}
