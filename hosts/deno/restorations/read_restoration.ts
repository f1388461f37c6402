/** Reads what `restore` restores: images and the training images that they are restored from. */
import type { Plan } from "../../../core/plan.ts";
import type { Profile } from "../../../core/profile.ts";
import { pad } from "../../../core/pyramid.ts";
import { areaOf, shapeText, type Size } from "../../../core/shape.ts";
import type { Images } from "../../../core/types.ts";
import type { DataSet, LabelledImages } from "../../../datasets/data_set.ts";
import { labelsAmong } from "../../../datasets/groups.ts";
import {
  checkImages,
  checkMask,
  type Degradation,
  maskNames,
  maskOf,
} from "../../../pipelines/restoration/degradation.ts";
import { RequestError } from "../system/request_error.ts";
import { colourFaces, faces } from "../../../datasets/profiles/mod.ts";
import { findData } from "../data/find_data.ts";
import type { GivenExperiment } from "../experiments/read_experiment.ts";
import { readImageSet } from "../data/read_image_set.ts";
import { type Photograph, readPhotograph } from "./read_photograph.ts";
import { missingOf, readMaskPicture } from "./read_mask.ts";

/** The images that are asked for. */
export interface ImagesRequest {
  /** The path of clean images, or of degraded ones; by default the test images. */
  readonly images?: string;
  readonly degraded?: string;
  /** The path of the training images, and of the labels of the images. */
  readonly data?: string;
  readonly labels?: string;
  /** One class only, by its number or name; "all": all classes together. */
  readonly class?: string;
  readonly size?: Size;
  /** Whether the degraded image is a whole photograph, whose face is restored. */
  readonly faces?: boolean;
}

/** Images to restore. */
export interface ToRestore {
  readonly plan: Plan;
  readonly data: DataSet;
  /** The images; their labels are those of the training images that they are restored from. */
  readonly set: LabelledImages;
  /** height x width of the plan's size: 1 where a pixel is known. */
  readonly known: Float32Array;
  /** The photograph whose face they are. */
  readonly photograph?: Photograph;
}

/** The images, how they were degraded, and what plans the restoration by a profile. */
interface Request {
  readonly given: ImagesRequest;
  readonly degradation: Degradation;
  planOf(profile: Profile): Plan;
}

/**
 * Reads the images to restore, the test images where no path is given.
 *
 * @throws {Error} if they cannot be read, or if the mask hides all or none of their pixels
 */
export async function readRestoration(
  { profile, packed, quiet }: GivenExperiment,
  { given, degradation, planOf }: Request,
): Promise<ToRestore> {
  const plan = planOf(profile), { channels, sizes: [size] } = plan, path = given.images ?? given.degraded;
  const data = await findData(profile.dataset, given.data ?? packed, undefined, { channels, size, quiet });
  if (given.faces) return { plan, data, ...await readFace(profile, given, degradation, plan) };
  if (path === undefined && data.test.images.count === 0) {
    throw new Error(`Cannot restore test images of ${data.name}, which holds none: expected --images or --degraded`);
  }
  const set = path === undefined ? data.test : await readSet(path, given.labels, data, channels);
  const isDegraded = given.degraded !== undefined;
  if (path !== undefined) checkImages(set.images, plan, { task: degradation.task, isDegraded, path });
  const known = degradation.mask === undefined
    ? new Float32Array(areaOf(size)).fill(1)
    : await readMask(degradation.mask, size, set.images, data.train.images);
  return { plan, data, set, known };
}

/** Reads the face of a photograph. */
async function readFace(
  { name, dataset }: Profile,
  { degraded }: ImagesRequest,
  { mask }: Degradation,
  { channels, sizes: [{ height: side }] }: Plan,
): Promise<Pick<ToRestore, "set" | "known" | "photograph">> {
  if (dataset !== faces.dataset && dataset !== colourFaces.dataset) {
    throw new RequestError(`Cannot use --faces with the profile ${name}: expected one of faces, such as colour-faces`);
  }
  if (degraded === undefined || mask === undefined || maskNames.includes(mask)) {
    throw new RequestError("restore --faces needs --task inpaint, --degraded with one photograph, and --mask FILE");
  }
  const { photograph, images, known } = await readPhotograph(degraded, mask, channels, side);
  checkMask(known, mask, { height: side, width: side }, images);
  return { set: { images }, known, photograph };
}

/**
 * Returns the mask of that name, or reads it from a file.
 *
 * @throws {Error} if it hides all or none of the images' pixels
 */
async function readMask(name: string, full: Size, images: Images, training: Images): Promise<Float32Array> {
  const mask = maskNames.includes(name) ? maskOf(name, full) : await maskFromFile(name, full, [images, training]);
  checkMask(mask, name, full, images);
  return mask;
}

/** Reads a mask of the profile's size, or of the size of images before they are padded. White is missing. */
async function maskFromFile(path: string, full: Size, images: readonly Images[]): Promise<Float32Array> {
  const mask = await readMaskPicture(path);
  const sizes = new Set([full, ...images].map(({ height, width }) => shapeText({ height, width })));
  if (sizes.has(shapeText(mask))) {
    const missing = { count: 1, height: mask.height, width: mask.width, pixels: missingOf(mask) };
    return Float32Array.from(pad(missing, 0, full), (one) => 1 - one);
  }
  throw new Error(`Cannot use the mask ${path}: expected ${[...sizes].join(" or ")} pixels, got ${shapeText(mask)}`);
}

/** Reads images to restore, with their classes in the numbering of the training images. */
async function readSet(
  path: string,
  labelsPath: string | undefined,
  data: DataSet,
  channels: 1 | 3,
): Promise<LabelledImages> {
  const set = await readImageSet(path, labelsPath, { channels });
  return { images: set.images, labels: data.train.labels ? labelsAmong(set, data.classes, path) : set.labels };
}
