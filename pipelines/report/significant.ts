/** Writes a number with four significant digits and as many decimals as that needs; an integer stays as it is; "-" for NaN. */
export function significant(value: number): string {
  if (Number.isNaN(value)) return "-";
  if (!Number.isFinite(value)) return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value);
  return value.toFixed(Math.max(0, 3 - Math.max(0, Math.floor(Math.log10(Math.abs(value) || 1)))));
}
