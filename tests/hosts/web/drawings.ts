/** Drawings as a visitor's files. */
import { Buffer } from "node:buffer";
import { encode } from "fast-png";
import { proceduralDigits } from "../../../datasets/procedural/digits.ts";

/** Drawings, some of each of some kinds, as dark lines on white in pictures that are wider than high. */
export function drawings(
  kinds: number,
  each: number,
): { name: string; mimeType: string; buffer: Buffer; kind: number }[] {
  const { images: { pixels }, labels } = proceduralDigits("train", each), width = 100, height = 84;
  return [...labels.keys()].filter((i) => labels[i] < kinds).map((i) => {
    const data = new Uint8Array(width * height).fill(255);
    for (let y = 0; y < 84; y++) {
      for (let x = 0; x < 84; x++) {
        data[y * width + 8 + x] = 255 - pixels[784 * i + 28 * Math.floor(y / 3) + Math.floor(x / 3)];
      }
    }
    const buffer = Buffer.from(encode({ width, height, data, channels: 1 }));
    return { name: `${i}.png`, mimeType: "image/png", buffer, kind: labels[i] };
  });
}
