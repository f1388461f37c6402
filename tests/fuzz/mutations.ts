/** Ways to damage bytes that know nothing of their format, and numbers that parsers trip over. */

/** Returns a random integer from 0 to n - 1. */
export type Below = (n: number) => number;

/** Changes bytes; may change the given ones. */
export type Mutation = (bytes: Uint8Array, below: Below) => Uint8Array;

/** Numbers at the limits of types and of what the formats allow. */
export const HUGE = [0, 1, 2, 255, 4096, 4097, 65536, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 16, 2 ** 32 - 1];

/** Damage to any file. */
export const PLAIN_MUTATIONS: readonly Mutation[] = [
  (bytes, below) => { // bits
    for (let n = 1 + below(4); n > 0 && bytes.length > 0; n--) bytes[below(bytes.length)] ^= 1 << below(8);
    return bytes;
  },
  (bytes, below) => bytes.slice(0, below(bytes.length + 1)), // its end
  (bytes, below) => bytes.slice(below(bytes.length + 1)), // its beginning
  (bytes, below) => { // bytes more
    const at = below(bytes.length + 1), more = Uint8Array.from({ length: 1 + below(40) }, () => below(256));
    return new Uint8Array([...bytes.subarray(0, at), ...more, ...bytes.subarray(at)]);
  },
  (bytes, below) => { // a stretch twice, or filled
    const from = below(bytes.length + 1), to = below(bytes.length + 1);
    return below(2) === 0
      ? bytes.copyWithin(to, from, from + below(64))
      : bytes.fill(below(256), from, from + below(64));
  },
  (bytes, below) => { // a number
    if (bytes.length < 4) return bytes;
    new DataView(bytes.buffer, bytes.byteOffset).setUint32(
      below(bytes.length - 3),
      HUGE[below(HUGE.length)],
      below(2) === 0,
    );
    return bytes;
  },
];
