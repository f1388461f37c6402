/** The conformance suite of contexts. */
import type { Values } from "../plugin.ts";
import { optionValues } from "../options.ts";
import { shown } from "../shown.ts";
import type { ContextPixel } from "../types.ts";
import { withoutChance } from "./chance.ts";
import {
  alternatives,
  type Check,
  type CheckOptions,
  difference,
  expect,
  formChecks,
  optionChecks,
  optionsOf,
  type PluginOf,
  type SyncCheck,
  titled,
} from "./check.ts";

/** Sides of LR patches and images: one pixel, an odd side, a patch as large as its image, that of digits and faces. */
const SIDES = [[1, 4], [2, 8], [3, 16], [4, 4], [3, 64]] as const;

/**
 * The checks that every context must pass: its mask is reproducible, and lists pixels around the patch with weights in (0, 1].
 *
 * @example
 * ```ts
 * import { builtins } from "@patchloom/patchloom";
 * import { contextChecks } from "@patchloom/patchloom/testing";
 *
 * const plugin = builtins.find("context", "square"); // or your own
 * for (const [title, check] of contextChecks(plugin)) {
 *   await check(); // in a test file: Deno.test(title, check)
 *   console.log(`ok: ${title}`);
 * }
 * ```
 */
export function* contextChecks(plugin: PluginOf<"context">, options: CheckOptions = {}): Iterable<Check> {
  yield* titled(plugin, formChecks(plugin, "context"));
  yield* titled(plugin, maskChecks(plugin));
  yield* titled(plugin, optionChecks(plugin, (values) => JSON.stringify(masks(plugin, values)), options));
}

function masks(plugin: PluginOf<"context">, values: Values = optionValues(plugin, {})): readonly ContextPixel[][] {
  const context = plugin.create(values);
  return SIDES.map(([patch, size]) => [...context.mask(patch, size)]);
}

function* maskChecks(plugin: PluginOf<"context">): Iterable<SyncCheck> {
  yield ["gives the same mask every time", () => {
    const context = plugin.create(optionValues(plugin, {}));
    const wanted = JSON.stringify(masks(plugin));
    for (let time = 0; time < 2; time++) {
      const found = JSON.stringify(SIDES.map(([patch, size]) => context.mask(patch, size)));
      expect(found === wanted, plugin, "the same mask every time", difference(wanted, found));
    }
  }];
  yield ["uses no random numbers and no clock", () => withoutChance(plugin, () => masks(plugin))];
  yield ["names pixels around the patch, each once, with weights in (0, 1]", () => {
    for (const [set, values] of settings(plugin)) {
      const context = plugin.create(values);
      for (const [patch, size] of SIDES) {
        checkMask(plugin, context.mask(patch, size), patch, `in the mask of a patch of ${patch} in ${size}${set}`);
      }
    }
  }];
  yield ["names any pixel at all", () => {
    expect(masks(plugin).some((mask) => mask.length > 0), plugin, "a pixel in the mask of any size", "none");
  }];
}

/** The default values, and values with one option changed, each with a text that names the change. */
function settings(plugin: PluginOf<"context">): [set: string, values: Values][] {
  const others = optionsOf(plugin).flatMap(([name, option]) => {
    return alternatives(option).map((value): [string, Values] => {
      return [` with ${name} ${shown(value)}`, optionValues(plugin, { [name]: value })];
    });
  });
  return [["", optionValues(plugin, {})], ...others];
}

function checkMask(plugin: PluginOf<"context">, mask: readonly ContextPixel[], patch: number, where: string): void {
  const seen = new Set<string>();
  for (const { dx, dy, weight, mirrored = false } of mask) {
    const pixel = `(${dx}, ${dy})${mirrored ? " mirrored" : ""}`;
    const own = !mirrored && dx >= 0 && dx < patch && dy >= 0 && dy < patch;
    expect(Number.isInteger(dx) && Number.isInteger(dy), plugin, "integers as offsets (dx, dy)", `${pixel} ${where}`);
    expect(!own, plugin, "no pixel of the patch itself", `${pixel} ${where}`);
    expect(!seen.has(pixel), plugin, "each pixel once", `${pixel} twice ${where}`);
    expect(weight > 0 && weight <= 1, plugin, "weights in (0, 1]", `${shown(weight)} ${where}`);
    seen.add(pixel);
  }
}
