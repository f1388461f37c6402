/** Writes how long something takes. */

/** Units of time, each with its seconds and the seconds from which on it is used. */
const UNITS = [["days", 86_400, 2 * 86_400], ["hours", 3600, 2 * 3600], ["min", 60, 10 * 60]] as const;

/** Returns a duration in words that are easy to take in: "45 s", "12 min", "5 hours", "270 days". It is rounded up. */
export function durationText(seconds: number): string {
  const [unit, length] = UNITS.find(([_, __, from]) => seconds >= from) ?? ["s", 1];
  return `${Math.ceil(seconds / length).toLocaleString("en")} ${unit}`;
}
