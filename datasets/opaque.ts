import type { Size } from "../core/shape.ts";

/** A rectangle of an image, in pixels. */
export interface Rectangle extends Size {
  /** Its first row. */
  readonly y: number;
  /** Its first column. */
  readonly x: number;
}

/**
 * The largest rectangle without transparent pixels; of height 0 if there is none.
 *
 * @param alpha how opaque each pixel is, 0..255, row by row
 */
export function opaqueRectangle(alpha: Uint8Array, { height, width }: Size): Rectangle {
  // Opaque pixels above each pixel of a row, itself among them; then the largest rectangle under a row of columns.
  const above = new Uint32Array(width + 1);
  let best: Rectangle = { y: 0, x: 0, height: 0, width: 0 };
  for (let y = 0; y < height; y++) {
    const starts: { x: number; tall: number }[] = [];
    for (let x = 0; x <= width; x++) {
      if (x < width) above[x] = alpha[y * width + x] === 255 ? above[x] + 1 : 0;
      const tall = above[x];
      let from = x;
      for (let last = starts.at(-1); last && last.tall >= tall; last = starts.at(-1)) {
        starts.pop();
        from = last.x;
        if (last.tall * (x - from) <= best.height * best.width) continue;
        best = { y: y + 1 - last.tall, x: from, height: last.tall, width: x - from };
      }
      if (tall > 0) starts.push({ x: from, tall });
    }
  }
  return best;
}
