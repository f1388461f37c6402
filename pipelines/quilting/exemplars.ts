/** Exemplars of a texture, as images are quilted of them. */
import { areaOf, type Shape } from "../../core/shape.ts";

/** Images in [0, 1], one after another, in planes of their channels. */
export interface Exemplars extends Shape {
  /** Number of exemplars. */
  readonly count: number;
  /** 1 grey, 3 red, green and blue. */
  readonly channels: number;
  /** count x channels x height x width values in [0, 1]. */
  readonly values: Float32Array;
}

/** Halves exemplars: each pixel is the mean of four. A last odd row or column is left out. */
export function halved({ count, channels, height, width, values }: Exemplars): Exemplars {
  const half = { height: height >> 1, width: width >> 1 }, area = areaOf(half);
  const out = new Float32Array(count * channels * area);
  for (let i = 0; i < out.length; i++) {
    const y = Math.floor(i % area / half.width), x = i % half.width;
    const first = (Math.floor(i / area) * height + 2 * y) * width + 2 * x;
    out[i] = (values[first] + values[first + 1] + values[first + width] + values[first + width + 1]) / 4;
  }
  return { count, channels, ...half, values: out };
}
