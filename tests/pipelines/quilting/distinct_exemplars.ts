/** Exemplars of which each pixel can be found again. */
import { assertAlmostEquals } from "@std/assert";
import type { Exemplars } from "../../../pipelines/quilting/exemplars.ts";

/** Exemplars in three channels whose pixel (y, x) of image i is a number that no other has, spread over the channels. */
export function distinct(count: number, height: number, width: number): Exemplars {
  const area = height * width, values = new Float32Array(count * 3 * area);
  for (let n = 0; n < values.length; n++) {
    const image = Math.floor(n / (3 * area)), channel = Math.floor(n / area) % 3, p = n % area;
    values[n] = channel === 0 ? image / count : channel === 1 ? Math.floor(p / width) / height : p % width / width;
  }
  return { count, height, width, channels: 3, values };
}

/** Which exemplar's pixel each pixel of a quilt of `distinct` exemplars is. */
export function sourcesOf({ count, height, width }: Exemplars, out: Float32Array) {
  const area = out.length / 3;
  return Array.from({ length: area }, (_, p) => {
    const [image, y, x] = [count * out[p], height * out[area + p], width * out[2 * area + p]];
    for (const value of [image, y, x]) assertAlmostEquals(value, Math.round(value), 1e-4);
    return [Math.round(image), Math.round(y), Math.round(x)];
  });
}
