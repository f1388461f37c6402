/** Checks Parquet files before they are read. */
import { type FileMetaData, parquetMetadataAsync, parquetRead, parquetSchema } from "hyparquet";
import { parquetHeader } from "hyparquet/column";

/** The most rows of pictures. */
export const MAX_PICTURES = 2 ** 22;
/** The most bytes of all pictures. */
const MAX_BYTES = 2 ** 31;
/** Rows that any file may have, and bytes of a file for each row beyond: a file can name one picture a million times. */
const FEW = 10_000, LEAST = 16;

/** What a file says of itself. */
export function parquetMetadata(file: ArrayBuffer): Promise<FileMetaData> {
  return parquetMetadataAsync(file, { geoparquet: false }); // of damaged files, its columns of places have no end
}

/**
 * Checks that columns can be read: their paths, the headers of their pages, and their values. `parquetReadObjects` reads them side by
 * side, and a second one that fails would end the process.
 *
 * @param wanted The columns that are read; by default all.
 * @throws {Error} if one cannot be read, or as `checkPages`
 */
export async function checkColumns(
  file: ArrayBuffer,
  metadata: FileMetaData,
  wanted?: readonly string[],
): Promise<void> {
  checkPages(file, metadata, wanted);
  const tree = parquetSchema(metadata);
  for (const { columns } of metadata.row_groups) {
    const paths = new Set<string>();
    for (const { meta_data: data } of columns) {
      let node = tree;
      for (const name of data?.path_in_schema ?? [""]) {
        const child = node.children.find(({ element }) => element.name === name);
        if (!child) throw new Error(`expected no column ${name}`);
        node = child;
      }
      paths.add(node.path.join());
    }
    if (paths.size < columns.length) throw new Error("expected each column once");
  }
  await parquetRead({ file, metadata, ...wanted && { columns: [...wanted] }, utf8: false });
}

/**
 * Checks what the headers of pages say: the reader believes them, and may read a damaged file without an end.
 *
 * @param wanted The columns that are read; by default all.
 * @throws {Error} if a page is longer than the file, holds more values than the file has rows, or if all are too long, or too many
 */
function checkPages(
  file: ArrayBuffer,
  { row_groups: groups, num_rows: rows }: FileMetaData,
  wanted?: readonly string[],
) {
  const most = Math.min(MAX_PICTURES, Math.max(FEW, Math.floor(file.byteLength / LEAST)));
  if (rows < 0 || rows > most) throw new Error(`expected at most ${most} rows, got ${rows}`);
  let total = 0;
  for (const { columns, num_rows: ofGroup } of groups) {
    if (ofGroup < 0 || ofGroup > rows) throw new Error(`expected at most ${rows} rows in a group, got ${ofGroup}`);
    for (const { meta_data: data } of columns) {
      if (!data || !(wanted?.includes(data.path_in_schema[0]) ?? true)) continue;
      const isList = data.path_in_schema.length > 2;
      const { dictionary_page_offset: words, data_page_offset: values, total_compressed_size: length } = data;
      const first = words && words < values ? words : values; // some programs write 0 where there is no dictionary
      const reader = { view: new DataView(file, Number(first), Number(length)), offset: 0 };
      while (reader.offset < reader.view.byteLength) {
        const { compressed_page_size: packed, uncompressed_page_size: unpacked, ...page } = parquetHeader(reader);
        const { num_values: held } = page.data_page_header ?? page.data_page_header_v2 ??
          page.dictionary_page_header ?? {};
        total += unpacked;
        const isWhole = packed >= 0 && unpacked >= 0 && reader.offset + packed <= reader.view.byteLength;
        const isCounted = held !== undefined && held > 0 && held <= (isList ? MAX_PICTURES : rows);
        if (!isWhole || !isCounted) throw new Error("the header of a page makes no sense");
        if (total > MAX_BYTES) throw new Error(`expected at most ${MAX_BYTES} bytes of pictures, got more`);
        reader.offset += packed;
      }
    }
  }
}
