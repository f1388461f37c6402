/** Makes a data set of pictures of any sizes: all of one size, sorted into the same class folders. */
import { extname, join } from "@std/path";
import type { Size } from "../../../core/shape.ts";
import type { Images } from "../../../core/types.ts";
import { borderColour, padded } from "../../../datasets/border.ts";
import { cutOut } from "../../../datasets/crops.ts";
import { type Colour, type Composited, WHITE } from "../../../datasets/formats/colour.ts";
import { alphaPng, pngOf } from "../../../datasets/formats/write_png.ts";
import { resized } from "../../../datasets/resize.ts";
import { progress } from "../cli/progress.ts";
import { openOutFolder } from "../output/out_folder.ts";
import { readFile } from "./read_files.ts";
import { readPicture } from "./read_picture.ts";
import { imageOf, listPictures } from "./read_pictures.ts";

/** How a picture of another shape is brought to the size: cropped to its middle, padded with a border, or stretched. */
export const FITS = ["crop", "pad", "stretch"] as const;
export type Fit = typeof FITS[number];

/** What was imported. */
export interface Imported {
  readonly pictures: number;
  /** The class folders; none if the pictures are in none. */
  readonly classes: readonly string[];
  /** Pictures with transparent pixels. */
  readonly transparent: number;
  /** Pictures in formats that are not read, below the folder. */
  readonly others: readonly string[];
}

/** Photographs may be larger than the images of a data set. */
const LARGEST_SIDE = 16384;

/** A picture to import: its path below the folder, and where it goes below the other one. */
interface Moved {
  readonly name: string;
  readonly target: string;
}

/**
 * Reads all pictures of a folder and its class folders, brings each to a size and writes it as PNG to the same place below `out`.
 *
 * @param options `background`: what transparent pixels are composited on; undefined if they stay transparent
 * @param force whether to replace files that Patchloom did not write
 * @param came returns whether the user asked to stop
 * @throws one sentence with the file that cannot be read, or with what is in the way
 */
export async function importPictures(
  folder: string,
  out: string,
  { size, fit, background }: { readonly size: Size; readonly fit: Fit; readonly background: Colour | undefined },
  force: boolean,
  came: () => boolean,
): Promise<Imported> {
  const { names, classes, others } = await listPictures(folder), moved = targets(folder, names);
  const reading = { channels: 3, background: background ?? WHITE, largestSide: LARGEST_SIDE } as const;
  await using written = await openOutFolder(out, {
    command: "data import",
    planned: moved.map(({ target }) => target),
    force,
  });
  const shown = progress("pictures", false);
  let transparent = 0;
  try {
    for (const [i, { name, target }] of moved.entries()) {
      if (came()) throw new Error("Stopped before all pictures were imported");
      const path = join(folder, name), picture = await readPicture(await readFile(path), path, reading);
      if (picture.alpha) transparent++;
      const image = fitted(imageOf(picture), size, fit), alpha = background ? undefined : alphaOf(picture, size, fit);
      const grey = greyIfGrey(image);
      await written.write([target, alpha ? alphaPng(image, alpha, WHITE) : pngOf(grey, grey.pixels)]);
      shown.update((i + 1) / moved.length);
    }
  } finally {
    shown.end();
  }
  await written.finish({ from: folder, size: [size.width, size.height], fit, background: background ?? "none" });
  return { pictures: names.length, classes, transparent, others };
}

/** Where pictures go: characters that not every file system takes become `_`. */
function targets(folder: string, names: readonly string[]): Moved[] {
  const taken = new Map<string, string>();
  return names.map((name) => {
    const parts = name.slice(0, name.length - extname(name).length).split("/");
    const target = parts.map((part) => part.replace(/[^\p{L}\p{N} ._()+-]/gu, "_")).join("/") + ".png";
    const before = taken.get(target);
    if (before) throw new Error(`Cannot import ${folder}: ${before} and ${name} would both become ${target}`);
    taken.set(target, name);
    return { name, target };
  });
}

/** An image of the size. */
export function fitted(image: Images, size: Size, fit: Fit): Images {
  const { height, width } = image;
  if (fit === "stretch") return resized(image, size);
  const ratios = [size.width / width, size.height / height];
  const scale = fit === "crop" ? Math.max(...ratios) : Math.min(...ratios);
  const side = (own: number, most: number) => {
    const scaled = Math.max(1, Math.round(own * scale));
    return fit === "crop" ? Math.max(scaled, most) : Math.min(scaled, most);
  };
  const whole = resized(image, { height: side(height, size.height), width: side(width, size.width) });
  if (fit === "pad") return padded(whole, size, borderColour(image));
  const y = (whole.height - size.height) >> 1, x = (whole.width - size.width) >> 1;
  return cutOut([whole], [{ image: 0, y, x }], size);
}

/** How opaque each pixel of a fitted picture is; undefined if the picture is wholly opaque. */
function alphaOf({ height, width, alpha }: Composited, size: Size, fit: Fit): Uint8Array | undefined {
  return alpha && fitted({ count: 1, height, width, pixels: alpha }, size, fit).pixels;
}

function greyIfGrey(image: Images): Images {
  const { channels = 1, height, width, pixels } = image, area = height * width;
  if (channels === 1) return image;
  for (let p = 0; p < area; p++) {
    if (pixels[p] !== pixels[area + p] || pixels[p] !== pixels[2 * area + p]) return image;
  }
  return { count: 1, height, width, pixels: pixels.subarray(0, area) };
}
