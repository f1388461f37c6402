/** What a synthesizer keeps for later requests: training pyramids in kernel memory, and the fits of priors. */
import type { Kernels } from "../../core/kernels.ts";
import type { FittedParts } from "../../core/model.ts";
import type { TrainingPyramid } from "../../core/pyramid.ts";
import { lengthOf, type Size } from "../../core/shape.ts";
import type { Steps } from "../../core/steps.ts";
import type { Images } from "../../core/types.ts";

/** The most bytes of fits that are kept for later requests. */
const FITS = 32 * 2 ** 20;

/** Keeps the last used fits of priors that are fitted in parts. All are of one pack: class and plan make the key. */
export function keptFits() {
  const kept = new Map<string, FittedParts>();
  const bytes = (parts: FittedParts) => parts.flat().reduce((sum, { byteLength }) => sum + byteLength, 0);
  return {
    *get(key: string, fit: () => Steps<FittedParts | undefined>): Steps<FittedParts | undefined> {
      const found = kept.get(key) ?? (yield* fit());
      if (!found) return undefined;
      kept.delete(key);
      kept.set(key, found); // moves it to the end: the first one is the one unused for longest
      let all = [...kept.values()].reduce((sum, parts) => sum + bytes(parts), 0);
      for (const [other, parts] of kept) {
        if (all <= FITS || other === key) break;
        kept.delete(other);
        all -= bytes(parts);
      }
      return found;
    },
  };
}

/**
 * Keeps training pyramids in the order in which they lie in kernel memory, which is a stack: only the last one can be released.
 *
 * @param memory bytes that the kept pyramids may take, with the one that is built next
 */
export function keptPyramids(kernels: Kernels, memory: number) {
  const kept: { key: string; mark: number; training: TrainingPyramid }[] = [], base = kernels.mark();
  return {
    *get(key: string, bytes: number, build: () => Steps<TrainingPyramid>): Steps<TrainingPyramid> {
      const found = kept.find((entry) => entry.key === key);
      if (found) return found.training;
      const room = base + memory - bytes;
      while (kept.length > 0 && kernels.mark() > room) kernels.release(kept.pop()!.mark);
      const mark = kernels.mark();
      let training: TrainingPyramid | undefined;
      try {
        training = yield* build();
        kept.push({ key, mark, training });
        return training;
      } finally {
        if (!training) kernels.release(mark); // it failed, or the caller closed this generator
      }
    },
  };
}

/** Returns the approximate bytes of a training pyramid: the images of all sizes, and the planes of all but the first. */
export function pyramidBytes({ channels }: Images, sizes: readonly Size[], count: number): number {
  const lengths = sizes.map((size) => lengthOf({ ...size, channels }));
  return count * lengths.reduce((sum, length, l) => sum + (l === 0 ? 1 : 2) * length, 0);
}
