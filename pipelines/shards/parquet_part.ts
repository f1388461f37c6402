/** The format `parquet`: a table with a row for each image, with the metadata by which the Hugging Face hub shows pictures. */
import { type ColumnSource, parquetWriteBuffer } from "hyparquet-writer";
import type { SchemaElement } from "hyparquet";
import { VERSION } from "../../core/version.ts";
import { metadataOf, type PartContext, type PartImage } from "./part_image.ts";
import { partPicture } from "./part_picture.ts";
import { paddedNumber } from "./ranges.ts";

/** A column: its values, its schema, which is a tree in the order of its branches, and its type on the Hugging Face hub. */
interface Column extends ColumnSource {
  readonly schema: readonly SchemaElement[];
  readonly feature: object;
}

/** Encodes the images of a part. */
export function parquetPart(images: readonly PartImage[], context: PartContext): Uint8Array[] {
  const columns = columnsOf(images, context);
  const features = Object.fromEntries(columns.map(({ name, feature }) => [name, feature]));
  const buffer = parquetWriteBuffer({
    columnData: columns.map(({ name, data }) => ({ name, data })),
    schema: [{ name: "root", num_children: columns.length }, ...columns.flatMap(({ schema }) => schema)],
    kvMetadata: [{ key: "huggingface", value: JSON.stringify({ info: { features } }) }],
    createdBy: `patchloom ${VERSION}`,
  });
  return [new Uint8Array(buffer)];
}

function columnsOf(images: readonly PartImage[], context: PartContext): Column[] {
  const [first] = images, rows = images.map(metadataOf), whole = (value: number) => BigInt(value);
  const columns: (Column | false)[] = [
    pictures(images, context),
    integers("index", rows.map(({ index }) => index)),
    first.label !== undefined && labels(images, context),
    integers("seed", rows.map(({ seed }) => seed)),
    first.nearest !== undefined && floats("originality", rows.map(({ originality }) => originality)),
    first.nearest !== undefined && {
      name: "nearest",
      data: rows.map(({ nearest }) => ({ image: whole(nearest!.image), distance: nearest!.distance })),
      schema: [group("nearest", 2), optional("image", "INT64"), optional("distance", "DOUBLE")],
      feature: { image: value("int64"), distance: value("float64") },
    },
    first.structure !== undefined && {
      name: "structure",
      data: rows.map(({ structure }) => ({ image: whole(structure!.image), correlation: structure!.correlation })),
      schema: [group("structure", 2), optional("image", "INT64"), optional("correlation", "DOUBLE")],
      feature: { image: value("int64"), correlation: value("float64") },
    },
    first.ll !== undefined && floats("ll", rows.map(({ ll }) => ll)),
    first.tries !== undefined && integers("tries", rows.map(({ tries }) => tries!)),
    {
      name: "sources",
      data: rows.map(({ sources }) => sources.map(({ image, share }) => ({ image: whole(image), share }))),
      schema: [
        { ...group("sources", 1), converted_type: "LIST" },
        { name: "list", num_children: 1, repetition_type: "REPEATED" },
        group("element", 2),
        optional("image", "INT64"),
        optional("share", "DOUBLE"),
      ],
      feature: [{ image: value("int64"), share: value("float64") }],
    },
  ];
  return columns.filter((column) => column !== false);
}

/** Pictures as the hub has them: the bytes of a PNG file, and its name. */
function pictures(images: readonly PartImage[], context: PartContext): Column {
  const data = images.map((image) => ({
    bytes: partPicture(image, context),
    path: `${paddedNumber(image.index, context.count)}.png`,
  }));
  const path: SchemaElement = { ...optional("path", "BYTE_ARRAY"), converted_type: "UTF8" };
  return {
    name: "image",
    data,
    schema: [group("image", 2), optional("bytes", "BYTE_ARRAY"), path],
    feature: { _type: "Image" },
  };
}

/** Classes, which the hub shows by their names. */
function labels(images: readonly PartImage[], { classes, labels }: PartContext): Column {
  const names = classes ?? Array.from({ length: Math.max(...labels) + 1 }, (_, label) => String(label));
  return { ...integers("label", images.map(({ label }) => label!)), feature: { names, _type: "ClassLabel" } };
}

function integers(name: string, data: readonly number[]): Column {
  return { name, data: data.map(BigInt), schema: [optional(name, "INT64")], feature: value("int64") };
}

function floats(name: string, data: readonly (number | undefined)[]): Column {
  return { name, data: data.map((one) => one ?? null), schema: [optional(name, "DOUBLE")], feature: value("float64") };
}

/** All columns may be empty, though few values are: the hub takes a column for its type only if Arrow's own schema is the same. */
function optional(name: string, type: SchemaElement["type"]): SchemaElement {
  return { name, type, repetition_type: "OPTIONAL" };
}

function group(name: string, children: number): SchemaElement {
  return { name, num_children: children, repetition_type: "OPTIONAL" };
}

function value(dtype: string): object {
  return { dtype, _type: "Value" };
}
