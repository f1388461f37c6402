/**
 * Checks structures of Thrift's compact protocol, in which Parquet files describe themselves, before the library reads them. It makes
 * room for as many elements as a list says that it has, and takes numbers of any length.
 */

/** The types of the compact protocol that Parquet uses. */
const STOP = 0, BYTE = 3, DOUBLE = 7, BINARY = 8, LIST = 9, STRUCT = 12;
/** The bytes of the longest number: 64 bits, 7 in each. */
const LONGEST_NUMBER = 10;
/** No structure of Parquet is nested deeper. */
const DEEPEST = 24;

/**
 * Walks through a structure.
 *
 * @param at where it begins
 * @returns where it ends
 * @throws {Error} if it ends after the view, or has a list that is longer than the view, a number of more than 64 bits, or too many
 * levels
 */
export function endOfStruct(view: DataView, at: number, depth = 0): number {
  if (depth > DEEPEST) throw new Error(`expected at most ${DEEPEST} levels of structures, got more`);
  for (;;) {
    const byte = view.getUint8(at++), type = byte & 15;
    if (type === STOP) return at;
    if (byte >> 4 === 0) at = endOfNumber(view, at);
    at = endOfElement(view, at, type, depth);
  }
}

/** Where a value ends. True and false are their types, and take no bytes. */
function endOfElement(view: DataView, at: number, type: number, depth: number): number {
  if (type < BYTE) return at;
  if (type === BYTE) return at + 1;
  if (type < DOUBLE) return endOfNumber(view, at);
  if (type === DOUBLE) return at + 8;
  if (type === BINARY) return endOfNumber(view, at) + lengthAt(view, at);
  if (type === LIST) return endOfList(view, at, depth);
  if (type === STRUCT) return endOfStruct(view, at, depth + 1);
  throw new Error(`expected a type of Parquet, got ${type}`);
}

function endOfList(view: DataView, at: number, depth: number): number {
  const byte = view.getUint8(at++), type = byte & 15, isLong = byte >> 4 === 15;
  const length = isLong ? lengthAt(view, at) : byte >> 4;
  if (isLong) at = endOfNumber(view, at);
  // Each element takes a byte at least.
  if (at + length > view.byteLength) throw new Error("a text or a list is longer than the file");
  for (let i = 0; i < length; i++) at = type < BYTE ? at + 1 : endOfElement(view, at, type, depth + 1);
  return at;
}

function endOfNumber(view: DataView, at: number): number {
  for (let i = 0; i < LONGEST_NUMBER; i++) if (view.getUint8(at + i) < 128) return at + i + 1;
  throw new Error("a number has more than 64 bits");
}

/** A length, as the library reads it. */
function lengthAt(view: DataView, at: number): number {
  const end = endOfNumber(view, at);
  let length = 0;
  for (let i = end - 1; i >= at; i--) length = length * 128 + (view.getUint8(i) & 127);
  if (end + length > view.byteLength) throw new Error("a text or a list is longer than the file");
  return length;
}
