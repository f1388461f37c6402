/** The sizes of images. An image of several channels is one plane for each, one after another, row by row. */

/** The size of an image, in pixels. */
export interface Size {
  /** Rows. */
  readonly height: number;
  /** Columns. */
  readonly width: number;
}

/** A size with its channels: 1 for grey images (also if left out), 3 for red, green and blue. */
export interface Shape extends Size {
  /** Number of channels. */
  readonly channels?: number;
}

/** The largest image side, in pixels: four of its f32 images still fit into kernel memory beside a training set. */
export const LARGEST_SIDE = 4096;

/** Number of pixels of an image. */
export function areaOf({ height, width }: Size): number {
  return height * width;
}

/** Number of values of an image: its pixels in every channel. */
export function lengthOf({ height, width, channels = 1 }: Shape): number {
  return channels * height * width;
}

/** Half of both sides: the size of the LR images of HR images of that size. */
export function halfOf({ height, width }: Size): Size {
  return { height: height / 2, width: width / 2 };
}

/** The size of a square image. */
export function squareOf(side: number): Size {
  return { height: side, width: side };
}

/** A shape for error sentences: width x height, as for screens, and the channels of images that are not grey. */
export function shapeText({ height, width, channels = 1 }: Shape): string {
  return `${width}x${height}${channels === 1 ? "" : channels === 3 ? " in colour" : ` of ${channels} channels`}`;
}

/** Whether two shapes are the same. */
export function sameShape(a: Shape, b: Shape): boolean {
  return a.height === b.height && a.width === b.width && (a.channels ?? 1) === (b.channels ?? 1);
}
