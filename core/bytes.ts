/** From values in [0, 1] to the bytes of a picture. */

/** The byte of a value: [0, 1] to 0 .. 255, rounded half up. Values outside [0, 1] are clamped, as the kernel `toBytes` does. */
export function byteOf(value: number): number {
  return Math.floor(Math.min(Math.max(value, 0), 1) * 255 + 0.5);
}
