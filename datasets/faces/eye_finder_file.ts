/** An eye finder as a file: its coefficients in 16 bits each. */
import { fromBase64, toBase64 } from "../formats/base64.ts";
import { type EyeFinder, FACE, FINE_FRAMES, type Frame, FRAMES, sizeOf } from "./windows.ts";

/** The coefficients of one regression. */
export interface StoredWeights {
  /** What the largest number stands for. */
  readonly scale: number;
  /** Little-endian integers of 16 bits, -32767..32767. */
  readonly base64: string;
}

/** A learned eye finder, and what it was learned from. */
export interface EyeFinderFile {
  /** A sentence on what the file holds. */
  readonly about: string;
  /** The command that learns it again. */
  readonly command: string;
  /** The sets of aligned faces. */
  readonly learnedFrom: readonly LearnedFrom[];
  readonly face: StoredWeights;
  readonly steps: readonly StoredWeights[];
  readonly fineSteps: readonly StoredWeights[];
}

/** A set of aligned faces that a finder was learned from. */
export interface LearnedFrom {
  readonly name: string;
  /** How many of its images were used. */
  readonly images: number;
  /** Of its files, or of its images where they are drawn. */
  readonly sha256: string;
}

const LARGEST = 32767;

/** Stores a finder. A coefficient changes by at most 1/65534 of the largest one of its regression. */
export function storedFinder(finder: EyeFinder): Pick<EyeFinderFile, "face" | "steps" | "fineSteps"> {
  const { face, steps, fineSteps } = finder;
  return { face: stored(face), steps: steps.map(stored), fineSteps: fineSteps.map(stored) };
}

/**
 * Reads a stored finder.
 *
 * @throws {Error} if it has other numbers of coefficients than the windows of this version
 */
export function readFinder({ face, steps, fineSteps }: Pick<EyeFinderFile, "face" | "steps" | "fineSteps">): EyeFinder {
  const each = (stored: readonly StoredWeights[], frames: readonly Frame[], name: string) => {
    if (stored.length !== frames.length) {
      throw new Error(`Cannot read the eye finder: expected ${frames.length} ${name}, got ${stored.length}`);
    }
    return stored.map((weights, i) => weightsOf(weights, 4 * (sizeOf(frames[i]) + 1)));
  };
  return {
    face: weightsOf(face, sizeOf(FACE) + 1),
    steps: each(steps, FRAMES, "steps"),
    fineSteps: each(fineSteps, FINE_FRAMES, "fine steps"),
  };
}

function stored(weights: Float32Array): StoredWeights {
  const scale = weights.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0) || 1;
  const bytes = new Uint8Array(2 * weights.length), view = new DataView(bytes.buffer);
  weights.forEach((weight, i) => view.setInt16(2 * i, Math.round(weight / scale * LARGEST), true));
  return { scale, base64: toBase64(bytes) };
}

function weightsOf({ scale, base64 }: StoredWeights, count: number): Float32Array {
  const bytes = fromBase64(base64), view = new DataView(bytes.buffer);
  if (bytes.length !== 2 * count) {
    throw new Error(`Cannot read the eye finder: expected ${count} coefficients, got ${bytes.length / 2}`);
  }
  return Float32Array.from({ length: count }, (_, i) => view.getInt16(2 * i, true) * scale / LARGEST);
}
