/** Reads the rows of a part in the format `parquet`. */
import { parquetReadObjects } from "hyparquet";
import { checkColumns, parquetMetadata } from "../../datasets/formats/parquet_pages.ts";
import type { PartImage } from "./part_image.ts";

/** A row: what is said of an image, and its PNG file. */
type ParquetRow = Omit<PartImage, "pixels"> & { readonly picture: Uint8Array };

/**
 * Reads all rows. Numbers come as `bigint`, what is missing as null.
 *
 * @throws an error of the library if the file is damaged
 */
export async function readParquetPart(bytes: Uint8Array): Promise<ParquetRow[]> {
  const file = bytes.slice().buffer, metadata = await parquetMetadata(file);
  await checkColumns(file, metadata);
  // deno-lint-ignore no-explicit-any
  const rows: any[] = await parquetReadObjects({ file, metadata, utf8: false });
  return rows.map(({ image, index, label, seed, originality, nearest, structure, ll, tries, sources }): ParquetRow => {
    const given = (name: string, value: unknown) => value === undefined || value === null ? {} : { [name]: value };
    const whole = (value: bigint | undefined) => value === undefined ? undefined : Number(value);
    const named = (one: { image: bigint }) => ({ ...one, image: Number(one.image) });
    return {
      picture: image.bytes,
      index: Number(index),
      ...given("label", whole(label)),
      seed: Number(seed),
      ...given("originality", originality),
      ...given("nearest", nearest && named(nearest)),
      ...given("structure", structure && named(structure)),
      ...given("ll", ll),
      ...given("tries", whole(tries)),
      sources: sources.map(named),
    };
  });
}
