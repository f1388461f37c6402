/** Checks the content of Parquet's pages before the library reads it: it repeats a value as often as a run says. */

/** The most values that a run may have beyond those of its page: the last group of eight is filled up, and some writers write 63. */
const FILLED_UP = 504;

/** A stretch of bytes. */
export interface Stretch {
  readonly bytes: Uint8Array;
  readonly at: number;
  readonly end: number;
}

/**
 * Checks runs of equal values, and of values of few bits, until they are `count` or the bytes end. (Parquet's encoding RLE, a hybrid
 * of both.)
 *
 * @param width the bits of a value, 1 to 32
 * @throws {Error} if a run is empty, or longer than what is left
 */
export function checkRuns({ bytes, at, end }: Stretch, width: number, count: number): void {
  if (width > 32) throw new Error(`expected at most 32 bits a value, got ${width}`);
  for (let left = count; left > 0 && at < end;) {
    const header = numberAt(bytes, at), half = Math.floor(header.value / 2), isPacked = header.value % 2 === 1;
    const length = isPacked ? 8 * half : half;
    at = header.end;
    if (length === 0 || length > left + FILLED_UP) throw new Error(`expected a run of 1 to ${left}, got ${length}`);
    at += isPacked ? half * width : width + 7 >> 3;
    left -= length;
  }
}

/**
 * Checks the header of differences (DELTA_BINARY_PACKED): the values of a block, and its parts.
 *
 * @throws {Error} if there are more parts than values, or more values than a writer puts into a block
 */
export function checkDeltas({ bytes, at }: Stretch): void {
  const block = numberAt(bytes, at), { value: parts } = numberAt(bytes, block.end), length = block.value;
  if (length % 128 === 0 && length > 0 && length <= 1 << 16 && parts > 0 && length % parts === 0) return;
  throw new Error(`expected a block of 128 to 65536 values, got ${length} in ${parts} parts`);
}

/** A number of 7 bits a byte, and where it ends. */
function numberAt(bytes: Uint8Array, at: number): { value: number; end: number } {
  let value = 0;
  for (let shift = 0; shift <= 28; shift += 7) {
    const byte = bytes[at++] ?? 0;
    value += (byte & 127) * 2 ** shift;
    if (byte < 128) return { value, end: at };
  }
  throw new Error("a number has more than 32 bits");
}
