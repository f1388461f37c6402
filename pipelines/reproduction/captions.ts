/** Words of captions that depend on what a run has: a short one has few images, and not of every class. */
import { evenlySpaced } from "../../core/numbers.ts";
import { writtenValues } from "../../core/options.ts";
import type { Chosen } from "../../core/registry.ts";
import { settingsText } from "../assessment/assessment_results.ts";

/** A plugin with its options in words. */
export function pluginText({ plugin, values }: Chosen<"prior" | "context">): string {
  const options = settingsText(writtenValues(plugin, values) as Record<string, number | string>);
  return options === "" ? plugin.name : `${plugin.name}: ${options}`;
}

/** The classes of rows: "Digits 0 to 4", or those that are there. */
export function digitsText(rows: readonly { readonly label?: number }[]): string {
  const labels = [...new Set(rows.map(({ label }) => label!))];
  if (labels.length === 1) return `Digit ${labels[0]}`;
  const isRun = labels.every((label, i) => label === labels[0] + i) && labels.length > 2;
  return `Digits ${isRun ? `${labels[0]} to ${labels.at(-1)}` : labels.join(", ")}`;
}

/** What a figure of the images of the lowest likelihood shows: of a short run, nearly all of them. */
export function lowestText(what: string, shown: number, of: number): string {
  return shown < of
    ? `The ${shown} of ${of} ${what} of the lowest log-likelihood`
    : `All ${of} ${what}, the lowest log-likelihood first`;
}

/** How many images figures of unlikely images have at most. */
const LOWEST = 16;

/** How many images a figure of unlikely ones shows: of a short run a quarter, since the others are likely ones. */
export function lowestCount(of: number): number {
  return Math.min(LOWEST, Math.ceil(of / 4));
}

/**
 * Takes `count` of the lowest tenth, evenly; of a short run, whose tenth has fewer, the `count` lowest, or all. No image twice.
 *
 * @param order the images, the lowest first
 */
export function lowestTenth(order: readonly number[], count: number): number[] {
  const tenth = order.slice(0, Math.max(count, Math.ceil(order.length / 10)));
  return Array.from(evenlySpaced(tenth.length, count), (i) => tenth[i]);
}

/** Says why figure 15a is missing, where it is: where the images of the lowest tenth are fewer than it shows, it is figure 11. */
export function figure15Note(images: number): string | undefined {
  if (images >= 10 * lowestCount(images)) return undefined;
  return `Figure 15a is left out: it shows the lowest tenth, which of ${images} images are those of figure 11.`;
}

/** Says why figure 17 is missing, where it is; `eights`: how many test images of eights there are. */
export function figure17Note(eights: number): string | undefined {
  if (eights >= 2) return undefined;
  return `Figure 17 is left out: it needs two seed images of an 8, and there ${eights === 1 ? "is one" : "is none"}.`;
}
