/** Checks what a thread with third-party plugins answers. */
import type { Nearest } from "../../core/nearest.ts";
import { lengthOf } from "../../core/shape.ts";
import type { Job, Task } from "./job.ts";
import type { SharedStructure } from "./structures.ts";
import type { GroupImage } from "./synthesized_image.ts";

/**
 * Checks images of a thread with third-party plugins: a plugin there could forge the result of a task. Files are named by the
 * numbers of images.
 *
 * @throws {Error} if they are not the images of the task
 */
export function checkImages(
  images: readonly GroupImage[],
  task: Task,
  { plan, groups, minLl, traced }: Job,
): void {
  const { sizes: [size], channels, aligned } = plan, { count } = groups[task.group].training;
  const length = lengthOf({ ...size, channels });
  const isImage = (image: number) => Number.isInteger(image) && image >= 0 && image < count;
  const isBits = (bits: unknown) => bits instanceof Uint8Array && bits.length === Math.ceil(count / 8);
  const isNearest = ({ image, distance, trainingDistance }: Nearest) => {
    return isImage(image) && typeof distance === "number" && typeof trainingDistance === "number";
  };
  const isShared = ({ image, correlation }: SharedStructure) => {
    return (image === -1 || isImage(image)) && typeof correlation === "number";
  };
  const fits = images?.length === task.numbers.length && images.every((image, i) => {
    const { number, group, pixels, nearest, structure, contributors, correction, tries, ll, lineage } = image;
    return number === task.numbers[i] && group === task.group && pixels instanceof Uint8Array &&
      pixels.length === length && (aligned ? nearest !== undefined && isNearest(nearest) : nearest === undefined) &&
      (structure === undefined || isShared(structure)) &&
      contributors.every(({ image, share }) => (image === -1 || isImage(image)) && typeof share === "number") &&
      typeof correction === "number" && (tries === undefined || typeof tries === "number") &&
      (ll === undefined ? minLl === undefined : typeof ll === "number") &&
      (traced ? isBits(lineage?.dependsOn) && isBits(lineage?.drawnFrom) : lineage === undefined);
  });
  if (fits) return;
  throw new Error(
    "Cannot use what a worker with third-party plugins made: expected the images of its task, got other ones",
  );
}
