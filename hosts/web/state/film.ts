/** Plays the frames of the selected tile. */
import { type PageState, selectedTile } from "./page_state.ts";
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
