// A worker that draws parts of the built-in portraits: `data/draw_builtin.ts` starts it.
import { drawFaces, type FacesPart } from "../../../datasets/procedural/faces.ts";

/** What a worker has, which the types of a window do not say. */
const worker = self as unknown as { onmessage: unknown; postMessage(pixels: Uint8Array, moved: ArrayBuffer[]): void };
worker.onmessage = ({ data }: MessageEvent<FacesPart>) => {
  const pixels = drawFaces(data);
  worker.postMessage(pixels, [pixels.buffer]);
};
