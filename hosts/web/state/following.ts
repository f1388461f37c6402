/** Which of the pictures side by side follow the squares that they were made from. */
import {
  type Current,
  hasNewTiles,
  isFromNoise,
  isTexture,
  type PageState,
  seedBytes,
  selectedTile,
  type TileState,
} from "./page_state.ts";
import { type Agreement, leastOf, seedAgreement } from "./seed_agreement.ts";

/**
 * Below these correlations of their levels, a picture is said not to follow its seed image: one of the pack's, or a drawing. Digits and
 * faces of seed images that are pictures' had 0.44 to 0.85, also of another class than theirs, thin ones 0.33 to 0.55. Of a bar with
 * a flag, which no digit is like, four threes had 0.31 to 0.46.
 */
const FOLLOWS = 0.4, FOLLOWS_DRAWING = 0.5;

/**
 * Below these agreements of their colours, a picture is said to have others than its seed image: one of the pack's, or a drawing. Of red
 * squares, red flowers had 0.7 and yellow ones 0.5; of pink squares, pink sprites had 0.9 and red ones 0.7. Drawn squares have no edges
 * of white, so that flowers of their colours have less.
 */
const SAME_COLOURS = 0.6, COLOURS_OF_DRAWING = 0.4;

/** Another sample is shown first only if it follows better by as much. */
const BETTER = 0.05;

/** What of a picture does not follow its seed image: its levels or its colours alone; undefined if it follows. */
export function strayingOf({ levels, colours }: Agreement, { choices }: Current): "levels" | "colours" | undefined {
  const isDrawn = choices.seedImage instanceof Uint8Array;
  // Levels of other colours differ, too.
  if (colours < (isDrawn ? COLOURS_OF_DRAWING : SAME_COLOURS)) return "colours";
  return levels < (isDrawn ? FOLLOWS_DRAWING : FOLLOWS) ? "levels" : undefined;
}

/** How much the finished picture of a tile follows the squares; undefined of others, and of pictures that come from none. */
export function agreementOf(current: Current, { frames, result }: TileState): Agreement | undefined {
  const last = frames.at(-1), { pack: { seeds, transparent } } = current;
  if (!result || !last || isTexture(current) || isFromNoise(current) || frames.some(({ noise }) => noise)) {
    return undefined;
  }
  return seedAgreement({ shape: seeds.shape, pixels: seedBytes(current) }, last, transparent);
}

/** Returns the sample that follows the squares best; undefined where that is the selected one, or nearly. */
export function betterSample(state: PageState): number | undefined {
  const { current, tiles } = state, selected = selectedTile(state);
  if (!current || !selected || current.choices.view !== "samples" || !hasNewTiles(state)) return undefined;
  const least = (tile: TileState) => {
    const agreement = agreementOf(current, tile);
    return agreement && leastOf(agreement);
  };
  const own = least(selected), others = tiles.map((tile) => least(tile) ?? -1), best = Math.max(...others);
  return own !== undefined && best > own + BETTER ? others.indexOf(best) : undefined;
}
