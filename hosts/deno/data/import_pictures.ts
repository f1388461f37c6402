/** Makes a data set of pictures of any sizes: all of one size, sorted into the same class folders. */
import { dirname, extname, join } from "node:path";
import { shapeText, type Size } from "../../../core/shape.ts";
import type { Images } from "../../../core/types.ts";
import { borderColour, padded } from "../../../datasets/border.ts";
import { isColourful, withChannels } from "../../../datasets/channels.ts";
import { aligned, type Alignment, congeal } from "../../../datasets/congealing.ts";
import { cutOut } from "../../../datasets/crops.ts";
import { type Colour, type Composited, type Reading, WHITE } from "../../../datasets/formats/colour.ts";
import { alphaPng, pngOf } from "../../../datasets/formats/write_png.ts";
import { resized } from "../../../datasets/resize.ts";
import { progress } from "../system/progress.ts";
import { stoppable, type StopSignals } from "../system/stop_signals.ts";
import { openOutFolder, type OutFolder } from "../folders/out_folder.ts";
import { readFile } from "./read_files.ts";
import { faultOfIt, LARGEST_PHOTOGRAPH, readPicture } from "./read_picture.ts";
import { imageOf, listAlbum, listPictures } from "./read_pictures.ts";

/**
 * How a picture is brought to the size: scaled and cropped to its middle, scaled and padded with a border, stretched, or put into the
 * middle with the pixels that it has.
 */
export type Fit = "crop" | "pad" | "stretch" | "keep";

/** What was imported. */
export interface Imported {
  readonly pictures: number;
  /** The class folders; none if the pictures are in none. */
  readonly classes: readonly string[];
  /** The size of the images. */
  readonly size: Size;
  /** Pictures with transparent pixels. */
  readonly transparent: number;
  /** Pictures that got a border. */
  readonly bordered: number;
  /** Whether most pictures have few colours, as sprites and glyphs have. */
  readonly drawn: boolean;
  /** Pictures of few colours that are no larger than sprites and were scaled, which blurs them. */
  readonly blurred: number;
  /** How each picture was moved, if they were aligned. */
  readonly alignments: readonly Alignment[];
  /** Pictures in formats that are not read, below the folder. */
  readonly others: readonly string[];
  /** Why pictures are left out that cannot be read, by their path below the folder. */
  readonly damaged: ReadonlyMap<string, string>;
}

/** How pictures are brought to a size. */
export interface Fitting {
  /** By default, with "keep" alone, the least that holds every picture; its sides are multiples of 8. */
  readonly size?: Size;
  readonly fit: Fit;
  /** What transparent pixels are composited on; undefined if they stay transparent. */
  readonly background: Colour | undefined;
  /** Whether the pictures of a class are aligned with each other: see `congeal`. The size must be square. */
  readonly align?: boolean;
  /** Whether to take the pictures of all folders in the folder, without classes. */
  readonly flat?: boolean;
}

/** Side of the images by which pictures are aligned: the finest of `congeal`. */
const CONGEALED = 32;

/** The largest side of a sprite, and a multiple of the sides of images whose pyramid is halved three times, as that of sprites is. */
const LARGEST_SPRITE = 64, SPRITE_UNIT = 8;

/** A picture to import: its path below the folder, and where it goes below the other one. */
interface Moved {
  readonly name: string;
  readonly target: string;
}

/**
 * Reads all pictures of a folder and its class folders, brings each to a size and writes it as PNG to the same place below `out`.
 * Those that cannot be read are left out.
 *
 * @param force whether to replace files that Patchloom did not write
 * @param signals tell that the user asked to stop
 * @throws one sentence if none can be read, or with what is in the way; if it was stopped, with what is kept
 */
export async function importPictures(
  folder: string,
  out: string,
  fitting: Fitting,
  force: boolean,
  signals: StopSignals,
): Promise<Imported> {
  const { background, flat = false } = fitting,
    { names, classes, others } = await (flat ? listFlat : listPictures)(folder);
  const moved = targets(folder, names, flat);
  await using written = await openOutFolder(out, {
    command: "data import",
    planned: moved.map(({ target }) => target),
    force,
    inputs: [folder],
  });
  const kept = () => `${out} is ${written.isBegun ? "not finished; import again" : "unchanged"}`;
  return await stoppable(signals, kept, async () => {
    const { signal } = signals, { size: given, fit, align = false } = fitting, damaged = new Map<string, string>();
    const reading = { channels: 3, background: background ?? WHITE, largestSide: LARGEST_PHOTOGRAPH } as const;
    const size = given ?? await sizeOfAll(folder, names, reading, signal, damaged);
    const alignments = align ? await alignAll(folder, names, size, fit, reading, signal, damaged) : undefined;
    const how = { folder, size, fit, reading, isTransparent: background === undefined, alignments, damaged };
    const { drawn, ...counts } = await writeFitted(written, moved, how, signal).catch((cause) => {
      if (!written.isBegun) throw cause;
      throw new Error(`${cause.message}; ${out} is not finished: import again`, { cause });
    });
    const [first] = damaged, pictures = names.length - damaged.size;
    if (pictures === 0) throw new Error(`Cannot use ${join(folder, first[0])}: ${first[1]}`);
    await written.finish({
      from: folder,
      size: [size.width, size.height],
      fit,
      align,
      background: background ?? "none",
    });
    const found = (alignments ?? []).filter((one) => one !== undefined);
    return { pictures, classes, size, ...counts, drawn: 2 * drawn > pictures, alignments: found, others, damaged };
  });
}

/** How the pictures of a folder are fitted. */
interface FittedPictures {
  readonly folder: string;
  readonly size: Size;
  readonly fit: Fit;
  readonly reading: Reading;
  /** Whether transparent pixels stay so. */
  readonly isTransparent: boolean;
  /** How each picture is moved, if they are aligned. */
  readonly alignments?: readonly (Alignment | undefined)[];
  /** Gets why pictures are left out. */
  readonly damaged: Map<string, string>;
}

/** Fits pictures and writes each. Returns how many of them are of some kinds. */
async function writeFitted(
  out: OutFolder,
  moved: readonly Moved[],
  { folder, size, fit, reading, isTransparent, alignments, damaged }: FittedPictures,
  signal: AbortSignal,
): Promise<Record<"transparent" | "bordered" | "drawn" | "blurred", number>> {
  const shown = progress("pictures", false);
  let transparent = 0, bordered = 0, drawn = 0, blurred = 0;
  try {
    for (const [i, { name, target }] of moved.entries()) {
      if (signal.aborted) throw new Error("Stopped before all pictures were imported");
      const picture = damaged.has(name) ? undefined : await readUndamaged(folder, name, reading, damaged);
      if (!picture) continue;
      if (fit === "keep") checkFits(picture, join(folder, name), size);
      if (picture.alpha) transparent++;
      if (hasBorder(picture, size, fit)) bordered++;
      if (hasFewColours(picture)) drawn++;
      if (isBlurred(picture, size, fit)) blurred++;
      const inPlace = (image: Images) => alignments ? aligned(image, alignments[i]!) : image;
      const image = inPlace(fitted(imageOf(picture), size, fit));
      const opaque = isTransparent ? alphaOf(picture, size, fit) : undefined;
      const shade = isColourful(image) ? image : withChannels(image, 1);
      await out.write([[
        target,
        opaque ? alphaPng(image, inPlace(opaque).pixels, WHITE) : pngOf(shade, shade.pixels),
      ]]);
      shown.update((i + 1) / moved.length);
    }
  } finally {
    shown.end();
  }
  return { transparent, bordered, drawn, blurred };
}

/** Lists the pictures of a folder and of all folders in it as pictures without classes. */
async function listFlat(folder: string): Promise<Awaited<ReturnType<typeof listPictures>>> {
  return { ...await listAlbum(folder), classes: [] };
}

/** The least size that holds every picture with the pixels that it has; its sides are multiples of 8. */
async function sizeOfAll(
  folder: string,
  names: readonly string[],
  reading: Reading,
  signal: AbortSignal,
  damaged: Map<string, string>,
): Promise<Size> {
  let height = 1, width = 1;
  for (const name of names) {
    if (signal.aborted) throw new Error("Stopped before all pictures were read");
    const picture = await readUndamaged(folder, name, reading, damaged);
    height = Math.max(height, picture?.height ?? 1);
    width = Math.max(width, picture?.width ?? 1);
  }
  const rounded = (side: number) => Math.ceil(side / SPRITE_UNIT) * SPRITE_UNIT;
  return { height: rounded(height), width: rounded(width) };
}

/** Whether a picture of few colours that is as small as a sprite is scaled to a size. */
function isBlurred(picture: Composited, size: Size, fit: Fit): boolean {
  const { height, width } = picture, isSize = height === size.height && width === size.width;
  return fit !== "keep" && !isSize && Math.max(height, width) <= LARGEST_SPRITE && hasFewColours(picture);
}

/** Reads a picture; undefined if it cannot be read: then it is added to `damaged`. */
async function readUndamaged(
  folder: string,
  name: string,
  reading: Reading,
  damaged: Map<string, string>,
): Promise<Composited | undefined> {
  try {
    // The reason stands beside the name.
    return await readPicture(await readFile(join(folder, name), "it"), "it", reading);
  } catch (error) {
    damaged.set(name, faultOfIt(error));
  }
}

/** More colours than the palette of a sprite has: the built-in ones have 5 to 12, photographs of 64x64 pixels thousands. */
const FEW_COLOURS = 64;

/** Whether a picture is one of few colours. */
function hasFewColours({ height, width, pixels }: Composited): boolean {
  const area = height * width, isColour = pixels.length > area, colours = new Set<number>();
  for (let p = 0; p < area && colours.size <= FEW_COLOURS; p++) {
    colours.add(isColour ? pixels[p] << 16 | pixels[p + area] << 8 | pixels[p + 2 * area] : pixels[p]);
  }
  return colours.size <= FEW_COLOURS;
}

/** Aligns the pictures of each class folder with each other; returns how each is moved that is not damaged. */
async function alignAll(
  folder: string,
  names: readonly string[],
  size: Size,
  fit: Fit,
  reading: Reading,
  signal: AbortSignal,
  damaged: Map<string, string>,
): Promise<(Alignment | undefined)[]> {
  const area = CONGEALED ** 2,
    small = { height: CONGEALED, width: CONGEALED },
    pixels = new Uint8Array(names.length * area);
  const shown = progress("aligning", false), found: (Alignment | undefined)[] = names.map(() => undefined);
  const stop = async (done: number) => {
    shown.update(done);
    await new Promise((resolve) => setTimeout(resolve, 0)); // a signal is handled in between
    if (signal.aborted) throw new Error("Stopped before all pictures were aligned");
  };
  try {
    for (const [i, name] of names.entries()) {
      const picture = await readUndamaged(folder, name, { ...reading, channels: 1 }, damaged);
      if (picture) pixels.set(resized(fitted(imageOf(picture), size, fit), small).pixels, i * area);
      await stop((i + 1) / names.length / 2);
    }
    // A class is aligned over its training and test pictures.
    const classOf = (name: string) => dirname(name).replace(/^(train|test)(\/|$)/, "");
    const readable = [...names.keys()].filter((i) => !damaged.has(names[i]));
    for (const [, members] of Map.groupBy(readable, (i) => classOf(names[i]))) {
      const own = new Uint8Array(members.length * area);
      members.forEach((i, k) => own.set(pixels.subarray(i * area, (i + 1) * area), k * area));
      const steps = congeal({ count: members.length, ...small, pixels: own }), before = found.filter(Boolean).length;
      let step = steps.next();
      for (; !step.done; step = steps.next()) {
        await stop(0.5 + (before + step.value * members.length) / names.length / 2);
      }
      members.forEach((i, k) => found[i] = (step.value as Alignment[])[k]);
    }
  } finally {
    shown.end();
  }
  return found;
}

/** Where pictures go: characters that not every file system takes become `_`, and with `flat` the ends of folders' names, too. */
function targets(folder: string, names: readonly string[], flat: boolean): Moved[] {
  const taken = new Map<string, string>();
  return names.map((name) => {
    const parts = name.slice(0, name.length - extname(name).length).split("/");
    const target = parts.map((part) => part.replace(/[^\p{L}\p{N} ._()+-]/gu, "_")).join(flat ? "_" : "/") + ".png";
    const before = taken.get(target);
    if (before) throw new Error(`Cannot import ${folder}: ${before} and ${name} would both become ${target}`);
    taken.set(target, name);
    return { name, target };
  });
}

/**
 * Checks that a picture fits into the size with the pixels that it has.
 *
 * @throws {Error} if it is larger
 */
function checkFits({ height, width }: Size, path: string, size: Size): void {
  if (height <= size.height && width <= size.width) return;
  const [most, got] = [shapeText(size), shapeText({ height, width })];
  throw new Error(`${path}: expected at most ${most} pixels with --fit keep, which scales nothing, got ${got}`);
}

/** Whether a picture gets a border: if its shape is another, or with "keep" its size. */
function hasBorder({ height, width }: Size, size: Size, fit: Fit): boolean {
  if (fit === "keep") return height < size.height || width < size.width;
  return fit === "pad" && height * size.width !== width * size.height;
}

/** An image of the size; with "keep", an image that is no larger. */
export function fitted(image: Images, size: Size, fit: Fit): Images {
  const { height, width } = image;
  if (fit === "stretch") return resized(image, size);
  if (fit === "keep") return padded(image, size, borderColour(image));
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
function alphaOf({ height, width, alpha }: Composited, size: Size, fit: Fit): Images | undefined {
  const image = alpha && { count: 1, height, width, pixels: alpha };
  return image && (fit === "keep" ? padded(image, size, [0]) : fitted(image, size, fit));
}
