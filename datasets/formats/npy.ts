/**
 * NPY, NumPy's file format: a header in Python's notation, then the numbers. Reads arrays of images; writes arrays of
 * images, of bytes and of floats.
 */
import { LARGEST_SIDE } from "../../core/shape.ts";
import { oneLine } from "../../core/shown.ts";
import type { Images } from "../../core/types.ts";

/** The images that were read, and how their numbers were scaled to bytes. */
export interface NpyImages {
  readonly images: Images;
  /** One phrase, such as `float32 in [0, 1], scaled by 255`. */
  readonly scaled: string;
}

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];

/** An element type: its name, its bytes, and how one is read. */
interface ElementType {
  readonly name: string;
  readonly bytes: number;
  read(view: DataView, at: number, isLittle: boolean): number;
}

/** The element types of images and labels, by NumPy's codes without the order of bytes. */
const TYPES: Readonly<Record<string, ElementType>> = {
  b1: { name: "bool", bytes: 1, read: (view, at) => Number(view.getUint8(at) !== 0) },
  u1: { name: "uint8", bytes: 1, read: (view, at) => view.getUint8(at) },
  i1: { name: "int8", bytes: 1, read: (view, at) => view.getInt8(at) },
  i2: { name: "int16", bytes: 2, read: (view, at, isLittle) => view.getInt16(at, isLittle) },
  u2: { name: "uint16", bytes: 2, read: (view, at, isLittle) => view.getUint16(at, isLittle) },
  i4: { name: "int32", bytes: 4, read: (view, at, isLittle) => view.getInt32(at, isLittle) },
  u4: { name: "uint32", bytes: 4, read: (view, at, isLittle) => view.getUint32(at, isLittle) },
  i8: { name: "int64", bytes: 8, read: (view, at, isLittle) => Number(view.getBigInt64(at, isLittle)) },
  u8: { name: "uint64", bytes: 8, read: (view, at, isLittle) => Number(view.getBigUint64(at, isLittle)) },
  f2: { name: "float16", bytes: 2, read: (view, at, isLittle) => view.getFloat16(at, isLittle) },
  f4: { name: "float32", bytes: 4, read: (view, at, isLittle) => view.getFloat32(at, isLittle) },
  f8: { name: "float64", bytes: 8, read: (view, at, isLittle) => view.getFloat64(at, isLittle) },
};

/** What is in arrays of other types, by the letter of NumPy's code. */
const OTHERS: Readonly<Record<string, string>> = {
  U: "text",
  S: "text",
  O: "Python objects",
  c: "complex numbers",
  M: "dates",
  m: "durations",
  V: "records",
};

/** An array of numbers in a file. */
interface NpyArray {
  readonly shape: readonly number[];
  readonly fortran: boolean;
  readonly type: ElementType;
  readonly count: number;
  /** Value `i`, in the order of the file. */
  at(i: number): number;
}

/** Whether bytes begin like an NPY file. */
export function isNpy(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, i) => bytes[i] === byte);
}

/** The number of dimensions of the array in an NPY file; 0 if it is none. */
export function npyRank(bytes: Uint8Array): number {
  try {
    return parseHeader(bytes, "").shape.length;
  } catch {
    return 0;
  }
}

/**
 * Reads images of an array (count, height, width), or with one channel or three before or after height and width, in C or
 * Fortran order.
 * It keeps bytes as they are, and other integers if some are above 1, otherwise it multiplies them by 255; it multiplies floats in [0, 1] by 255, maps floats in [-1, 1] to 0..255, and rounds floats in [0, 255].
 *
 * @param what names the file in errors
 * @throws one sentence if the file is damaged, has other numbers, or holds NaN or infinite values
 */
export function imagesFromNpy(bytes: Uint8Array, what: string): NpyImages {
  const array = parseNpy(bytes, what, "integers or floats", {
    O: "np.stack(images) makes an array of images of one size",
  });
  const { type, count: total } = array;
  const { count, height, width, channels, strides } = imageShape(array.shape, array.fortran, what);
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < total; i++) {
    const value = array.at(i);
    if (!Number.isFinite(value)) throw new Error(`${what}: value ${i} is ${value}: expected finite numbers`);
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const scale = scaling(type.name, low, high, what);
  const pixels = new Uint8Array(total);
  for (let i = 0; i < total; i++) {
    const byte = Math.floor(scale.map(array.at(i)) + 0.5);
    pixels[placeOf(i, strides)] = Math.min(Math.max(byte, 0), 255);
  }
  return {
    images: { count, height, width, ...channels === 3 && { channels }, pixels },
    scaled: `${type.name} ${scale.name}`,
  };
}

/**
 * Reads labels of an array (count) or (count, 1) of whole numbers in [0, 255].
 *
 * @param images how many images the labels are for
 * @throws one sentence if the file is damaged, or holds other numbers or another number of them
 */
export function labelsFromNpy(bytes: Uint8Array, what: string, images: number): Uint8Array {
  const remedy = "np.unique(labels, return_inverse=True)[1] makes numbers of them";
  const { shape, count, at } = parseNpy(bytes, what, "integers", { U: remedy, S: remedy, O: remedy });
  if (count !== shape[0]) {
    const oneHot = shape.length === 2 && shape[0] === images ? "; labels.argmax(1) makes labels of one-hot rows" : "";
    throw new Error(
      `${what} holds no labels: expected shape (count) or (count, 1), got (${shape.join(", ")})${oneHot}`,
    );
  }
  if (count !== images) throw new Error(`${what}: expected ${images} labels, one an image, got ${count}`);
  return Uint8Array.from({ length: count }, (_, i) => {
    const label = at(i);
    if (Number.isInteger(label) && label >= 0 && label <= 255) return label;
    throw new Error(`${what}: label ${i} is ${label}: expected whole numbers from 0 to 255`);
  });
}

/** Whether an NPY file holds bytes, and a header as NumPy writes it, which has no room for anything else. */
export function isPlainNpy(bytes: Uint8Array): boolean {
  const { dtype, start } = parseHeader(bytes, ""), isFirstVersion = bytes[6] === 1 && bytes[7] === 0;
  const header = new TextDecoder("latin1").decode(bytes.subarray(10, Math.min(start, 10 + LONGEST_PLAIN)));
  return dtype === "|u1" && isFirstVersion && start - 10 === header.length && PLAIN_HEADER.test(header);
}

/** NumPy writes a shape as Python does, and adds spaces for a longer first dimension, and up to a multiple of 64 bytes. */
const PLAIN_HEADER =
  /^\{'descr': '\|u1', 'fortran_order': (False|True), 'shape': \((0|[1-9]\d*)(,|(, (0|[1-9]\d*))+)\), \} *\n$/;
const LONGEST_PLAIN = 192;

/**
 * Reads the header of a file, and checks that its numbers are there.
 *
 * @param remedies what makes numbers of other types, by the letters of `OTHERS`
 */
function parseNpy(
  bytes: Uint8Array,
  what: string,
  expected: string,
  remedies: Readonly<Record<string, string>>,
): NpyArray {
  const { dtype, fortran, shape, start } = parseHeader(bytes, what), code = dtype.slice(1), letter = code[0] ?? "";
  const type = /^[<>|=]/.test(dtype) && Object.hasOwn(TYPES, code) && TYPES[code];
  if (!type) {
    const kind = Object.hasOwn(OTHERS, letter) ? OTHERS[letter] : oneLine(dtype.slice(0, 20));
    const remedy = Object.hasOwn(remedies, letter) ? `; ${remedies[letter]}` : "";
    throw new Error(`${what}: expected ${expected}, got ${kind}${remedy}`);
  }
  const count = shape.reduce((product, side) => product * side, 1);
  const found = bytes.length - start;
  if (found !== count * type.bytes) {
    throw new Error(`${what}: expected ${count * type.bytes} bytes for shape (${shape.join(", ")}), got ${found}`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset + start, found), isLittle = dtype[0] !== ">";
  return { shape, fortran, type, count, at: (i) => type.read(view, i * type.bytes, isLittle) };
}

/** What a header says, and where the numbers begin. */
function parseHeader(bytes: Uint8Array, what: string) {
  if (!isNpy(bytes)) throw new Error(`${what} is not an NPY file: it does not begin with \\x93NUMPY`);
  if (bytes.length < 12) throw new Error(`${what} is cut off: expected at least 12 bytes, got ${bytes.length}`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const long = bytes[6] >= 2;
  const start = long ? 12 : 10;
  const length = long ? view.getUint32(8, true) : view.getUint16(8, true);
  if (bytes.length - start < length) {
    throw new Error(`${what} is cut off: expected a header of ${length} bytes, got ${bytes.length - start}`);
  }
  // No header of images is longer, but a damaged one may claim the whole file.
  const header = new TextDecoder("latin1").decode(bytes.subarray(start, start + Math.min(length, 4096)));
  const descr = /'descr'\s*:\s*(?:'([^']*)'|(\[))/.exec(header);
  const order = /'fortran_order'\s*:\s*(True|False)/.exec(header)?.[1];
  const shape = /'shape'\s*:\s*\(((?:\s*\d+\s*,)*\s*\d*\s*)\)/.exec(header)?.[1].split(",")
    .filter((part) => part.trim())
    .map(Number);
  const isTwice = ["descr", "fortran_order", "shape"].some((key) => header.split(`'${key}'`).length > 2);
  if (!descr || !order || !shape || isTwice) {
    throw new Error(`${what} has a damaged NPY header: ${oneLine(header.trim().slice(0, 60))}`);
  }
  const dtype = descr[2] ? "|V" : descr[1].replace("<u1", "|u1");
  return { dtype, fortran: order === "True", shape, start: start + length };
}

/** An array's dimension, the one that varies fastest first: its length, and how far apart its neighbours are in `Images`. */
type Stride = readonly [length: number, step: number];

/** The shape of images, and where their values go. */
function imageShape(shape: readonly number[], fortran: boolean, what: string) {
  const isChannels = (dimension: number) => dimension === 1 || dimension === 3;
  const [count, second, third, last] = shape;
  // The channels are last in most programs, before height and width in some.
  const kind = shape.length === 3
    ? { channels: 1, height: second, width: third, order: "nyx" }
    : shape.length === 4 && isChannels(last)
    ? { channels: last, height: second, width: third, order: "nyxc" }
    : shape.length === 4 && isChannels(second)
    ? { channels: second, height: third, width: last, order: "ncyx" }
    : undefined;
  const sides = kind ? [kind.height, kind.width] : [];
  if (!kind || !(count > 0) || !sides.every((side) => side > 0 && side <= LARGEST_SIDE)) {
    throw new Error(
      `${what}: expected images (count, height, width) or (count, height, width, 3), got shape (${shape.join(", ")})` +
        reshapingText(shape),
    );
  }
  const { channels, height, width } = kind;
  const steps: Record<string, number> = { n: channels * height * width, c: height * width, y: width, x: 1 };
  const strides = [...kind.order].map((name, d): Stride => [shape[d], steps[name]]);
  return { count, channels, height, width, strides: fortran ? strides : strides.reverse() };
}

/** What makes images of an array of another shape, in NumPy: of rows of pixels, or with transparency. */
function reshapingText(shape: readonly number[]): string {
  const [count, length] = shape, whole = (side: number) => Number.isInteger(side) && side > 1;
  if (!(count > 0)) return "";
  const grey = Math.sqrt(length), colour = Math.sqrt(length / 3), rows = "; if each row is an image: images.reshape";
  if (shape.length === 2 && whole(grey)) return `${rows}(-1, ${grey}, ${grey})`;
  if (shape.length === 2 && whole(colour)) {
    return `${rows}(-1, 3, ${colour}, ${colour}) or images.reshape(-1, ${colour}, ${colour}, 3)`;
  }
  return shape.length === 4 && shape[3] === 4 ? "; images[..., :3] leaves transparency out" : "";
}

/** Where value number `i` of an array goes. */
function placeOf(i: number, strides: readonly Stride[]): number {
  let to = 0;
  for (const [length, step] of strides) {
    to += i % length * step;
    i = Math.floor(i / length);
  }
  return to;
}

function scaling(type: string, low: number, high: number, what: string): { name: string; map(x: number): number } {
  // Bytes are grey levels, whatever they are. Of other integers a mask of zeros and ones would be black.
  const isLevel = type === "uint8" || !type.startsWith("float") && low >= 0 && high <= 255 && high !== 1;
  if (isLevel) return { name: "taken as they are", map: (x) => x };
  if (low >= 0 && high <= 1) return { name: "in [0, 1], scaled by 255", map: (x) => x * 255 };
  if (low >= -1 && high <= 1) return { name: "in [-1, 1], mapped to 0..255", map: (x) => (x + 1) * 127.5 };
  if (low >= 0 && high <= 255) return { name: "in [0, 255], rounded", map: (x) => x };
  throw new Error(
    `${what}: expected values within [0, 1], [-1, 1] or [0, 255], got ${low} to ${high}; ` +
      "(images - images.min()) / np.ptp(images) scales them to [0, 1]",
  );
}

/** An NPY file of images: (count, height, width) bytes, of colour images (count, height, width, 3), as NumPy's users expect. */
export function writeNpy({ count, height, width, channels = 1, pixels }: Images): Uint8Array {
  if (channels === 1) return bytesToNpy([count, height, width], pixels);
  const { bytes, data } = npyFile("|u1", [count, height, width, 3], pixels.length);
  const area = height * width;
  for (let i = 0; i < data.length; i++) {
    const image = Math.floor(i / (3 * area));
    const p = Math.floor(i / 3) % area;
    data[i] = pixels[(3 * image + i % 3) * area + p];
  }
  return bytes;
}

/** An NPY file of float32 numbers, the last dimension fastest. */
export function floatsToNpy(shape: readonly number[], values: Float32Array): Uint8Array {
  const { bytes, data } = npyFile("<f4", shape, values.length * 4);
  const view = new DataView(data.buffer, data.byteOffset);
  values.forEach((value, i) => view.setFloat32(i * 4, value, true));
  return bytes;
}

/** An NPY file of int32 numbers, the last dimension fastest. */
export function integersToNpy(shape: readonly number[], values: Int32Array): Uint8Array {
  const { bytes, data } = npyFile("<i4", shape, values.length * 4);
  const view = new DataView(data.buffer, data.byteOffset);
  values.forEach((value, i) => view.setInt32(i * 4, value, true));
  return bytes;
}

/** An NPY file of bytes, the last dimension fastest. */
export function bytesToNpy(shape: readonly number[], values: Uint8Array): Uint8Array {
  const { bytes, data } = npyFile("|u1", shape, values.length);
  data.set(values);
  return bytes;
}

/**
 * Reads what `bytesToNpy` wrote.
 *
 * @throws {Error} if it is another file, or an array of another shape
 */
export function bytesFromNpy(bytes: Uint8Array, shape: readonly number[]): Uint8Array {
  const length = shape.reduce((product, side) => product * side, 1);
  const expected = npyFile("|u1", shape, length).bytes;
  const start = expected.length - length;
  const isSame = expected.subarray(0, start).every((byte, i) => bytes[i] === byte);
  if (isSame && bytes.length === expected.length) return bytes.subarray(start);
  throw new Error(`expected an NPY file of bytes of shape (${shape.join(", ")}), got another one`);
}

/** A file with room for `length` bytes of numbers, of version 1.0. */
function npyFile(descr: string, shape: readonly number[], length: number): { bytes: Uint8Array; data: Uint8Array } {
  const dict = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${shape.join(", ")}${
    shape.length === 1 ? "," : ""
  }), }`;
  // Spaces and a line feed make the header a multiple of 64 bytes.
  const header = dict.padEnd(Math.ceil((dict.length + 11) / 64) * 64 - 11) + "\n";
  const bytes = new Uint8Array(10 + header.length + length);
  bytes.set([...MAGIC, 1, 0, header.length & 255, header.length >> 8]);
  bytes.set(new TextEncoder().encode(header), 10);
  return { bytes, data: bytes.subarray(10 + header.length) };
}
