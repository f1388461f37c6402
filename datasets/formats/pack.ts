/**
 * A pack: one file with a profile and its training and seed images, all that synthesis needs. Numbers are little-endian:
 *
 * | byte | what                                                                                            |
 * | ---- | ----------------------------------------------------------------------------------------------- |
 * | 0    | 89 4c 4f 4f 4d 0d 0a 1a: as in PNG, a byte that is not text, the name, and line ends that a copy as text would change |
 * | 8    | u32 version, 1                                                                                  |
 * | 12   | u32 CRC-32 of all other bytes                                                                   |
 * | 16   | u32 length of the file                                                                          |
 * | 20   | u32 length of the header, which follows at byte 24: JSON in UTF-8                               |
 *
 * Four parts follow the header, each at a multiple of 16 with zeros in the gaps: training images (u8), their labels (u8), seed
 * images (f32 in [0, 1]) and their labels (u8). Images are stored image by image, channel by channel, row by row. Either both
 * sets of images have labels or none.
 */
import { DEEPEST, jsonDepth } from "../../core/json_depth.ts";
import type { Profile } from "../../core/profile.ts";
import { LARGEST_SIDE, lengthOf, type Shape } from "../../core/shape.ts";
import type { Colour } from "./colour.ts";
import { crc32 } from "./crc32.ts";
import { isClassName, MAX_CLASSES } from "../groups.ts";
import type { LabelledImages, SeedImages } from "../data_set.ts";

/** A profile with its training and seed images: all that synthesis needs. */
export interface Pack {
  /** How images are synthesized from it. */
  readonly profile: Profile;
  /** One line for people: what data it was made from. */
  readonly origin: string;
  /** The names of the classes, if they are not named by numbers: label i is that of `classes[i]`. */
  readonly classes?: readonly string[];
  /** The colour that stands for transparent pixels, of pixel art. */
  readonly transparent?: readonly [red: number, green: number, blue: number];
  /** The training images, at their own size. `readPack` returns views of the file's bytes. */
  readonly train: LabelledImages;
  /** The seed images, at the size of the last level of the pyramid. There may be none if the training images are exemplars. */
  readonly seeds: SeedImages;
}

/** The content of the JSON in the file. */
interface Header {
  readonly profile: Profile;
  readonly origin: string;
  readonly labelled: boolean;
  /** Missing if classes are named by numbers, and in packs of earlier programs. */
  readonly classes?: readonly string[];
  /** Missing where no pixel is transparent, and in packs of earlier programs. */
  readonly transparent?: Colour;
  readonly train: Counted;
  readonly seeds: Counted;
}

interface Counted extends Shape {
  readonly count: number;
  readonly channels: number;
}

const MAGIC = [0x89, 0x4c, 0x4f, 0x4f, 0x4d, 0x0d, 0x0a, 0x1a];
/** Increased when a reader of the previous version would misread a file. */
const PACK_VERSION = 1;
/** Where the numbers before the JSON are, in bytes; each is a u32. */
const VERSION_AT = 8, CHECKSUM_AT = 12, LENGTH_AT = 16, HEADER_LENGTH_AT = 20;
/** Bytes before the JSON. */
const FIXED_LENGTH = 24;
/** No profile is longer. It limits what is parsed, whatever a file claims. */
const LONGEST_HEADER = 1 << 16;
const MAX_U32 = 2 ** 32 - 1;

/** Whether bytes begin like a pack. */
export function isPack(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, i) => bytes[i] === byte);
}

function headerOf({ profile, origin, classes, transparent, train, seeds }: Pack): Header {
  return {
    profile,
    origin,
    labelled: train.labels !== undefined,
    ...classes && { classes },
    ...transparent && { transparent },
    train: shapeOf(train.images),
    seeds: shapeOf(seeds),
  };
}

/** Length of a pack's file in bytes. It depends on the counts alone; `pixels` may be empty. */
export function packLength(pack: Pack): number {
  const header = headerOf(pack);
  return layout(header, new TextEncoder().encode(JSON.stringify(header)).length).length;
}

/**
 * The bytes of a pack's file; equal packs give equal bytes.
 *
 * @throws one sentence if `readPack` would refuse them
 */
export function writePack(pack: Pack): Uint8Array<ArrayBuffer> {
  const { train, seeds } = pack;
  const header = headerOf(pack);
  checkHeader(header, "Cannot write the pack");
  if (!train.labels !== !seeds.labels) {
    throw new Error("Cannot write the pack: expected labels of training and seed images or of neither");
  }
  const json = new TextEncoder().encode(JSON.stringify(header));
  if (json.length > LONGEST_HEADER) {
    throw new Error(`Cannot write the pack: expected a header of up to ${LONGEST_HEADER} bytes, got ${json.length}`);
  }
  const { parts: [images, labels, floats, seedLabels], length } = layout(header, json.length);
  if (length > MAX_U32) throw new Error(`Cannot write the pack: expected at most ${MAX_U32} bytes, got ${length}`);
  const bytes = new Uint8Array(length);
  const view = new DataView(bytes.buffer);
  bytes.set(MAGIC);
  view.setUint32(VERSION_AT, PACK_VERSION, true);
  view.setUint32(LENGTH_AT, length, true);
  view.setUint32(HEADER_LENGTH_AT, json.length, true);
  bytes.set(json, FIXED_LENGTH);
  bytes.set(fits(train.images.pixels, images.length, "training pixels"), images.at);
  new Float32Array(bytes.buffer, floats.at, floats.length).set(fits(seeds.images, floats.length, "seed values"));
  if (train.labels) bytes.set(fits(train.labels, labels.length, "labels"), labels.at);
  if (seeds.labels) bytes.set(fits(seeds.labels, seedLabels.length, "labels of seed images"), seedLabels.at);
  checkContent(readParts(bytes, header, json.length), "Cannot write the pack");
  view.setUint32(CHECKSUM_AT, checksum(bytes), true);
  return bytes;
}

/**
 * Reads the bytes of a pack's file. The images are views of the bytes, or of a copy of them if they do not begin at a multiple
 * of 4. The profile is unchecked JSON; `plan` checks it.
 *
 * @param what names the file in errors
 * @throws one sentence if the bytes are not a pack, are of a newer version, cut off, damaged or inconsistent
 */
export function readPack(bytes: Uint8Array, what = "The file"): Pack {
  if (!isPack(bytes.subarray(0, MAGIC.length))) {
    const cut = bytes.length > 0 && MAGIC.slice(0, bytes.length).every((byte, i) => bytes[i] === byte);
    if (cut) throw new Error(`${what} is cut off: expected a header of ${FIXED_LENGTH} bytes, got ${bytes.length}`);
    const found = Array.from(bytes.subarray(0, 5), (byte) => byte.toString(16).padStart(2, "0")).join(" ");
    throw new Error(`${what} is not a pack: expected it to begin with 89 4c 4f 4f 4d, got ${found || "no bytes"}`);
  }
  if (bytes.length < FIXED_LENGTH) {
    throw new Error(`${what} is cut off: expected a header of ${FIXED_LENGTH} bytes, got ${bytes.length}`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, FIXED_LENGTH);
  const read = (at: number) => view.getUint32(at, true);
  if (read(VERSION_AT) > PACK_VERSION) {
    throw new Error(`${what} was made by a newer Patchloom: expected version ${PACK_VERSION}, got ${read(VERSION_AT)}`);
  }
  if (read(VERSION_AT) < 1) throw new Error(`${what}: expected version 1 to ${PACK_VERSION}, got ${read(VERSION_AT)}`);
  if (bytes.length < read(LENGTH_AT)) {
    throw new Error(`${what} is cut off: expected ${read(LENGTH_AT)} bytes, got ${bytes.length}`);
  }
  if (bytes.length > read(LENGTH_AT)) {
    throw new Error(`${what} is too long: expected ${read(LENGTH_AT)} bytes, got ${bytes.length}`);
  }
  const sum = checksum(bytes);
  if (sum !== read(CHECKSUM_AT)) {
    const hex = (value: number) => value.toString(16).padStart(8, "0");
    throw new Error(`${what} is damaged: expected the checksum ${hex(read(CHECKSUM_AT))}, got ${hex(sum)}`);
  }
  const most = Math.min(LONGEST_HEADER, bytes.length - FIXED_LENGTH);
  if (read(HEADER_LENGTH_AT) > most) {
    throw new Error(`${what}: expected a header of at most ${most} bytes, got ${read(HEADER_LENGTH_AT)}`);
  }
  // A copy: decoders refuse bytes that workers share.
  const header = parseHeader(bytes.slice(FIXED_LENGTH, FIXED_LENGTH + read(HEADER_LENGTH_AT)), what);
  checkHeader(header, what);
  const { length } = layout(header, read(HEADER_LENGTH_AT));
  if (length !== bytes.length) {
    throw new Error(`${what}: expected ${length} bytes for the images that it claims, got ${bytes.length}`);
  }
  // A Float32Array must begin at a multiple of 4.
  const pack = readParts(bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes), header, read(HEADER_LENGTH_AT));
  checkContent(pack, what);
  return pack;
}

function checksum(bytes: Uint8Array): number {
  return crc32(bytes.subarray(CHECKSUM_AT + 4), crc32(bytes.subarray(0, CHECKSUM_AT)));
}

/** Addresses and lengths (in elements) of the four parts, and the length of the file in bytes. */
function layout({ train, seeds, labelled }: Header, headerLength: number) {
  let end = FIXED_LENGTH + headerLength;
  const parts = [
    { length: train.count * lengthOf(train), bytes: 1 },
    { length: labelled ? train.count : 0, bytes: 1 },
    { length: seeds.count * lengthOf(seeds), bytes: 4 },
    { length: labelled ? seeds.count : 0, bytes: 1 },
  ].map(({ length, bytes }) => {
    const at = Math.ceil(end / 16) * 16;
    end = at + length * bytes;
    return { at, length };
  });
  return { parts, length: end };
}

function shapeOf({ count, height, width, channels = 1 }: Shape & { readonly count: number }): Counted {
  return { count, height, width, channels };
}

function readParts(bytes: Uint8Array, header: Header, headerLength: number): Pack {
  const { profile, origin, labelled, classes, transparent, train, seeds } = header;
  const [images, labels, floats, seedLabels] = layout(header, headerLength).parts;
  const part = ({ at, length }: { at: number; length: number }) => bytes.subarray(at, at + length);
  return {
    profile,
    origin,
    ...classes && { classes },
    ...transparent && { transparent },
    train: { images: { ...shapeOf(train), pixels: part(images) }, ...labelled ? { labels: part(labels) } : {} },
    seeds: {
      ...shapeOf(seeds),
      images: new Float32Array(bytes.buffer, bytes.byteOffset + floats.at, floats.length),
      ...labelled ? { labels: part(seedLabels) } : {},
    },
  };
}

function parseHeader(bytes: Uint8Array, what: string): Header {
  try {
    const json = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (jsonDepth(json) > DEEPEST) throw new Error(`nested more than ${DEEPEST} deep`);
    return JSON.parse(json);
  } catch (cause) {
    throw new Error(`${what}: expected a header of JSON in UTF-8, got something else`, { cause });
  }
}

function checkHeader(header: Header, what: string): void {
  const fail = (name: string, wanted: string, found: unknown): never => {
    throw new Error(`${what}: expected ${name} to be ${wanted}, got ${brief(found)}`);
  };
  const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject(header)) fail("the header", "an object", header);
  if (!isObject(header.profile)) fail("profile", "an object", header.profile);
  if (typeof header.origin !== "string") fail("origin", "a text", header.origin);
  if (typeof header.labelled !== "boolean") fail("labelled", "true or false", header.labelled);
  const { classes } = header;
  if (classes !== undefined) {
    const areNames = Array.isArray(classes) && header.labelled && classes.every(isClassName);
    const fits = areNames && classes.length >= 1 && classes.length <= MAX_CLASSES;
    if (!fits || new Set(classes).size < classes.length) fail("classes", "a list of different plain words", classes);
  }
  for (const part of ["train", "seeds"] as const) {
    if (!isObject(header[part])) fail(part, "an object", header[part]);
    const { count, height, width, channels } = header[part];
    const whole = (name: string, value: number, high: number, low = 1) => {
      if (!Number.isInteger(value) || value < low || value > high) {
        fail(`${part}.${name}`, `an integer from ${low} to ${high}`, value);
      }
    };
    // Seed images of exemplars are quilted.
    whole("count", count, MAX_U32, part === "seeds" && header.profile.aligned === false ? 0 : 1);
    whole("height", height, LARGEST_SIDE);
    whole("width", width, LARGEST_SIDE);
    if (channels !== 1 && channels !== 3) fail(`${part}.channels`, "1 (grey) or 3 (colour)", channels);
  }
  const { train, seeds, transparent } = header;
  if (transparent !== undefined) {
    const isColour = Array.isArray(transparent) && transparent.length === 3 && transparent.every(isByte);
    if (!isColour || train.channels !== 3) {
      fail("transparent", "three integers from 0 to 255, of images in colour", transparent);
    }
  }
  if (seeds.channels !== train.channels) fail("seeds.channels", `${train.channels}, as train.channels`, seeds.channels);
}

function isByte(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255;
}

/** Checks the content beyond shapes: seed values in [0, 1], and training images and a seed image of every class. */
function checkContent({ profile, train, seeds, classes }: Pack, what: string): void {
  const unnamed = classes && train.labels?.find((label) => label >= classes.length);
  if (unnamed !== undefined) throw new Error(`${what}: expected a name of every class, got none of class ${unnamed}`);
  const wrong = seeds.images.findIndex((value) => !(value >= 0 && value <= 1));
  if (wrong >= 0) {
    throw new Error(`${what}: expected seed images of values from 0 to 1, got ${seeds.images[wrong]}`);
  }
  const trained = new Set(train.labels), unknown = seeds.labels?.find((label) => !trained.has(label));
  if (unknown !== undefined) {
    throw new Error(`${what}: expected training images of every class, got none of class ${unknown}`);
  }
  if (profile.aligned === false) return;
  const seeded = new Set(seeds.labels);
  const missing = train.labels?.find((label) => !seeded.has(label));
  if (missing !== undefined) {
    throw new Error(`${what}: expected a seed image of every class, got none of class ${missing}`);
  }
}

/** A value for an error, shortened: a text or an object may be as long as the header. */
function brief(value: unknown): string {
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "a list" : "an object";
  return typeof value === "string" ? JSON.stringify(value.slice(0, 40)) : String(value);
}

function fits<T extends ArrayLike<number>>(values: T, length: number, name: string): T {
  if (values.length === length) return values;
  throw new Error(`Cannot write the pack: expected ${length} ${name}, got ${values.length}`);
}
