import type { Plan } from "../../core/plan.ts";
import type { Option } from "../../core/plugin.ts";
import type { LabelledImages } from "../../datasets/data_set.ts";
import { chosenBy, classText } from "../../datasets/groups.ts";
import { counted } from "../report/counted.ts";

/** Above this part of the training images, neighbours are hardly nearer than the others: their mean is blurred. */
const MAX_SHARE = 1 / 5;

/**
 * Says that a prior draws from so many of few training images that the images are blurred; undefined if none does.
 *
 * @param classes the classes to synthesize; [undefined] for all images together
 */
export function neighboursHint(
  { aligned, layers, pixelArt }: Plan,
  { train, classes: names }: { readonly train: LabelledImages; readonly classes?: readonly string[] },
  classes: readonly (number | undefined)[],
): string | undefined {
  // Pixel art takes each pixel from one patch, by vote: nothing is blurred.
  if (!aligned || pixelArt) return undefined;
  const chosen = layers.flatMap(({ prior: { plugin, values } }) => {
    const { neighbours } = plugin.options as Readonly<Record<string, Option>>, given = values.neighbours;
    return neighbours?.words?.auto !== undefined && typeof given === "number" ? [given] : [];
  });
  const most = Math.max(0, ...chosen);
  const counts = classes.map((label) => ({ label, count: chosenBy(train.labels, label, train.images.count).length }));
  const least = counts.reduce((a, b) => b.count < a.count ? b : a);
  if (most <= least.count * MAX_SHARE) return undefined;
  const ofClass = least.label === undefined ? "" : ` of class ${classText(names, least.label)}`;
  const images = `${counted(least.count, "training image")}${ofClass}`;
  return `Hint: ${most} neighbours of ${images} blur the images; --set prior.neighbours=auto takes fewer`;
}
