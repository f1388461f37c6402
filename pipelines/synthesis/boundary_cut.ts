/** The boundary between two overlapping blocks (Efros and Freeman, "Image Quilting", 2001, section 2.1). */

/** A path through an overlap, from its first line to its last. */
export interface BoundaryCut {
  /** For each line, how many of its first pixels lie before the path. */
  readonly before: Uint32Array;
  /** The sum of the errors on the path. */
  readonly error: number;
}

/**
 * Finds the path of least error through an overlap. From one line to the next, it moves by at most one pixel.
 *
 * @param lines number of lines of the overlap, at least 1
 * @param depth number of pixels of a line, at least 1
 * @param errorAt how much both blocks differ at a pixel of a line, >= 0
 */
export function boundaryCut(
  lines: number,
  depth: number,
  errorAt: (line: number, at: number) => number,
): BoundaryCut {
  const sums = new Float64Array(lines * depth), before = new Uint32Array(lines);
  /** The pixel next to `at` or at it whose path from the first line has the least error. */
  const least = (line: number, at: number, reach: number) => {
    const first = Math.max(0, at - reach), end = Math.min(depth, at + reach + 1);
    let found = first;
    for (let next = first + 1; next < end; next++) {
      if (sums[line * depth + next] < sums[line * depth + found]) found = next;
    }
    return found;
  };
  for (let line = 0; line < lines; line++) {
    for (let at = 0; at < depth; at++) {
      const sum = line > 0 ? sums[(line - 1) * depth + least(line - 1, at, 1)] : 0;
      sums[line * depth + at] = sum + errorAt(line, at);
    }
  }
  before[lines - 1] = least(lines - 1, 0, depth);
  for (let line = lines - 2; line >= 0; line--) before[line] = least(line, before[line + 1], 1);
  return { before, error: sums[(lines - 1) * depth + before[lines - 1]] };
}
