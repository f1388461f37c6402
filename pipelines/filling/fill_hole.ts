/**
 * Fills the hole of a picture with pixels from around it. What belongs there is found from coarse to fine: in halves of the picture,
 * each patch that reaches into the hole looks for the known patch that is most like it, and the hole becomes what these say. Then every
 * missing pixel takes one known pixel, and pieces that were copied as a whole move and grow where minimum cuts make boundaries less
 * visible (Kwatra et al., "Graphcut Textures", 2003).
 */
import { type Stream, stream } from "../../core/random.ts";
import { areaOf, shapeText } from "../../core/shape.ts";
import { PROGRESS } from "../../core/steps.ts";
import { withFeatures } from "../quilting/features.ts";
import type { Exemplars } from "../quilting/exemplars.ts";
import { growPieces } from "../quilting/grow_pieces.ts";
import type { QuiltProgress } from "../quilting/quilt_progress.ts";
import { blockSide } from "../quilting/quilt.ts";
import { doubledSources, SourceMap } from "../quilting/source_map.ts";
import { depthsOf, halvedHole, type HoledPicture } from "./holed_picture.ts";
import { closeGaps, spreadColours } from "./hole_pixels.ts";
import { PATCH, PatchField } from "./patch_field.ts";
import { MAX_PLACED, placeBlocks } from "./place_blocks.ts";
import type { PictureValues } from "./picture_samples.ts";
import { surroundingsOf, wholeSources } from "./surroundings.ts";

/** A picture is halved while a missing pixel is deeper in the hole than this, in pixels: patches then see both its sides. */
const MAX_DEPTH = 3;
/** A half has at least so many patches to copy, and sides of so many pixels. */
const MIN_SOURCES = 200, MIN_SIDE = 24;
/** Up to so many pairs of patches are all compared. */
const MAX_PAIRS = 3e6;
/** How often patches are looked for: in the coarsest half, and in finer ones. */
const ROUNDS = { first: 10, later: 4 };
/** So many fillings are made there; the one with the least visible boundaries is used. */
const ATTEMPTS = 2;
/** The parts of the work until then: searching, and placing. The rest is spent on finer pictures. */
const SEARCHING = 0.3, PLACING = 0.4;
/** How far features of lines and spots reach, in pixels. */
const AROUND = 4;
/** How random the hole is at first, as a part of the range of values. */
const NOISE = 0.3;
/** Keys the random numbers that search patches. */
const FILL_STREAM = 0x66696c6c;

/** Which filling is made: those of a seed differ by their number. */
interface FillRequest {
  /** The random seed. */
  readonly seed: number;
  readonly number: number;
}

/**
 * Fills the hole of a picture. It is work that can pause: `finish` runs it to its end.
 *
 * @param missing height x width: 1 where a pixel is missing; at least one is
 * @returns height x width: the number of the pixel that each pixel is a copy of; a known one is itself
 * @throws {Error} if there is no patch to copy
 */
export function* fillHole(
  picture: PictureValues,
  missing: Uint8Array,
  { seed, number }: FillRequest,
): Generator<QuiltProgress, Int32Array> {
  const around = surroundingsOf(picture, missing), random = stream(seed, FILL_STREAM, number);
  const fields = fieldsOf({ ...around, usable: around.missing.map((is) => is ? 0 : 1) }), placed = placedLevel(fields);
  let best: SourceMap | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    yield* searched(fields.slice(placed), random, SEARCHING / ATTEMPTS);
    const { picture: half } = fields[placed], found = fields[placed].sourcesOfPixels(), map = mapOf(half, found);
    yield* placeBlocks(map, half, blockSide(filledOf(half, found)), PLACING / ATTEMPTS);
    if (!best || map.errorIn() < best.errorIn()) best = map;
  }
  let { sources } = best!;
  for (let level = placed; level >= 0; level--) {
    const { picture: finer } = fields[level], part = (1 - SEARCHING - PLACING) * 3 / 4 ** (level + 1);
    if (level < placed) {
      const half = fields[level + 1].picture;
      sources = doubledSources({ exemplars: half, size: half, sources }, finer, finer);
      closeGaps(finer, sources, random);
    }
    const map = mapOf(finer, sources);
    yield* growPieces(map, part);
    ({ sources } = map);
  }
  return wholeSources(around, sources, picture);
}

/** The patches of a picture and of its halves. */
function fieldsOf(picture: HoledPicture): PatchField[] {
  const fields = [new PatchField(picture)], { height, width } = picture;
  if (fields[0].sources.length === 0) {
    const expected = `expected a place of ${PATCH}x${PATCH} pixels without missing ones to copy from`;
    throw new Error(`Cannot fill the missing pixels of ${shapeText({ height, width })}: ${expected}`);
  }
  const depthOf = (level: HoledPicture) => depthsOf(level).reduce((a, b) => Math.max(a, b), 0);
  for (let last = picture; depthOf(last) > MAX_DEPTH; fields.push(new PatchField(last))) {
    last = halvedHole(last);
  }
  // Too few patches are left in the last ones.
  const isUsable = ({ picture, sources }: PatchField) =>
    Math.min(picture.height, picture.width) >= MIN_SIDE && sources.length >= MIN_SOURCES;
  while (fields.length > 1 && !isUsable(fields.at(-1)!)) fields.pop();
  return fields;
}

/** The level in which blocks are placed: the finest half whose shorter side is below `MAX_PLACED`, or the last one of a thin hole. */
function placedLevel(fields: readonly PatchField[]): number {
  const level = fields.findIndex(({ picture: { height, width } }) => Math.min(height, width) < MAX_PLACED);
  return level < 0 ? fields.length - 1 : level;
}

/** Looks for patches from the coarsest picture to the first one, and fills the holes with what they say. */
function* searched(fields: readonly PatchField[], random: Stream, part: number): Generator<QuiltProgress, void> {
  const coarsest = fields.at(-1)!;
  for (const field of fields.toReversed()) {
    const isFirst = field === coarsest, rounds = isFirst ? ROUNDS.first : ROUNDS.later;
    if (isFirst) {
      spreadColours(field.picture, field.colours, random, NOISE);
      field.beginAnywhere(random);
    } else {
      field.beginFrom(fields[fields.indexOf(field) + 1], random);
      field.vote();
    }
    const isSmall = field.targets.length * field.sources.length <= MAX_PAIRS;
    for (let round = 0; round < rounds; round++) {
      if (isFirst && isSmall) field.searchAll();
      else field.search(random, round % 2 === 0);
      field.vote();
      yield { ...PROGRESS, part: part / rounds / fields.length };
    }
  }
}

/** A picture whose hole is filled from sources, to be changed. */
function mapOf(picture: HoledPicture, sources: Int32Array): SourceMap {
  const map = new SourceMap(withFeatures(filledOf(picture, sources), AROUND), picture, undefined, picture);
  map.sources.set(sources);
  return map;
}

/** The picture as the only exemplar; missing pixels have the values of their sources. */
function filledOf(picture: HoledPicture, sources: Int32Array): Exemplars {
  const area = areaOf(picture), values = picture.values.slice();
  for (let i = 0; i < values.length; i++) {
    if (picture.missing[i % area]) values[i] = picture.values[i - i % area + sources[i % area]];
  }
  return { ...picture, count: 1, values };
}
