/** Plays the frames of the selected tile, and stops at one of them. */
import { shapeOf } from "../../../pipelines/page/usable_choices.ts";
import {
  currentFrame,
  frameIndex,
  isPlaying,
  type PageState,
  pixelIn,
  selectedTile,
  type TileFrame,
} from "./page_state.ts";
import type { Session } from "./session.ts";
import type { Store } from "./store.ts";

/** Milliseconds for which each frame is shown, of layers and of noise. */
const PACE = 150, NOISE_PACE = 180;

/** Makes a function that plays from the present frame to the newest, also while new ones arrive. */
export function filmPlayer(store: Store<PageState>): () => void {
  let due = 0, playing = false;
  const step = (now: number) => {
    const { playhead, busy } = store.state, frames = selectedTile(store.state)?.frames ?? [], last = frames.length - 1;
    if (playhead >= last && !busy) {
      playing = false;
      return store.change({ playhead: Infinity });
    }
    if (now >= due && playhead < last) {
      due = now + (frames[playhead + 1].noise ? NOISE_PACE : PACE);
      store.change({ playhead: playhead + 1 });
    }
    requestAnimationFrame(step);
  };
  return () => {
    due = performance.now() + PACE;
    if (!playing) requestAnimationFrame(step);
    playing = true;
  };
}

/** Chooses a frame of the selected tile, and the pixel at the same place in it. The default is the last frame. */
export function chooseFrame(store: Store<PageState>, session: Session, frame: TileFrame): void {
  const { layer, iteration, shape } = frame, current = store.state.current!, tile = selectedTile(store.state);
  const isLast = tile?.result !== undefined && frame === tile.frames.at(-1);
  session.change({
    frame: isLast ? undefined : { layer, iteration },
    pixel: current.choices.pixel && pixelIn(current, shape),
  });
}

/** Pauses the film at the shown frame, or goes on from there; at the last frame it begins again. */
export function toggleFilm(store: Store<PageState>, session: Session, play: () => void): void {
  const { state } = store, { current, busy } = state, frame = currentFrame(state);
  if (!current || !frame) return;
  if (isPlaying(state)) return chooseFrame(store, session, frame);
  const at = frameIndex(state), isLast = at === selectedTile(state)!.frames.length - 1;
  store.change({ playhead: isLast && !busy ? 0 : at });
  session.change({
    frame: undefined,
    pixel: current.choices.pixel && pixelIn(current, shapeOf(current.planned, 0)),
  });
  play();
}

/** Ends a film that plays: the newest frame is shown. */
export function endFilm(store: Store<PageState>): void {
  if (isPlaying(store.state)) store.change({ playhead: Infinity });
}
