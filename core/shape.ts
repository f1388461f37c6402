/** The sizes of images. An image of several channels is as many planes, one after another, row by row. */

/** In pixels. */
export interface Size {
  readonly height: number;
  readonly width: number;
}

/** A size with its channels: 1 grey, 3 red, green and blue; 1 where they are left out. */
export interface Shape extends Size {
  readonly channels?: number;
}

/** The largest image side, in pixels: four of its f32 images still fit into kernel memory beside a training set. */
export const LARGEST_SIDE = 4096;

/** Pixels of an image. */
export function areaOf({ height, width }: Size): number {
  return height * width;
}

/** Values of an image: its pixels in every channel. */
export function lengthOf({ height, width, channels = 1 }: Shape): number {
  return channels * height * width;
}

/** Half of both sides: the LR images of HR images of that size. */
export function halfOf({ height, width }: Size): Size {
  return { height: height / 2, width: width / 2 };
}

/** A square of that side. */
export function squareOf(side: number): Size {
  return { height: side, width: side };
}

/** For error sentences: width x height, as screens are measured, and the colours where there are some. */
export function shapeText({ height, width, channels = 1 }: Shape): string {
  return `${width}x${height}${channels === 1 ? "" : channels === 3 ? " in colour" : ` of ${channels} channels`}`;
}

/** Whether two shapes are the same. */
export function sameShape(a: Shape, b: Shape): boolean {
  return a.height === b.height && a.width === b.width && (a.channels ?? 1) === (b.channels ?? 1);
}
