/** How files of pictures begin: apart from what decodes them, which is large. */

const JPEG = [0xff, 0xd8];
/** The first bytes of every PNG file. */
export const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** Whether bytes begin like a PNG file. */
export function isPng(bytes: Uint8Array): boolean {
  return PNG_SIGNATURE.every((byte, i) => bytes[i] === byte);
}

/** Whether bytes begin like a JPEG file. */
export function isJpeg(bytes: Uint8Array): boolean {
  return JPEG.every((byte, i) => bytes[i] === byte);
}
