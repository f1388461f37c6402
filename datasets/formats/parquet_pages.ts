/** Checks Parquet files before they are read: the library believes what they say of themselves. */
import {
  type ColumnMetaData,
  type FileMetaData,
  parquetMetadataAsync,
  parquetRead,
  parquetSchema,
  type SchemaTree,
  snappyUncompress,
} from "hyparquet";
import { parquetHeader } from "hyparquet/column";
import { mostExpanded } from "./expansion.ts";
import { checkDeltas, checkRuns, type Stretch } from "./parquet_runs.ts";
import { endOfStruct } from "./parquet_thrift.ts";

/** The most rows of pictures. */
export const MAX_PICTURES = 2 ** 22;
/** Rows that any file may have, and bytes of a file for each row beyond: a file can name one picture a million times. */
const FEW = 10_000, LEAST = 16;
/** Values of all columns that any file may have, and values for each byte of a larger file. */
const FEW_VALUES = 2 ** 20, DENSEST = 8;
/** The most columns and groups of columns, and levels of groups. */
const MAX_COLUMNS = 1000, DEEPEST = 16;
/** The bytes at the end of a file: the length of what it says of itself, and its name. */
const FOOTER = 8;

/**
 * What a file says of itself.
 *
 * @throws if it is damaged, or has too many columns
 */
export async function parquetMetadata(file: ArrayBuffer): Promise<FileMetaData> {
  const end = file.byteLength - FOOTER, length = end < 0 ? Infinity : new DataView(file).getUint32(end, true);
  if (length <= end) endOfStruct(new DataView(file, end - length, length), 0); // else the library says what is wrong
  // Of damaged files, the columns of places (GeoParquet) have no end.
  const metadata = await parquetMetadataAsync(file, { geoparquet: false });
  const { schema } = metadata;
  if (schema.length > MAX_COLUMNS) throw new Error(`expected at most ${MAX_COLUMNS} columns, got ${schema.length}`);
  if (schema.some(({ logical_type: type }) => type?.type === "VARIANT")) {
    throw new Error("expected no column of variants");
  }
  return metadata;
}

/**
 * Checks that columns can be read: their paths, the headers and content of their pages, and their values. `parquetReadObjects` reads
 * them side by side, and a second one that fails would end the process.
 *
 * @param wanted The columns that are read; by default all.
 * @throws {Error} if one cannot be read, or if reading takes steps or bytes out of proportion to the file
 */
export async function checkColumns(
  file: ArrayBuffer,
  metadata: FileMetaData,
  wanted?: readonly string[],
): Promise<void> {
  checkRows(file, metadata);
  const tree = parquetSchema(metadata), limits: Limits = { values: 0, bytes: 0 };
  for (const { columns, num_rows: rows } of metadata.row_groups) {
    const paths = new Set<string>();
    for (const { meta_data: data } of columns) {
      if (!data) throw new Error("expected what is said of a column");
      const path = pathOf(tree, data.path_in_schema);
      paths.add(path.at(-1)!.path.join());
      if (wanted?.includes(data.path_in_schema[0]) ?? true) checkPages(file, data, path, Number(rows), limits);
    }
    if (paths.size < columns.length) throw new Error("expected each column once");
  }
  await parquetRead({ file, metadata, ...wanted && { columns: [...wanted] }, utf8: false });
}

/** The most rows that a file may have. */
function mostRows({ byteLength }: ArrayBuffer): number {
  return Math.min(MAX_PICTURES, Math.max(FEW, Math.floor(byteLength / LEAST)));
}

/** Checks the number of rows: that of the file is that of its groups. */
function checkRows(file: ArrayBuffer, { row_groups: groups, num_rows: rows }: FileMetaData): void {
  const most = mostRows(file), counts = groups.map(({ num_rows: count }) => count);
  const areCounts = [rows, ...counts].every((count) => typeof count === "bigint" && count >= 0n);
  if (!areCounts || rows > most) {
    throw new Error(`expected at most ${most} rows, got ${areCounts ? rows : "no number"}`);
  }
  const sum = counts.reduce((sum, count) => sum + count, 0n);
  if (sum !== rows) throw new Error(`expected groups of ${rows} rows, got ${sum}`);
}

/** The schema's elements on the way to a column, the root first. */
function pathOf(tree: SchemaTree, names: readonly string[]): SchemaTree[] {
  const path = [tree];
  if (names.length > DEEPEST) throw new Error(`expected at most ${DEEPEST} levels of columns, got ${names.length}`);
  for (const name of names) {
    const child = path.at(-1)!.children.find(({ element }) => element.name === name);
    if (!child) throw new Error(`expected no column ${name}`);
    path.push(child);
  }
  return path;
}

/** What was counted of all pages of a file: their values, and their bytes before compression. */
interface Limits {
  values: number;
  bytes: number;
}

/**
 * Checks the pages of a column.
 *
 * @throws {Error} if a page is longer than the file, holds more values than its group has rows, or if all pages have too many values or
 * bytes
 */
function checkPages(
  file: ArrayBuffer,
  data: ColumnMetaData,
  path: readonly SchemaTree[],
  rows: number,
  limits: Limits,
): void {
  const mostValues = Math.max(FEW_VALUES, DENSEST * file.byteLength), mostBytes = mostExpanded(file.byteLength);
  const { dictionary_page_offset: words, data_page_offset: values, total_compressed_size: length } = data;
  const first = words && words < values ? words : values; // some programs write 0 where there is no dictionary
  const reader = { view: new DataView(file, Number(first), Number(length)), offset: 0 };
  while (reader.offset < reader.view.byteLength) {
    endOfStruct(reader.view, reader.offset);
    const page = parquetHeader(reader), { compressed_page_size: packed, uncompressed_page_size: unpacked } = page;
    const { num_values: held } = page.data_page_header ?? page.data_page_header_v2 ?? page.dictionary_page_header ?? {};
    const nulls = page.data_page_header_v2?.num_nulls ?? 0;
    const areSizes = isSize(packed) && isSize(unpacked) && reader.offset + packed <= reader.view.byteLength;
    // A column of nulls may have a dictionary without a value.
    const isHeld = isSize(held) && (held > 0 || page.dictionary_page_header !== undefined);
    const isCounted = isHeld && (path.length > 2 || held <= rows) && isSize(nulls) && nulls <= held;
    if (!areSizes || !isCounted) throw new Error("the header of a page makes no sense");
    limits.values += held;
    limits.bytes += unpacked;
    if (limits.values > mostValues) throw new Error(`expected at most ${mostValues} values, got more`);
    if (limits.bytes > mostBytes) throw new Error(`expected at most ${mostBytes} bytes of pictures, got more`);
    checkPage(new Uint8Array(file, reader.view.byteOffset + reader.offset, packed), page, data, path);
    reader.offset += packed;
  }
}

function isSize(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** Checks how often the values of a page are repeated. */
function checkPage(
  packed: Uint8Array,
  { data_page_header: v1, data_page_header_v2: v2, uncompressed_page_size: unpacked }: ReturnType<typeof parquetHeader>,
  { codec, type }: ColumnMetaData,
  path: readonly SchemaTree[],
): void {
  const header = v1 ?? v2;
  if (!header) return;
  const { num_values: count, encoding } = header, above = path.slice(1).map(({ element }) => element.repetition_type);
  const widthOf = (most: number) => 32 - Math.clz32(most);
  const repeated = widthOf(above.filter((repetition) => repetition === "REPEATED").length);
  const defined = widthOf(above.filter((repetition) => repetition !== "REQUIRED").length);
  const levels = [repeated, defined];
  const lengths = v2 && [v2.repetition_levels_byte_length, v2.definition_levels_byte_length];
  let bytes = packed, at = 0;
  if (lengths) {
    if (!lengths.every((length) => isSize(length) && length <= packed.length)) throw new Error("levels make no sense");
    levels.forEach((width, i) => {
      if (width > 0) checkRuns({ bytes, at, end: at + lengths[i] }, width, count);
      at += lengths[i];
    });
    bytes = v2.is_compressed === false ? packed.subarray(at) : decompressed(packed.subarray(at), codec, unpacked - at);
    at = 0;
  } else {
    bytes = decompressed(packed, codec, unpacked);
    for (const width of levels.filter((width) => width > 0)) at = endOfRuns(bytes, at, width, count);
  }
  checkValues({ bytes, at, end: bytes.length }, encoding, type, count);
}

/** Checks runs that begin with their length, and returns where they end. */
function endOfRuns(bytes: Uint8Array, at: number, width: number, count: number): number {
  const start = at + 4, end = start + new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(at, true);
  if (end > bytes.length) throw new Error("runs are longer than their page");
  checkRuns({ bytes, at: start, end }, width, count);
  return end;
}

/** A page before compression. */
function decompressed(packed: Uint8Array, codec: string, length: number): Uint8Array {
  if (codec === "UNCOMPRESSED") return packed;
  if (codec !== "SNAPPY") throw new Error(`expected no compression or that of Snappy, got ${codec}`);
  const bytes = new Uint8Array(length);
  snappyUncompress(packed, bytes);
  return bytes;
}

/** Checks the values of a page: in how many steps and bytes they can be read. */
function checkValues(values: Stretch, encoding: string, type: string, count: number): void {
  if (encoding === "PLAIN") return; // as many bytes as values
  if (encoding === "DELTA_BINARY_PACKED" || encoding === "DELTA_LENGTH_BYTE_ARRAY") return checkDeltas(values);
  if (!["RLE", "PLAIN_DICTIONARY", "RLE_DICTIONARY"].includes(encoding)) {
    throw new Error(`expected values in another encoding, got ${encoding}`);
  }
  if (encoding === "RLE" && type === "BOOLEAN") {
    endOfRuns(values.bytes, values.at, 1, count);
    return;
  }
  const width = values.bytes[values.at] ?? 0;
  if (width > 0) checkRuns({ ...values, at: values.at + 1 }, width, count);
}
