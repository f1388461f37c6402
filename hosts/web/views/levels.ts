/**
 * The levels of light and the keys with which a seed image is drawn. The highest level is the brightest byte of a pack's seed
 * images, not 255: thin bright lines of a picture are only grey in its seed image.
 */

/** Levels are the digits 0 (black) to 9 (the brightest). */
export const LEVELS = 10;

/** The byte of a level. */
export function levelByte(level: number, brightest: number): number {
  return Math.round(level * brightest / (LEVELS - 1));
}

/** The byte of a pixel after a key: a digit sets its level, + and - change it by one level; undefined for other keys. */
export function byteAfterKey(byte: number, key: string, brightest: number): number | undefined {
  if (/^\d$/.test(key)) return levelByte(Number(key), brightest);
  const step = key === "+" || key === "=" ? 1 : key === "-" || key === "_" ? -1 : undefined;
  if (step === undefined) return undefined;
  // A byte between two levels goes to the next level in that direction.
  const exact = byte * (LEVELS - 1) / brightest, near = Math.round(exact);
  const level = levelByte(near, brightest) === byte ? near + step : step > 0 ? Math.ceil(exact) : Math.floor(exact);
  return levelByte(Math.min(Math.max(level, 0), LEVELS - 1), brightest);
}

/** Steps of the arrow keys. */
export const ARROWS: Readonly<Record<string, readonly [dx: number, dy: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** Steps of keys that move in a grid. */
const STEPS: typeof ARROWS = {
  ...ARROWS,
  Home: [-Infinity, 0],
  End: [Infinity, 0],
  PageUp: [0, -Infinity],
  PageDown: [0, Infinity],
};

/** The cell of a grid to which a key moves, at most to the grid's edges; undefined for keys that do not move. */
export function cellAfterKey(
  { y, x }: { readonly y: number; readonly x: number },
  key: string,
  { height, width }: { readonly height: number; readonly width: number },
): { y: number; x: number } | undefined {
  const step = STEPS[key];
  if (!step) return undefined;
  const [dx, dy] = step;
  return { y: Math.min(Math.max(y + dy, 0), height - 1), x: Math.min(Math.max(x + dx, 0), width - 1) };
}
