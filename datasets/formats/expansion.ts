/** How much a compressed file may become: what is declared must be in proportion to the bytes that are there. */

/** Images compress to a tenth, drawings to a thirtieth; more only where they are all alike. */
const MOST = 100;
/** Bytes that any file may become. */
const SMALL = 2 ** 26;

/** The most bytes that a file of `length` bytes may become: 64 MiB, and a hundred times its length if that is more. */
export function mostExpanded(length: number): number {
  return Math.max(SMALL, MOST * length);
}
