import type { Size } from "../core/shape.ts";
import type { Images } from "../core/types.ts";

/**
 * Images of another size. A pixel is a weighted mean around its place, by a triangle as wide as two pixels of the coarser of both
 * sizes: bilinear interpolation where images grow, and no aliasing where they shrink.
 */
export function resized(images: Images, { height, width }: Size): Images {
  const { count, channels = 1, pixels, ...old } = images;
  const planes = count * channels;
  if (old.height === height && old.width === width) return images;
  const across = taps(old.width, width);
  const down = taps(old.height, height);
  const rows = new Float64Array(old.height * width);
  const out = new Uint8Array(planes * height * width);
  for (let plane = 0; plane < planes; plane++) {
    const from = plane * old.height * old.width;
    for (let y = 0; y < old.height; y++) {
      for (let x = 0; x < width; x++) {
        const { first, weights } = across[x];
        let sum = 0;
        for (let t = 0; t < weights.length; t++) sum += weights[t] * pixels[from + y * old.width + first + t];
        rows[y * width + x] = sum;
      }
    }
    for (let y = 0; y < height; y++) {
      const { first, weights } = down[y];
      for (let x = 0; x < width; x++) {
        let sum = 0;
        for (let t = 0; t < weights.length; t++) sum += weights[t] * rows[(first + t) * width + x];
        out[(plane * height + y) * width + x] = Math.round(sum);
      }
    }
  }
  return { ...images, height, width, pixels: out };
}

/** The pixels of a line of `from` that each pixel of a line of `to` is a mean of, with weights of sum 1. */
function taps(from: number, to: number): { first: number; weights: number[] }[] {
  const step = from / to;
  const reach = Math.max(1, step);
  return Array.from({ length: to }, (_, i) => {
    const centre = (i + 0.5) * step - 0.5;
    const first = Math.max(0, Math.ceil(centre - reach));
    const last = Math.min(from - 1, Math.floor(centre + reach));
    const weights = Array.from({ length: last - first + 1 }, (_, t) => 1 - Math.abs(first + t - centre) / reach);
    const sum = weights.reduce((a, b) => a + b, 0);
    // At the end of a line the nearest pixel may be all there is, at the edge of the triangle.
    return { first, weights: sum > 0 ? weights.map((weight) => weight / sum) : weights.map(() => 1 / weights.length) };
  });
}
