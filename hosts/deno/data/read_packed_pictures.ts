/** Reads the pictures of Parquet files and of tar files in the form of WebDataset, with their classes. */
import { parquetReadObjects } from "hyparquet";
import { checkColumns, MAX_PICTURES, parquetMetadata } from "../../../datasets/formats/parquet_pages.ts";
import { readTar } from "../../../datasets/formats/tar.ts";
import { damageOf, isPicture, pictureNames } from "./read_picture.ts";

/** A picture in a file of many: its name, its bytes, and its class, if it has one. */
export interface PackedPicture {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly label?: number;
}

/** The pictures of a file, and the names of their classes, if they are not named by numbers. */
export interface PackedPictures {
  readonly pictures: readonly PackedPicture[];
  readonly classes?: readonly string[];
}

/** The names of columns of classes, in the order of preference. */
const LABEL_COLUMNS = ["label", "labels", "fine_label", "class", "target", "y"];

type Row = Readonly<Record<string, unknown>>;

/**
 * The pictures of a Parquet file as the Hugging Face hub has them: a column of PNG or JPEG files, or of groups with the entries
 * `bytes` and `path`; and perhaps a column `label`.
 *
 * @throws one sentence if it is damaged, compressed in a way that is not read, or has no such column
 */
export async function picturesOfParquet(bytes: Uint8Array, path: string): Promise<PackedPictures> {
  const { rows, columns, names } = await readRows(bytes).catch((cause) => {
    throw new Error(`${path} cannot be read as Parquet: ${damageOf(cause)}`, { cause });
  });
  const [first = {}] = rows;
  const column = columns.find((name) => isPicture(pictureOf(first[name]).bytes));
  if (column === undefined) {
    throw new Error(`${path}: expected a column of pictures, got ${columns.join(", ") || "no rows"}`);
  }
  const labelled = LABEL_COLUMNS.find((name) => columns.includes(name));
  const pictures = rows.map((row, i): PackedPicture => {
    const { bytes, name = String(i) } = pictureOf(row[column]);
    return { name, bytes, ...labelled && { label: labelOf(row[labelled], `${path}, row ${i}`) } };
  });
  const classes = labelled === undefined ? undefined : names[labelled];
  return { pictures, ...classes && !classes.every((name, i) => name === String(i)) && { classes } };
}

/** The rows of a Parquet file: their columns that may be pictures or classes. */
async function readRows(bytes: Uint8Array) {
  const isWhole = bytes.byteLength === bytes.buffer.byteLength;
  const file = (isWhole ? bytes : bytes.slice()).buffer as ArrayBuffer;
  const metadata = await parquetMetadata(file);
  // Only bytes, groups of them, and classes: lists and other columns would take time.
  const columns = metadata.row_groups.flatMap(({ columns }) => columns.flatMap(({ meta_data: data }) => data ?? []));
  const binary = columns.filter(({ type }) => type === "BYTE_ARRAY").map(({ path_in_schema: [name] }) => name);
  const deep = columns.filter(({ path_in_schema: { length } }) => length > 2).map(({ path_in_schema: [name] }) => name);
  const top = [...new Set(columns.map(({ path_in_schema: [name] }) => name))].filter((name) => !deep.includes(name));
  const wanted = top.filter((name) => binary.includes(name) || LABEL_COLUMNS.includes(name));
  await checkColumns(file, metadata, wanted);
  const hub = metadata.key_value_metadata?.find(({ key }) => key === "huggingface")?.value;
  const rows: Row[] = await parquetReadObjects({ file, metadata, columns: wanted, utf8: false });
  return { rows, columns: wanted, names: labelNames(hub) };
}

/** The bytes of a picture in a column, and its name. */
function pictureOf(value: unknown): { bytes: Uint8Array; name?: string } {
  if (value instanceof Uint8Array) return { bytes: value };
  const { bytes, path } = (value ?? {}) as { bytes?: unknown; path?: unknown };
  const name = path instanceof Uint8Array ? new TextDecoder().decode(path) : path;
  return {
    bytes: bytes instanceof Uint8Array ? bytes : new Uint8Array(),
    ...typeof name === "string" && name !== "" && { name },
  };
}

/** The names of classes by column, as the hub writes them into its files. */
function labelNames(hub: string | undefined): Record<string, string[] | undefined> {
  try {
    const { info } = JSON.parse(hub ?? "");
    const features = Object.entries(info.features as Record<string, { names?: string[] }>);
    return Object.fromEntries(features.map(([column, { names }]) => [column, names]));
  } catch {
    return {};
  }
}

function labelOf(value: unknown, what: string): number {
  const label = typeof value === "string" && /^\s*\d{1,3}\s*$/.test(value) ? Number(value) : value;
  const number = typeof label === "bigint" ? Number(label) : label;
  if (typeof number === "number" && Number.isInteger(number) && number >= 0 && number <= 255) return number;
  throw new Error(`${what}: expected a class from 0 to 255, got ${String(value).slice(0, 20)}`);
}

/**
 * The pictures of a tar file: `KEY.png`, or another format, with its class in `KEY.cls`, if it has one.
 *
 * @throws one sentence if it is damaged or has no pictures
 */
export function picturesOfTar(bytes: Uint8Array, path: string): PackedPictures {
  const files = (() => {
    try {
      return readTar(bytes).filter((file) => file.bytes.length > 0);
    } catch (cause) {
      throw new Error(`${path} is damaged or cut off: it cannot be read as tar`, { cause });
    }
  })();
  // A key ends at the first dot, as WebDataset has it, or, where names have dots, at the last one.
  const keysOf = (name: string) => [name.replace(/\.[^./]*$/, ""), name.replace(/(^|\/)([^./]+)\.[^/]*$/, "$1$2")];
  const classes = new Map(
    files.filter(({ name }) => /\.cls$/i.test(name)).map(({ name, bytes }) => {
      return [keysOf(name)[0], labelOf(new TextDecoder().decode(bytes.slice()), `${path}/${name}`)];
    }),
  );
  const names = new Set(pictureNames(files.map(({ name }) => name)).pictures);
  const pictures = files.filter(({ name }) => names.has(name)).map(({ name, bytes }): PackedPicture => {
    const label = keysOf(name).map((key) => classes.get(key)).find((label) => label !== undefined);
    return { name, bytes, ...label !== undefined && { label } };
  });
  if (pictures.length === 0) throw new Error(`${path} holds no pictures: expected KEY.png and KEY.cls`);
  if (pictures.length > MAX_PICTURES) {
    throw new Error(`${path}: expected at most ${MAX_PICTURES} pictures, got ${pictures.length}`);
  }
  return { pictures };
}
