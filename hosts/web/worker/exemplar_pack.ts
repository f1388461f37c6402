/** Makes a pack of one picture, the exemplar of a texture. */
import type { Kernels } from "../../../core/kernels.ts";
import { leastSide, plan } from "../../../core/plan.ts";
import { LARGEST_SIDE, shapeText, type Size } from "../../../core/shape.ts";
import type { Images } from "../../../core/types.ts";
import { noneOf } from "../../../datasets/data_set.ts";
import { greyIfGrey, largeEnough, opaquePart } from "../../../datasets/exemplars.ts";
import { type Composited, composited } from "../../../datasets/formats/colour.ts";
import type { Rgba } from "../../../datasets/formats/exif.ts";
import { decodeJpeg } from "../../../datasets/formats/jpeg.ts";
import type { Pack } from "../../../datasets/formats/pack.ts";
import { readPng } from "../../../datasets/formats/png.ts";
import { isPng } from "../../../datasets/formats/signatures.ts";
import { texture } from "../../../datasets/profiles/mod.ts";
import { resized } from "../../../datasets/resize.ts";
import { makePack } from "../../../pipelines/synthesis/make_pack.ts";
import { builtins } from "../../../plugins/mod.ts";
import { exemplarSize } from "../state/own_data.ts";

/** A picture: the bytes of its file where that is a PNG or JPEG, or else its pixels as the browser decodes them. */
export type ExemplarSource = Uint8Array | DecodedExemplar;

/** A picture that the browser has decoded. */
export interface DecodedExemplar extends Rgba {
  /** The size of the picture in its file, if the browser has scaled it down. */
  readonly original?: Size;
}

/** How pictures are read: in colour, as `synth --profile texture` reads them. */
const READING = { channels: 3, largestSide: LARGEST_SIDE } as const;

/**
 * Makes a pack of a picture. Its images are byte-identical to those of `synth --profile texture` of the same PNG or JPEG, which
 * decodes it with the same code, unless the picture is scaled down.
 *
 * @param name the file's name, for people
 * @throws {Error} if the picture is damaged or too small
 */
export function exemplarPack(kernels: Kernels, from: ExemplarSource, name: string): Pack {
  const { alpha, ...picture } = decoded(from, name), planned = plan(texture, builtins);
  const whole: Images = { count: 1, ...picture }, opaque = opaquePart(whole, alpha, name);
  const fitting = resized(opaque, exemplarSize(opaque));
  largeEnough(fitting, leastSide(planned), name);
  const train = greyIfGrey({ images: fitting }), { channels = 1 } = train.images;
  const size = shapeText({ height: fitting.height, width: fitting.width });
  const original = from instanceof Uint8Array ? whole : from.original ?? whole;
  const scaled = fitting.height < original.height && !alpha
    ? `, scaled down from ${shapeText({ height: original.height, width: original.width })}`
    : "";
  const title = `your picture ${name}, ${size} pixels${scaled}`;
  const { height, width } = planned.sizes[0];
  const profile = { ...texture, channels: channels as 1 | 3, size: [width, height] as const };
  const data = { name, origin: title, title, train, test: noneOf(train), files: [] };
  return { ...makePack(kernels, plan(profile, builtins), data, { seedImagesPerClass: 1 }), origin: title };
}

/** Decodes a picture into planes of red, green and blue. */
function decoded(from: ExemplarSource, name: string): Composited {
  if (from instanceof Uint8Array && isPng(from)) return readPng(from, name, READING);
  return composited(from instanceof Uint8Array ? jpegOf(from, name) : from, READING);
}

function jpegOf(bytes: Uint8Array, name: string): Rgba {
  const check = (width: number, height: number) => {
    if (Math.max(width, height) <= LARGEST_SIDE) return;
    throw new RangeError(`it has ${width}x${height} pixels, expected sides of up to ${LARGEST_SIDE}`);
  };
  try {
    return decodeJpeg(bytes, check);
  } catch (cause) {
    throw new Error(`Cannot use ${name}, a damaged or unusual JPEG: ${(cause as Error).message}`, { cause });
  }
}
