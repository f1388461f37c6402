/** The length of LZW data, by which cut-off pictures and bombs are told before a library decodes them. */

/** How LZW codes are written. */
export interface LzwFormat {
  /** Bits of a value: the two codes behind the values clear the table and end the data. */
  readonly valueBits: number;
  /** Whether codes begin with the highest bit of a byte, as in TIFF, or with the lowest, as in GIF. */
  readonly isHighFirst: boolean;
}

/** The most bits of a code. */
const MAX_BITS = 12;

/**
 * The length of LZW data after decompression, or some length above `most` if it is longer. It keeps lengths alone. Codes of TIFF get
 * longer one code earlier than those of GIF.
 */
export function lzwLength(bytes: Uint8Array, most: number, { valueBits, isHighFirst }: LzwFormat): number {
  const clear = 2 ** valueBits, early = isHighFirst ? 1 : 0;
  const lengths = new Uint32Array(2 ** MAX_BITS + 1).fill(1);
  let total = 0, next = clear + 2, bits = valueBits + 1, before = 0, window = 0, have = 0;
  for (const byte of bytes) {
    window = isHighFirst ? (window << 8 | byte) & 0xfffff : window | byte << have;
    have += 8;
    while (have >= bits) {
      const code = (isHighFirst ? window >> have - bits : window) & 2 ** bits - 1;
      have -= bits;
      if (!isHighFirst) window >>= bits;
      if (code === clear + 1 || total > most) return total;
      if (code === clear) {
        next = clear + 2;
        bits = valueBits + 1;
        before = 0;
        continue;
      }
      const length = code < next ? lengths[code] : before + 1;
      total += length;
      if (before > 0 && next < 2 ** MAX_BITS) lengths[next++] = before + 1;
      before = length;
      if (bits < MAX_BITS && next >= 2 ** bits - early) bits++;
    }
  }
  return total;
}
