/** Small pictures of kept packs, as addresses that hold them. */
import { toBase64 } from "../../../datasets/formats/base64.ts";
import { samplesPng } from "../../../datasets/formats/write_png.ts";
import type { ColouredPack } from "./palette.ts";

/** The most pixels of its sides. */
const LARGEST = 32;

/** Returns a pack's first example as the address of a PNG in itself, reduced to single pixels of it; undefined if there is none. */
export function thumbnailOf({ examples: [first], exampleShape, transparent }: ColouredPack): string | undefined {
  const pixels = first?.pictures[0], { height, width, channels = 1 } = exampleShape;
  if (!pixels) return undefined;
  const scale = Math.min(1, LARGEST / Math.max(height, width));
  const [h, w] = [height, width].map((side) => Math.max(1, Math.round(side * scale))), data = new Uint8Array(4 * h * w);
  for (let p = 0; p < h * w; p++) {
    const y = Math.floor(Math.floor(p / w) / h * height), x = Math.floor(p % w / w * width), at = y * width + x;
    const colour = [0, 1, 2].map((c) => pixels[at + (channels === 3 ? c : 0) * height * width]);
    const isClear = transparent?.every((value, c) => value === colour[c]);
    data.set([...colour, isClear ? 0 : 255], 4 * p);
  }
  return addressOf({ height: h, width: w, channels: 4, depth: 8, data });
}

/** Returns a square picture of grey levels as the address of a PNG in itself. */
export function greyAddress(data: Uint8Array): string {
  const side = Math.sqrt(data.length);
  return addressOf({ height: side, width: side, channels: 1, depth: 8, data });
}

function addressOf(samples: Parameters<typeof samplesPng>[0]): string {
  return `data:image/png;base64,${toBase64(samplesPng(samples))}`;
}
