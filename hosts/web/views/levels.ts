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

/** The cell of a grid to which a key moves, at most to the grid's edges; undefined for keys that do not move. */
export function cellAfterKey(
  { y, x }: { readonly y: number; readonly x: number },
  key: string,
  { height, width }: { readonly height: number; readonly width: number },
): { y: number; x: number } | undefined {
  const to = (y: number, x: number) => ({
    y: Math.min(Math.max(y, 0), height - 1),
    x: Math.min(Math.max(x, 0), width - 1),
  });
  switch (key) {
    case "ArrowUp":
      return to(y - 1, x);
    case "ArrowDown":
      return to(y + 1, x);
    case "ArrowLeft":
      return to(y, x - 1);
    case "ArrowRight":
      return to(y, x + 1);
    case "Home":
      return to(y, 0);
    case "End":
      return to(y, width - 1);
    case "PageUp":
      return to(0, x);
    case "PageDown":
      return to(height - 1, x);
  }
}
