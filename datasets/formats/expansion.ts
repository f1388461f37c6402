/** How much a compressed file may become: what is declared must be in proportion to the bytes that are there. */

/** Images compress to a tenth, drawings to a thirtieth; more only where they are all alike. */
const MOST = 100;
/** Bytes that any file may become. */
const SMALL = 2 ** 26;

/** The most bytes that a file of `length` bytes may become: 64 MiB, and a hundred times its length if that is more. */
export function mostExpanded(length: number): number {
  return Math.max(SMALL, MOST * length);
}

/**
 * Returns a check that adds up the bytes of pixels of pictures that are read one after another.
 *
 * @param path names the file or folder of the pictures in errors
 * @returns takes the bytes of a picture's pixels and the most that all so far may have, and throws one sentence if they have more
 */
export function expansionCheck(path: string): (bytes: number, most: number) => void {
  let total = 0;
  return (bytes, most) => {
    total += bytes;
    if (total <= most) return;
    throw new Error(`${path}: expected at most ${most} bytes of pixels in pictures of so few bytes, got more`);
  };
}
