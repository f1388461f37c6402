/** Tells whether the piece that was picked is as bright as in the example that it is from. */
import { cutPatch, type PixelTrace, type TracedDraw } from "../../../pipelines/synthesis/pixel_trace.ts";

/** Means that differ by less, of 255 levels, look alike. */
const VISIBLE = 8;

/** What is said of pieces that are brighter or darker than in their example. */
const FITTED = "The picked piece has the detail of the example. Its brightness is fitted to the picture.";

/** Returns a sentence if the brightness of the picked piece is another than that of the example at its place. */
export function fittingNote(
  { shape, training, patch, examples }: Pick<PixelTrace, "shape" | "training" | "patch" | "examples">,
  { source, drawn }: Pick<TracedDraw, "source" | "drawn">,
): string | undefined {
  const example = source && examples.get(source.image);
  if (!source || !example) return undefined;
  const original = cutPatch({ ...training, channels: shape.channels }, example, source, patch);
  return Math.abs(meanOf(drawn) - meanOf(original)) < VISIBLE ? undefined : FITTED;
}

function meanOf(bytes: Uint8Array): number {
  return bytes.reduce((sum, byte) => sum + byte, 0) / bytes.length;
}
