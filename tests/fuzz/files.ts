/** Fuzzes the readers of files: damaged files of every format give content or one sentence, within bounds of time and memory. */
import { encode } from "fast-png";
import { zipSync } from "fflate";
import { plan } from "../../core/plan.ts";
import type { Profile } from "../../core/profile.ts";
import { withSetting } from "../../core/profile_changes.ts";
import { type Stream, stream } from "../../core/random.ts";
import { crc32 } from "../../datasets/formats/crc32.ts";
import { gunzip, imagesFromIdx, labelsFromIdx, writeIdx } from "../../datasets/formats/idx.ts";
import { bytesToNpy, floatsToNpy, imagesFromNpy, writeNpy } from "../../datasets/formats/npy.ts";
import { readPng } from "../../datasets/formats/png.ts";
import { profiles } from "../../datasets/profiles/mod.ts";
import { builtins } from "../../plugins/mod.ts";
import { readImageFile } from "../../hosts/deno/data/read_image_file.ts";
import { readPicture } from "../../hosts/deno/data/read_picture.ts";
import { encodePart, FORMATS } from "../../pipelines/shards/formats.ts";
import type { PartContext, PartFile, PartImage } from "../../pipelines/shards/part_image.ts";
import { readPart } from "../../pipelines/shards/read_part.ts";
import { fuzzPacks } from "../datasets/formats/fuzz_packs.ts";
import { bmpOf, gifOf, tiffOf, WEBP } from "../hosts/deno/data/picture_files.ts";
import { jpegOf } from "../hosts/deno/data/photographs.ts";
import { isSentence } from "./sentences.ts";
import { type Below, HUGE, type Mutation, PLAIN_MUTATIONS } from "./mutations.ts";

/** A format: whole files, how they are damaged, and how they are read. */
interface Format {
  readonly wholes: readonly Uint8Array[];
  readonly mutations: readonly Mutation[];
  /** Puts checksums and lengths right, so that what lies behind them is reached. */
  readonly repaired?: (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>;
  readonly read: (bytes: Uint8Array) => unknown;
}

/** No file of these sizes takes milliseconds; a machine under load may pause for longer. */
const HANG = 2000;

/** Runs the files of every format: the same part of `count` each. */
export async function run(count: number, seed: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}, readers = Object.entries(await formats());
  const each = Math.ceil(count / (readers.length + 1));
  for (const [name, format] of readers) await fuzz(name, format, each, seed, counts);
  const { read, refused } = fuzzPacks(each, seed);
  counts["pack: read"] = read;
  counts["pack: refused with a sentence"] = [...refused.values()].reduce((sum, times) => sum + times, 0);
  return counts;
}

async function fuzz(name: string, format: Format, count: number, seed: number, counts: Record<string, number>) {
  const { wholes, mutations, repaired = (bytes) => bytes, read } = format;
  const add = (outcome: string) => counts[outcome] = (counts[outcome] ?? 0) + 1;
  for (let n = 0; n < count; n++) {
    // A stream of its own for each file, so that one can be made again alone.
    const random: Stream = stream(seed * 1_000_003 + n), below: Below = (n) => Math.floor(random.next() * n);
    let bytes: Uint8Array = wholes[below(wholes.length)].slice();
    for (let times = 1 + below(3); times > 0; times--) bytes = mutations[below(mutations.length)](bytes, below);
    if (below(4) > 0) bytes = await repaired(bytes);
    const started = performance.now();
    let outcome = "read";
    try {
      await read(bytes);
    } catch (error) {
      outcome = isSentence(error) ? "refused with a sentence" : "crash";
      if (outcome === "crash") console.error(`${name} ${n} of seed ${seed}:`, error, bytes.toBase64().slice(0, 400));
    }
    const took = performance.now() - started;
    if (took > HANG) console.error(`${name} ${n} of seed ${seed} took ${took.toFixed(0)} ms`);
    add(took > HANG ? `hang: ${name}` : outcome === "crash" ? `crash: ${name}` : `${name}: ${outcome}`);
  }
}

async function formats(): Promise<Readonly<Record<string, Format>>> {
  const noise = (length: number) => Uint8Array.from({ length }, (_, i) => i * 37 + (i >> 3));
  const idx = writeIdx([5, 7, 6], noise(210)), labels = writeIdx([9], noise(9));
  const picture = (channels: 1 | 2 | 3 | 4, depth: 8 | 16 = 8) => {
    const data = noise(6 * 5 * channels);
    return encode({ width: 6, height: 5, channels, depth, data: depth === 8 ? data : Uint16Array.from(data) });
  };
  const jsons = Object.values(profiles).map((profile) => new TextEncoder().encode(JSON.stringify(profile)));
  return {
    ...await partFormats(),
    IDX: {
      wholes: [idx, labels, await gzip(idx), await gzip(labels)],
      mutations: [...PLAIN_MUTATIONS, idxNumber],
      repaired: gzipAgain,
      read: async (bytes) => {
        const content = await gunzip(bytes, "The file");
        return content[3] === 1 ? labelsFromIdx(content, "The file", 9) : imagesFromIdx(content, "The file");
      },
    },
    PNG: {
      wholes: [picture(1), picture(2), picture(3), picture(4), picture(1, 16), picture(4, 16)],
      mutations: [...PLAIN_MUTATIONS, pngChunk, pngHeader],
      repaired: pngRepaired,
      read: (bytes) => readPng(bytes, "The file", { channels: bytes.length % 2 === 0 ? 1 : 3 }),
    },
    NPY: {
      wholes: [
        writeNpy({ count: 3, height: 4, width: 5, channels: 3, pixels: noise(180) }),
        floatsToNpy([3, 4, 5], Float32Array.from(noise(60), (value) => value / 255)),
        npyBytes("|u1", "(3, 4, 5)", noise(60)),
        npyBytes("<f8", "(1, 2, 2, 1)", new Uint8Array(new Float64Array([0, 0.5, 1, 0.25]).buffer)),
      ],
      mutations: [...PLAIN_MUTATIONS, npyHeader],
      read: (bytes) => imagesFromNpy(bytes, "The file"),
    },
    "file of pictures": {
      wholes: await filesOfPictures(picture(1)),
      mutations: PLAIN_MUTATIONS,
      read: (bytes) => readImageFile(bytes, "The file"),
    },
    picture: {
      wholes: [
        jpegOf(20, 17, (x, y) => 9 * x + y),
        gifOf([[0, 1, 2], [1, 255, 0]], [[1, 2, 3], [40, 50, 60], [255, 0, 255]]),
        bmpOf([[[1, 2, 3], [4, 5, 6]], [[7, 8, 9], [10, 11, 12]]]),
        ...(["none", "lzw"] as const).map((compression) => tiffOf(4, 5, 3, [...noise(60)], compression)),
        ...Object.values(WEBP).map((webp) => Uint8Array.fromBase64(webp)),
      ],
      mutations: [...PLAIN_MUTATIONS, smallNumber],
      read: (bytes) => readPicture(bytes, "The file", { channels: bytes.length % 2 === 0 ? 1 : 3 }),
    },
    profile: {
      wholes: jsons,
      mutations: [...PLAIN_MUTATIONS, jsonEntry, jsonEntry, jsonEntry, jsonEntry, jsonEntry, jsonEntry],
      read: (bytes) => {
        let profile: unknown;
        try {
          profile = JSON.parse(new TextDecoder().decode(bytes));
        } catch {
          throw new Error("The profile is not JSON"); // `readProfile` says the same
        }
        plan(profile as Profile, builtins);
        plan(withSetting(profile as Profile, "layers.0.iterations=3"), builtins);
      },
    },
  };
}

/** A picture in Parquet, WebDataset and NPZ files. */
async function filesOfPictures(png: Uint8Array): Promise<Uint8Array[]> {
  const pixels = readPng(png, "The picture", {}).pixels, shape = { height: 5, width: 6, channels: 1 } as const;
  const image = { index: 0, label: 3, seed: 1, pixels, originality: 1, sources: [] };
  const context = { count: 1, shape, labels: [3] };
  const parts = (["parquet", "webdataset"] as const).map(async (format) => {
    const [[, bytes]] = await encodePart(format, { first: 0, end: 1 }, [image], context);
    return bytes;
  });
  const arrays = { "images.npy": bytesToNpy([1, 5, 6], pixels), "labels.npy": bytesToNpy([1], Uint8Array.of(3)) };
  return [...await Promise.all(parts), zipSync(arrays), zipSync(arrays, { level: 0 })];
}

/** The files of the parts of a run, in every format. The other files of a part are whole. */
async function partFormats(): Promise<Record<string, Format>> {
  const shape = { height: 5, width: 6, channels: 1 }, context: PartContext = { count: 20, shape, labels: [0, 1, 2] };
  const images = Array.from({ length: 4 }, (_, i): PartImage => ({
    index: 10 + i,
    label: i % 3,
    seed: 7,
    pixels: Uint8Array.from({ length: 30 }, (_, p) => p * i),
    sources: [{ image: i, share: 0.5 }],
  }));
  const formats: Record<string, Format> = {};
  for (const format of FORMATS) {
    const files: PartFile[] = [...await encodePart(format, { first: 10, end: 14 }, images, context)];
    for (const [at, [name, whole]] of files.entries()) {
      const read = (bytes: Uint8Array) => readPart(format, files.with(at, [name, bytes]), context);
      formats[`part ${format}, file ${at}`] = { wholes: [whole], mutations: PLAIN_MUTATIONS, read };
    }
  }
  return formats;
}

async function gzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return await new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"))).bytes();
}

/** Compresses damaged content again: the checksum of gzip would hide it. Files that are not gzip stay as they are. */
async function gzipAgain(bytes: Uint8Array): Promise<Uint8Array> {
  return bytes[0] === 0 && bytes.length % 3 === 0 ? await gzip(new Uint8Array(bytes)) : bytes;
}

/** A dimension, or their number. */
const idxNumber: Mutation = (bytes, below) => {
  if (bytes.length < 16) return bytes;
  if (below(4) === 0) bytes[2 + below(2)] = below(16);
  else new DataView(bytes.buffer, bytes.byteOffset).setUint32(4 + 4 * below(3), HUGE[below(HUGE.length)]);
  return bytes;
};

/** An entry of the header chunk: sides, depth, colour type, compression, filter, interlacing. */
const pngHeader: Mutation = (bytes, below) => {
  if (bytes.length < 29) return bytes;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  if (below(2) === 0) view.setUint32(16 + 4 * below(2), [...HUGE, 5, 6, 7][below(HUGE.length + 3)]);
  else bytes[24 + below(5)] = [0, 1, 2, 3, 4, 6, 8, 16, 255][below(9)];
  return bytes;
};

/** The bounds of a PNG's chunks, as far as they can be followed. */
function chunksOf(bytes: Uint8Array): { at: number; end: number }[] {
  const chunks = [], view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 8; at + 12 <= bytes.length;) {
    const end = at + 12 + view.getUint32(at);
    if (end > bytes.length) break;
    chunks.push({ at, end });
    at = end;
  }
  return chunks;
}

/** A chunk twice, away, renamed, or with other content. */
const pngChunk: Mutation = (bytes, below) => {
  const chunks = chunksOf(bytes), { at, end } = chunks[below(chunks.length || 1)] ?? { at: 0, end: 0 };
  if (end === 0) return bytes;
  const chunk = bytes.slice(at, end), choice = below(4), names = ["PLTE", "tRNS", "IDAT", "iCCP", "tEXt", "IEND"];
  if (choice === 2) chunk.set(new TextEncoder().encode(names[below(names.length)]), 4);
  if (choice === 3) { for (let i = 8; i < chunk.length - 4; i++) chunk[i] = below(256); }
  const parts = choice === 0 ? [chunk, chunk] : choice === 1 ? [] : [chunk];
  const rest = [bytes.subarray(0, at), ...parts, bytes.subarray(end)];
  return Uint8Array.from(rest.flatMap((part) => [...part]));
};

/** Puts the signature and the checksums of all chunks right. */
function pngRepaired(bytes: Uint8Array): Uint8Array {
  if (bytes.length < 8) return bytes;
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  for (const { at, end } of chunksOf(bytes)) view.setUint32(end - 4, crc32(bytes.subarray(at + 4, end - 4)));
  return bytes;
}

function npyBytes(descr: string, shape: string, data: Uint8Array): Uint8Array {
  const header = new TextEncoder().encode(`{'descr': '${descr}', 'fortran_order': False, 'shape': ${shape}, }\n`);
  const start = [0x93, ...new TextEncoder().encode("NUMPY"), 1, 0, header.length, 0];
  return Uint8Array.from([...start, ...header, ...data]);
}

/** A word of the header replaced by another of the same length. */
const npyHeader: Mutation = (bytes, below) => {
  const text = new TextDecoder("latin1").decode(bytes),
    words = [
      ...["|u1", "|b1", "<f4", "<f8", ">f4", ">f8", "<c8", "|O8"].map((type) => [/[|<>][a-z]\d/, type] as const),
      ...["True ", "False"].map((word) => [/True |False/, word] as const),
      ...["0", "9", "-", ",", ")"].map((digit) => [/\d(?=[,)])/, digit] as const),
    ];
  const [old, word] = words[below(words.length)];
  return Uint8Array.from(text.replace(old, word), (character) => character.charCodeAt(0));
};

/** What is put in place of an entry of JSON. */
const ODD: readonly unknown[] = [
  ...[...HUGE, -1, 0.5, 2 ** 53, 1e308, null, true, false, "", "x", "local-nn", "auto", "\u0000\u001b[2J\n"],
  ...[[], {}, [[]], ["local-nn", {}], [1, 2], "a".repeat(70_000), Array(3000).fill(7)],
];

/** A number of two bytes near the beginning, where headers are. */
const smallNumber: Mutation = (bytes, below) => {
  if (bytes.length < 64) return bytes;
  new DataView(bytes.buffer, bytes.byteOffset).setUint16(below(62), HUGE[below(HUGE.length)] & 65535, below(2) === 0);
  return bytes;
};

/** An entry of JSON, as deep as chance leads: another value or away. */
const jsonEntry: Mutation = (bytes, below) => {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return bytes;
  }
  for (let inside = json; typeof inside === "object" && inside !== null;) {
    const entries = inside as Record<string, unknown>, names = Object.keys(entries);
    if (names.length === 0) break;
    const name = names[below(names.length)], value = entries[name];
    inside = undefined;
    if (typeof value === "object" && value !== null && below(4) > 0) inside = value;
    else if (below(4) === 0) delete entries[name];
    else entries[name] = ODD[below(ODD.length)];
  }
  return new TextEncoder().encode(JSON.stringify(json));
};
