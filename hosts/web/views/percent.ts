/** Writes parts as percentages, and says how many of several have a part that counts. */

/** A probability or a share as a percentage. */
export function percentOf(part: number): string {
  const percent = 100 * part;
  return percent > 0 && percent < 0.1 ? "<0.1\u00a0%" : `${percent.toFixed(percent < 10 ? 1 : 0)}\u00a0%`;
}

/** Below these effective numbers one of several is all but certain, and is much likelier than the others. */
const CERTAIN = 1.05, DECIDED = 1.75;

/** Whether one of several is much likelier than the others, by their effective number: the exponential of the entropy. */
export function isDecided(effective: number): boolean {
  return effective < DECIDED;
}

/** Says how many of the candidates of a draw had a chance. */
export function chanceOf(effective: number, count: number): string {
  if (effective < CERTAIN) return "One candidate was almost certain.";
  if (isDecided(effective)) return "One candidate was much likelier than the others.";
  const many = Math.round(effective);
  return many === count ? "Each of them had a real chance." : `About ${many} of them had a real chance.`;
}

/** Says how many examples decide what a mean of them is. */
export function decidersOf(effective: number): string {
  if (effective < CERTAIN) return "One example decides.";
  if (isDecided(effective)) return "One example decides nearly alone.";
  return `About ${Math.round(effective)} examples decide together.`;
}
