/**
 * What the coverage-guided fuzzer calls: the first byte of an input names the reader, the rest is the file. An error that is one
 * sentence is as good as an image.
 */
import { imagesFromIdx, labelsFromIdx } from "../../datasets/formats/idx.ts";
import { imagesFromNpy, labelsFromNpy } from "../../datasets/formats/npy.ts";
import { imagesFromNpz } from "../../datasets/formats/npz.ts";
import { decodeJpeg } from "../../datasets/formats/jpeg.ts";
import { readPack } from "../../datasets/formats/pack.ts";
import { readPng } from "../../datasets/formats/png.ts";
import { decodeGif } from "../../hosts/deno/data/decoders/gif.ts";
import { decodeTiff } from "../../hosts/deno/data/decoders/tiff.ts";
import { readPart } from "../../pipelines/shards/read_part.ts";
import { isSentence } from "./sentences.ts";

const shape = { height: 5, width: 6, channels: 1 }, context = { count: 20, shape, labels: [0, 1, 2] };

/** Sides that pictures may have here. */
const LARGEST_SIDE = 256;

/** A decoder of pictures. Whatever it throws becomes one sentence in `readPicture`. */
function decoder(decode: typeof decodeJpeg) {
  return (bytes: Uint8Array) => {
    try {
      decode(bytes, (width, height) => {
        if (Math.max(width, height) > LARGEST_SIDE) throw new Error("The file is too large");
      });
    } catch {
      // Only work and memory matter.
    }
  };
}

/** The readers, by the first byte of an input. Their order is that of the kept corpus. */
export const READERS: readonly ((bytes: Uint8Array) => unknown)[] = [
  (bytes) => readPng(bytes, "The file", { channels: 1 }),
  (bytes) => readPng(bytes, "The file", { channels: 3 }),
  (bytes) => imagesFromIdx(bytes, "The file"),
  (bytes) => labelsFromIdx(bytes, "The file", 3),
  (bytes) => imagesFromNpy(bytes, "The file"),
  (bytes) => labelsFromNpy(bytes, "The file", 3),
  (bytes) => imagesFromNpz(bytes, "The file"),
  (bytes) => readPack(bytes, "The file"),
  (bytes) => readPart("webdataset", [["The file", bytes]], context),
  (bytes) => readPart("parquet", [["The file", bytes]], context),
  decoder(decodeJpeg),
  decoder(decodeGif),
  decoder(decodeTiff),
];

/** Reads one input. */
export async function fuzz(data: Uint8Array): Promise<void> {
  if (data.length === 0) return;
  try {
    await READERS[data[0] % READERS.length](Uint8Array.from(data.subarray(1)));
  } catch (error) {
    if (!isSentence(error)) throw error;
  }
}
