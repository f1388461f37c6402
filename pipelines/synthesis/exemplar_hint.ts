import { areaOf, shapeText, type Size } from "../../core/shape.ts";
import type { DataSet } from "../../datasets/data_set.ts";

/** Above this many times the area of all exemplars, repetitions are visible at first sight. */
const MAX_TIMES = 16;

/** Says that exemplars are too small for the size of the images; undefined if they are not. */
export function exemplarHint(
  { train, exemplars }: Pick<DataSet, "train" | "exemplars">,
  size: Size,
): string | undefined {
  const areas = exemplars?.images.map(areaOf) ?? [train.images.count * areaOf(train.images)];
  const times = Math.round(areaOf(size) / areas.reduce((sum, area) => sum + area, 0));
  if (times <= MAX_TIMES) return undefined;
  const small = `exemplars of ${shapeText({ ...train.images, channels: 1 })} pixels are small for images of ${
    shapeText(size)
  }`;
  return `Hint: ${small}: what they show repeats about ${times} times; larger exemplars give more variety`;
}
