/**
 * Copies that were moved: structure compares pixel with pixel, so a mirrored or shifted copy shares little of it. Each image is
 * compared again, mirrored, shifted, scaled, turned a little, and as its negative. One of these at a time, each also mirrored. The
 * other symmetries of a square, or of a rectangle, stand alone: upside down, turned by quarter turns, and transposed.
 */
import { type LabelledImages, pick } from "../../datasets/data_set.ts";
import { resampled } from "../../datasets/warps.ts";
import { numbersOfClass } from "../../datasets/groups.ts";
import { range } from "../../core/numbers.ts";
import { lengthOf, type Shape, type Size } from "../../core/shape.ts";
import type { AssessmentRequest } from "../assessment/assessment.ts";
import type { MetricScore } from "../assessment/metric_score.ts";
import { runMetrics } from "../assessment/run_metrics.ts";
import type { Runner } from "../run/runner.ts";

/** How an image is moved before it is compared. */
interface Move {
  /** Left and right are exchanged. */
  readonly mirrored?: boolean;
  /** Above and below are exchanged. */
  readonly flipped?: boolean;
  /** Rows and columns are exchanged, of a square image, before it is mirrored or flipped. */
  readonly transposed?: boolean;
  readonly negative?: boolean;
  /** Shifts in pixels. */
  readonly down?: number;
  readonly across?: number;
  /** By which part it is larger. */
  readonly scale?: number;
  /** In radians. */
  readonly turn?: number;
}

/**
 * 3 of 128 pixels. Structure still shares 0.9 with itself one pixel off, and 0.67 two pixels off. Shifts are whole pixels: strokes of
 * small images are a pixel wide, and half a pixel blurs them.
 */
const SHIFT = 3 / 128;
/** Copies scaled by 5 % share 0.70 of their structure, copies turned by 3 degrees 0.80. */
const SCALE = 0.07, TURN = 0.09;

/** All moves of images of a size, but none at all. */
export function movesOf({ height, width }: Size): readonly Move[] {
  const far = Math.max(1, Math.round(SHIFT * Math.max(height, width))), shifts = [-far, 0, far];
  const single: readonly Move[] = [
    ...shifts.flatMap((down) => shifts.map((across) => ({ down, across }))).filter(({ down, across }) =>
      down || across
    ),
    ...[-SCALE, SCALE].map((scale) => ({ scale })),
    ...[-TURN, TURN].map((turn) => ({ turn })),
    { negative: true },
  ];
  const mirrors = [{ mirrored: false }, { mirrored: true }],
    flips = mirrors.map((move) => ({ ...move, flipped: true }));
  const turns = height === width ? [...mirrors, ...flips].map((move) => ({ ...move, transposed: true })) : [];
  return [...single, ...[{}, ...single].map((move) => ({ ...move, mirrored: true })), ...flips, ...turns];
}

/**
 * Finds the structure that each image shares with a training image at most, as it is or moved.
 *
 * @param still the structure of the same images as they are
 * @returns the same with the greater values, and the numbers of those training images in the data
 * @throws {Error} if the runner is stopped
 */
export async function movedStructure(
  runner: Runner,
  { plan, classes }: Pick<AssessmentRequest, "plan" | "classes">,
  { generated, training }: { readonly generated: LabelledImages; readonly training: LabelledImages },
  still: MetricScore,
  progress: (done: number) => void,
): Promise<MetricScore> {
  const { count } = generated.images;
  const input = { plan, generated: movedSet(generated), training, classes };
  const [moved] = await runMetrics(runner, input, [{ name: "structure", options: {} }], progress);
  const values = new Float64Array(count).fill(NaN), nearest = new Int32Array(count).fill(-1);
  for (const score of [still, moved]) {
    score.results.forEach(({ label, result }, c) => {
      // A metric numbers training images within the class.
      const ofClass = numbersOfClass(training.labels, label, training.images.count);
      score.images[c].forEach((place, i) => {
        const image = place % count, value = result.values[i];
        if (Number.isNaN(value) || value <= values[image]) return;
        values[image] = value;
        nearest[image] = ofClass[result.series.nearest[i]] ?? -1;
      });
    });
  }
  const results = still.results.map(({ result, ...rest }, c) => {
    const of = (all: ArrayLike<number>) => Float64Array.from(still.images[c], (image) => all[image]);
    return { ...rest, result: { ...result, values: of(values), series: { nearest: of(nearest) } } };
  });
  return { ...still, results };
}

/** All images by each move, move after move: image i by move m has the place m x count + i. */
function movedSet(set: LabelledImages): LabelledImages {
  const { images } = set, { count } = images, length = lengthOf(images);
  const moves = movesOf(images), all = pick(set, moves.flatMap(() => [...range(count)]));
  moves.forEach((move, m) => {
    const { fromY, fromX } = sourcesOf(move, images);
    for (let i = 0; i < count; i++) {
      const pixels = resampled(images.pixels.subarray(i * length, (i + 1) * length), images, fromY, fromX);
      all.images.pixels.set(move.negative ? pixels.map((value) => 255 - value) : pixels, (m * count + i) * length);
    }
  });
  return all;
}

/** Where the pixels of a moved image come from. */
function sourcesOf(move: Move, { height, width }: Shape) {
  const { down = 0, across = 0, scale = 0, turn = 0 } = move;
  const middleY = (height - 1) / 2, middleX = (width - 1) / 2;
  const fromY = new Float64Array(height * width), fromX = new Float64Array(height * width);
  for (let p = 0; p < fromY.length; p++) {
    const dy = Math.floor(p / width) - middleY, dx = p % width - middleX;
    const y = middleY + dy / (1 + scale) + turn * dx - down, x = middleX + dx / (1 + scale) - turn * dy - across;
    const place = [move.flipped ? height - 1 - y : y, move.mirrored ? width - 1 - x : x];
    if (move.transposed) place.reverse();
    [fromY[p], fromX[p]] = place;
  }
  return { fromY, fromX };
}
