/** Pen strokes: control points rounded off into a path, and the path drawn as a soft-edged line of ink. */

/** A point on the pen's path, or a control point of it, and the width of the line there. */
export interface PenPoint {
  readonly x: number;
  readonly y: number;
  /** Width of the line: in pixels where it is drawn, before that in widths of the pen. */
  readonly width: number;
}

/**
 * The path that rounds off the corners of a control polygon: from each edge's middle to the next by a parabola that the
 * corner between them pulls (a quadratic B-spline), starting and ending at the polygon's own ends. A point given twice
 * stays a corner. A parabola cannot overshoot, so moving the control points makes no kinks.
 *
 * @param control at least three points
 * @param step about the longest distance between neighbours on the path, in the points' unit
 */
export function penPath(control: readonly PenPoint[], step: number): PenPoint[] {
  const last = control.length - 1;
  const path = [control[0]];
  for (let i = 1; i < last; i++) {
    const corner = control[i];
    const from = i === 1 ? control[0] : between(control[i - 1], corner, 0.5);
    const to = i === last - 1 ? control[last] : between(corner, control[i + 1], 0.5);
    const steps = 1 + Math.floor((distance(from, corner) + distance(corner, to)) / step);
    for (let k = 1; k <= steps; k++) {
      const t = k / steps;
      path.push(between(between(from, corner, t), between(corner, to, t), t));
    }
  }
  return path;
}

/** The point a share t in [0, 1] of the way from a to b. */
function between(a: PenPoint, b: PenPoint, t: number): PenPoint {
  return { x: a.x + (b.x - a.x) * t, y: a.y + (b.y - a.y) * t, width: a.width + (b.width - a.width) * t };
}

/** Euclidean distance of two points. */
export function distance(a: PenPoint, b: PenPoint): number {
  return Math.sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y));
}

/**
 * Draws a path with round ends into a square grey image, keeping the brighter of old and new at each pixel: ink over ink
 * is still ink.
 *
 * @param pixels `size * size` grey levels, row by row; pixel (column x, row y) covers [x, x + 1) by [y, y + 1)
 * @param path spots and line widths in pixels
 * @param softness width in pixels over which the edge fades from 255 to 0
 */
export function drawPath(pixels: Uint8Array, size: number, path: readonly PenPoint[], softness: number): void {
  for (let i = 1; i < path.length; i++) {
    const a = path[i - 1];
    const b = path[i];
    const dx = b.x - a.x;
    const dy = b.y - a.y;
    const lengthSquared = dx * dx + dy * dy;
    const reach = (Math.max(a.width, b.width) + softness) / 2;
    const left = Math.max(0, Math.floor(Math.min(a.x, b.x) - reach));
    const right = Math.min(size - 1, Math.floor(Math.max(a.x, b.x) + reach));
    const top = Math.max(0, Math.floor(Math.min(a.y, b.y) - reach));
    const bottom = Math.min(size - 1, Math.floor(Math.max(a.y, b.y) + reach));
    for (let row = top; row <= bottom; row++) {
      for (let column = left; column <= right; column++) {
        const px = column + 0.5 - a.x;
        const py = row + 0.5 - a.y;
        const along = lengthSquared > 0 ? Math.max(0, Math.min(1, (px * dx + py * dy) / lengthSquared)) : 0;
        const ex = px - along * dx;
        const ey = py - along * dy;
        const inside = (a.width + (b.width - a.width) * along) / 2 - Math.sqrt(ex * ex + ey * ey);
        const ink = Math.round(255 * Math.max(0, Math.min(1, inside / softness + 0.5)));
        const at = row * size + column;
        if (ink > pixels[at]) pixels[at] = ink;
      }
    }
  }
}
