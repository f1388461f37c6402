/** Regions of aligned images: what one may hold, and its checks. */
import { fail, filled, type Table } from "./entries.ts";
import type { Region } from "./metric.ts";
import { isObject } from "./options.ts";
import type { Registry } from "./registry.ts";

/** A rectangle of aligned images, by parts of their sides: it means the same at any size. */
export const REGION = {
  name: { type: "text", about: "one word, such as eyes" },
  x: { type: "number", min: 0, max: 1, about: "left edge, as a part of the width" },
  y: { type: "number", min: 0, max: 1, about: "upper edge, as a part of the height" },
  width: { type: "number", min: 0, max: 1, about: "width, as a part of the image's" },
  height: { type: "number", min: 0, max: 1, about: "height, as a part of the image's" },
} as const satisfies Table;

/**
 * Checks that the regions of an entry of a profile lie in the image, and that each has a name of its own.
 *
 * @throws Error with one sentence: the entry, what was expected and what was found.
 */
export function checkRegions(regions: readonly Region[] = [], entry: string, plugins: Registry): void {
  regions.forEach((region, r) => {
    const at = `${entry}.${r}`;
    if (!isObject(region)) fail(at, "a region", region);
    const { name, x, y, width, height } = filled(REGION, region, { plugins, at });
    const isNew = regions.findIndex((other) => other.name === name) === r;
    if (!/^[a-z][a-z-]*$/.test(name) || !isNew) fail(`${at}.name`, "a word that no other region has", name);
    for (const [side, first, length] of [["width", x, width], ["height", y, height]] as const) {
      // 0.7 + 0.3 may exceed 1 in its last bit.
      if (length <= 0 || first + length > 1 + 1e-9) fail(`${at}.${side}`, "a region inside the image", length);
    }
  });
}
