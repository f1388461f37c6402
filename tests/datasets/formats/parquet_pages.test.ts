import { assert, assertRejects, assertThrows } from "@std/assert";
import { parquetWriteBuffer } from "hyparquet-writer";
import { checkColumns, parquetMetadata } from "../../../datasets/formats/parquet_pages.ts";
import { checkDeltas, checkRuns } from "../../../datasets/formats/parquet_runs.ts";
import { endOfStruct } from "../../../datasets/formats/parquet_thrift.ts";
import { countBlocks } from "../../work.ts";

const view = (...bytes: number[]) => new DataView(Uint8Array.from(bytes).buffer);
const stretch = (...bytes: number[]) => ({ bytes: Uint8Array.from(bytes), at: 0, end: bytes.length });

/** A Parquet file with pictures and classes. */
function parquet(count = 40): ArrayBuffer {
  const data = Array.from({ length: count }, (_, i) => Uint8Array.from({ length: 20 }, (_, j) => i + j));
  const label = Array.from({ length: count }, (_, i) => i % 3);
  return parquetWriteBuffer({
    columnData: [{ name: "image", data, type: "BYTE_ARRAY" }, { name: "label", data: label, type: "INT32" }],
  });
}

/** A file of nothing but what it says of itself. */
function footer(bytes: readonly number[]): ArrayBuffer {
  const file = new Uint8Array([0x50, 0x41, 0x52, 0x31, ...bytes, 0, 0, 0, 0, 0x50, 0x41, 0x52, 0x31]);
  new DataView(file.buffer).setUint32(file.length - 8, bytes.length, true);
  return file.buffer;
}

Deno.test("parquetMetadata: what another program wrote is read; lists, numbers and levels without a bound are not", async () => {
  const file = parquet(), metadata = await parquetMetadata(file);
  await checkColumns(file, metadata);
  // Field 2, a list of 33 million structures: room for them would take 270 MB, and a list of such lists any number of gigabytes.
  const list = [0x29, 0xfc, 0xff, 0xff, 0xff, 0x0f];
  await assertRejects(() => parquetMetadata(footer(list)), Error, "a text or a list is longer than the file");
  // Field 3, a number of a million bytes: to read it takes a million sums of numbers of up to seven million bits.
  const number = footer([0x36, ...new Array(1_000_000).fill(0xff), 0]);
  const blocks = await countBlocks(() => {
    return assertRejects(() => parquetMetadata(number), Error, "a number has more than 64 bits");
  });
  assert(blocks < 10_000, `${blocks} blocks`);
  await assertRejects(() => parquetMetadata(footer(new Array(5000).fill(0x1c))), Error, "levels of structures");
  await assertRejects(
    () => parquetMetadata(footer([0x18, 0xff, 0xff, 3])),
    Error,
    "a text or a list is longer than the file",
  );
});

Deno.test("checkColumns: a column of nulls, for which pyarrow writes a dictionary without a value", async () => {
  // Written by pyarrow, of rows such as {"image": {"bytes": PNG, "path": None}, "label": 3}.
  const bytes = await Deno.readFile(new URL("null_paths.parquet", import.meta.url)), file = bytes.buffer;
  await checkColumns(file, await parquetMetadata(file));
});

Deno.test("checkColumns: compressions that cannot be read are named", async () => {
  const file = parquet(), metadata = await parquetMetadata(file);
  for (const codec of ["GZIP", "ZSTD", "LZ4_RAW"] as const) {
    const row_groups = metadata.row_groups.map((group) => ({
      ...group,
      columns: group.columns.map((column) => ({ ...column, meta_data: { ...column.meta_data!, codec } })),
    }));
    const sentence = `expected no compression or that of Snappy, got ${codec}`;
    await assertRejects(() => checkColumns(file, { ...metadata, row_groups }), Error, sentence);
  }
});

Deno.test("checkColumns: counts of rows, values and bytes that the file does not have", async () => {
  const file = parquet(), metadata = await parquetMetadata(file), [group] = metadata.row_groups;
  const check = (changed: Partial<typeof metadata>) => checkColumns(file, { ...metadata, ...changed });
  const twice = "expected groups of 40 rows, got 80";
  await assertRejects(() => check({ row_groups: [group, group] }), Error, twice);
  const noNumber = "expected at most 10000 rows, got no number";
  await assertRejects(() => check({ num_rows: new Uint8Array(3) as unknown as bigint }), Error, noNumber);
  await assertRejects(() => check({ num_rows: -1n }), Error, noNumber);
  const same = [{ ...group, columns: [group.columns[0], group.columns[0]] }];
  await assertRejects(() => check({ row_groups: same }), Error, "expected each column once");
});

Deno.test("checkRuns: a run of a billion values in four bytes", () => {
  checkRuns(stretch(2 * 8, 5, 3, 0b10101010, 0), 1, 16); // eight times five, and a group of eight
  checkRuns(stretch(2 * 8, 5), 1, 20); // the reader says that it is cut off
  const long = () => checkRuns(stretch(0xfe, 0xff, 0xff, 0xff, 7, 1), 1, 20);
  assertThrows(long, Error, "expected a run of 1 to 20, got 1073741823");
  assertThrows(() => checkRuns(stretch(0xff, 0xff, 0xff, 0xff, 7, 1), 1, 20), Error, "expected a run of 1 to 20");
  assertThrows(() => checkRuns(stretch(0, 0, 0, 0), 1, 20), Error, "expected a run of 1 to 20, got 0");
  assertThrows(() => checkRuns(stretch(2, 1), 33, 20), Error, "expected at most 32 bits a value, got 33");
  assertThrows(() => checkRuns(stretch(...new Array(9).fill(255)), 1, 20), Error, "more than 32 bits");
});

Deno.test("checkDeltas: blocks as writers make them", () => {
  checkDeltas(stretch(0x80, 1, 4, 9)); // 128 values in four parts
  assertThrows(
    () => checkDeltas(stretch(0x80, 1, 0xff, 0xff, 0xff, 0xff, 7)),
    Error,
    "expected a block of 128 to 65536",
  );
  assertThrows(() => checkDeltas(stretch(0x80, 1, 0)), Error, "in 0 parts");
});

Deno.test("endOfStruct: every type of Parquet, and where the structure ends", () => {
  // True, a byte, a number of two bytes, eight bytes, a text of two bytes, a list of two numbers, a structure, the end.
  const whole = [
    0x11,
    0x13,
    7,
    0x15,
    0x80,
    1,
    0x17,
    ...new Array(8).fill(0),
    0x18,
    2,
    65,
    66,
    0x19,
    0x25,
    1,
    2,
    0x1c,
    0,
    0,
  ];
  assert(endOfStruct(view(...whole, 99), 0) === whole.length);
  assertThrows(() => endOfStruct(view(...whole.slice(0, -1)), 0), RangeError);
  assertThrows(() => endOfStruct(view(0x1b, 0), 0), Error, "expected a type of Parquet, got 11");
});
