/** Finds what speaks against publishing assessed images, beside what they reveal: all that was not assessed. */
import { shapeText, type Size } from "../../../core/shape.ts";
import { isMuchSmaller } from "../../../datasets/fit_to_profile.ts";
import { counted } from "../../../core/counted.ts";
import type { AssessmentRequest } from "../../../pipelines/assessment/assessment.ts";
import type { ImageSet } from "../data/read_image_set.ts";
import { filesWithMore, moreText } from "./beside_pixels.ts";
import { unassessedFiles, unassessedText } from "./unassessed_files.ts";

/**
 * Returns objections, sentences: images of other classes than those that were assessed, images of another size than the training
 * images, files that no image was read from, and files that hold more than the images.
 *
 * @param request what was assessed
 * @param asRead the images as they were read, not padded
 */
export async function gateObjections(
  { path, classes, data, set: { labels } }: AssessmentRequest,
  asRead: ImageSet,
): Promise<string[]> {
  const others = classes[0] === undefined ? [] : [...labels ?? []].filter((label) => !classes.includes(label));
  const beside = await unassessedFiles(path, asRead), more = await filesWithMore(path, asRead);
  return [
    ...others.length > 0 ? [`${counted(others.length, "image")} in ${path} of other classes: not assessed`] : [],
    ...otherSize(asRead.images, data.paddedFrom ?? data.train.images),
    ...beside.length > 0 ? [unassessedText(path, beside)] : [],
    ...more.length > 0 ? [moreText(more)] : [],
  ];
}

/** The objection to images that are larger or smaller than training images: copies of these are not found among them. */
function otherSize(images: Size, training: Size): string[] {
  if (!isMuchSmaller(images, training) && !isMuchSmaller(training, images)) return [];
  const [own, theirs] = [images, training].map(({ height, width }) => shapeText({ height, width }));
  return [`the images have ${own} pixels and the training images ${theirs}: copies at another size are not found`];
}
