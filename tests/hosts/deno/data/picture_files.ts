/** Small pictures of the formats that nothing here writes. Colours are [red, green, blue]. */

export type Rgb = readonly [number, number, number];

const shorts = (...values: number[]) => values.flatMap((value) => [value & 255, value >> 8 & 255]);
const longs = (...values: number[]) => values.flatMap((value) => [...shorts(value), ...shorts(value >> 16)]);

/** A BMP of 24 bits; `rows` run downwards. */
export function bmpOf(rows: readonly (readonly Rgb[])[]): Uint8Array {
  const width = rows[0].length, height = rows.length, stride = Math.ceil(width * 3 / 4) * 4;
  const pixels = rows.toReversed().flatMap((row) => {
    const bytes = row.flatMap(([red, green, blue]) => [blue, green, red]);
    return [...bytes, ...new Array(stride - bytes.length).fill(0)];
  });
  const header = [...longs(54 + pixels.length, 0, 54, 40, width, height), ...shorts(1, 24)];
  return Uint8Array.from([0x42, 0x4d, ...header, ...longs(0, pixels.length, 0, 0, 0, 0), ...pixels]);
}

/** Codes of 9 bits: what LZW writes where it never repeats anything. `low` fills bytes from their lowest bit, as GIF does. */
function nineBits(codes: readonly number[], low: boolean): number[] {
  const bits = codes.flatMap((code) => Array.from({ length: 9 }, (_, i) => code >> (low ? i : 8 - i) & 1));
  return Array.from({ length: Math.ceil(bits.length / 8) }, (_, byte) => {
    return bits.slice(8 * byte, 8 * byte + 8).reduce((sum, bit, i) => sum + (bit << (low ? i : 7 - i)), 0);
  });
}

/** A GIF of 256 colours, of which the last is transparent; `rows` holds numbers of `colours`. */
export function gifOf(rows: readonly (readonly number[])[], colours: readonly Rgb[]): Uint8Array {
  const size = shorts(rows[0].length, rows.length), data = nineBits([256, ...rows.flat(), 257], true);
  const palette = Array.from({ length: 256 }, (_, i) => colours[i] ?? [0, 0, 0]).flat();
  const control = [0x21, 0xf9, 4, 1, 0, 0, 255, 0], image = [0x2c, 0, 0, 0, 0, ...size, 0];
  return Uint8Array.from([
    ...new TextEncoder().encode("GIF89a"),
    ...[...size, 0xf7, 0, 0, ...palette, ...control, ...image, 8, data.length, ...data, 0, 0x3b],
  ]);
}

/** A TIFF of one strip, little-endian, 8 bits a sample; without compression or in LZW, or with the strip's bytes as they are. */
export function tiffOf(
  width: number,
  height: number,
  samples: number,
  pixels: readonly number[],
  compression: "none" | "lzw" | { readonly deflated: Uint8Array; readonly strips?: number } = "none",
): Uint8Array {
  const [code, strip] = compression === "none"
    ? [1, pixels]
    : compression === "lzw"
    ? [5, nineBits([256, ...pixels, 257], false)]
    : [8, [...compression.deflated]];
  const strips = typeof compression === "object" ? compression.strips ?? 1 : 1;
  const bits = 8 + 2 + 12 * 10 + 4, at = bits + 2 * samples, lists = at + strip.length, isOne = strips === 1;
  const [ats, lengths] = [at, strip.length].map((value) => isOne ? [] : longs(...new Array(strips).fill(value)));
  const entries = [
    ...[[256, 4, 1, width], [257, 4, 1, height], [258, 3, samples, samples > 2 ? bits : 8]],
    ...[[259, 3, 1, code], [262, 3, 1, samples < 3 ? 1 : 2], [273, 4, strips, isOne ? at : lists], [
      277,
      3,
      1,
      samples,
    ]],
    ...[[278, 4, 1, height / strips], [279, 4, strips, isOne ? strip.length : lists + ats.length], [284, 3, 1, 1]],
  ].flatMap(([tag, type, count, value]) => [...shorts(tag, type), ...longs(count, value)]);
  const depths = shorts(...new Array(samples).fill(8));
  return Uint8Array.from([
    ...[
      0x49,
      0x49,
      42,
      0,
      ...longs(8),
      ...shorts(10),
      ...entries,
      ...longs(0),
      ...depths,
      ...strip,
      ...ats,
      ...lengths,
    ],
  ]);
}

/** WebP files of one pixel: lossy, lossless, with alpha, and an animation. */
export const WEBP = {
  lossy: "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA",
  lossless: "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==",
  alpha:
    "UklGRkoAAABXRUJQVlA4WAoAAAAQAAAAAAAAAAAAQUxQSAwAAAARBxAR/Q9ERP8DAABWUDggGAAAABQBAJ0BKgEAAQAAAP4AAA3AAP7mtQAAAA==",
  animation:
    "UklGRlIAAABXRUJQVlA4WAoAAAASAAAAAAAAAAAAQU5JTQYAAAD/////AABBTk1GJgAAAAAAAAAAAAAAAAAAAGQAAABWUDhMDQAAAC8AAAAQBxAREYiI/gcA",
} as const;
