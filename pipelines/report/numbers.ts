/** Numbers as text, with "-" as the minus sign and never before a zero. */

/**
 * Writes a number with four significant digits and at most three decimals; below 0.001 with two significant digits. An integer
 * stays as it is; "-" for NaN.
 */
export function significant(value: number): string {
  if (Number.isNaN(value)) return "-";
  if (!Number.isFinite(value)) return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value || 0);
  const size = Math.abs(value);
  if (size < 0.001) return value.toPrecision(2);
  return fixed(value, Math.max(0, 3 - Math.max(0, Math.floor(Math.log10(size)))));
}

/** Writes a number with that many decimals; one that rounds to zero has no sign. */
export function fixed(value: number, decimals: number): string {
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? text.replace("-", "") : text;
}

/** The most decimals of a label below a picture. */
const MAX_DECIMALS = 6;

/**
 * Returns how many decimals labels need, 2 to 6, so that most numbers that differ look different: a row of labels 0.00
 * would show nothing. 2 if all are equal.
 */
export function decimalsOf(values: readonly number[]): number {
  const distinct = new Set(values).size;
  for (let decimals = 2; decimals < MAX_DECIMALS; decimals++) {
    const texts = new Set(values.map((value) => fixed(value, decimals)));
    // For half of them: two numbers that are nearly equal would need all the decimals.
    if (texts.size >= Math.min(distinct, Math.ceil(values.length / 2))) return decimals;
  }
  return distinct > 1 ? MAX_DECIMALS : 2;
}
