/** Checks what a prior drew: a wrong number would spread over the whole image, and end as white pixels. */
import type { Draw } from "./batch.ts";
import { pluginError } from "./plugin_error.ts";
import type { Plugin } from "./plugin.ts";
import type { Rows } from "./types.ts";

/** Sums of f32 products may lie beyond 0 or 1 by so much: weights of a mean that sum to 1 in ten steps of rounding. */
const ROUNDING = 1e-6;

/** Says where a draw is, in errors. */
export function phaseOf({ layer, location }: Pick<Draw, "layer" | "location">): string {
  return `draw at (${location.x}, ${location.y}), layer ${layer}`;
}

/**
 * Checks that a draw filled all patches with numbers in [0, 1], and that each source is a patch of a training image, or -1.
 *
 * @param training The training images of the layer.
 * @param patch n: side of a patch.
 * @throws Error that names the plugin and the place, with the first wrong number
 */
export function checkDraw(plugin: Plugin<"prior">, draw: Draw, training: Rows, patch: number): void {
  const { out: { patches, sources } } = draw, rows = training.height - patch, columns = training.width - patch;
  for (let p = 0; p < patches.length; p++) {
    const value = patches[p];
    if (value >= -ROUNDING && value <= 1 + ROUNDING) continue;
    const drew = Number.isNaN(value) ? "left a patch unfilled or not a number" : `drew ${value}`;
    const wanted = Number.isNaN(value) ? "" : ": expected numbers in [0, 1]";
    throw pluginError(plugin, `${drew} in ${phaseOf(draw)}${wanted}`);
  }
  for (let b = 0; b < sources.length; b += 3) {
    const image = sources[b], y = sources[b + 1], x = sources[b + 2];
    if (image === -1) continue;
    if (image >= 0 && image < training.count && y >= 0 && y <= rows && x >= 0 && x <= columns) continue;
    const wanted = `-1 or (image, y, x) below (${training.count}, ${rows + 1}, ${columns + 1})`;
    const got = `(${image}, ${y}, ${x})`;
    throw pluginError(plugin, `named a wrong source in ${phaseOf(draw)}: expected ${wanted}, got ${got}`);
  }
}
