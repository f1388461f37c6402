/** Traces the chosen pixel of the chosen frame. */
import { iterationCount } from "../../../core/plan.ts";
import type { Client } from "../worker/client.ts";
import { hasNewTiles, isTexture, type PageState, pixelOf, selectedTile } from "./page_state.ts";
import type { Store } from "./store.ts";

/** Milliseconds to wait for another change before a pixel is traced. */
const PAUSE = 120;

/** Makes a function that traces the chosen pixel after a pause. A newer call supersedes an older one. */
export function inspection(store: Store<PageState>, client: Client): () => void {
  let timer = 0, newest = 0;

  async function inspect(isCurrent: () => boolean): Promise<void> {
    const { current, requests, busy } = store.state, tile = selectedTile(store.state);
    if (!current || !tile?.result || busy || !hasNewTiles(store.state)) return;
    const { planned, choices: { frame, pixel } } = current;
    // A texture is made again to trace a pixel, which takes as long as the first time.
    if (isTexture(current) && !pixel) return store.change({ trace: undefined });
    const { layer, iteration } = frame ?? { layer: 0, iteration: iterationCount(planned.layers[0]) - 1 };
    if (iteration < 0) return store.change({ trace: undefined });
    const request = requests[tile.request], { image } = tile;
    const { seedImages } = request, length = (seedImages?.length ?? 0) / request.images.length;
    const alone = {
      ...request,
      images: [request.images[image]],
      ...seedImages && { seedImages: seedImages.slice(image * length, (image + 1) * length) },
    };
    const trace = await client.trace(alone, { layer, iteration, ...pixelOf(current) });
    const { transparent } = current.pack;
    if (isCurrent()) store.change({ trace: { ...trace, transparent }, selected: { draw: 0 } });
  }

  return () => {
    store.change({ tracing: true });
    clearTimeout(timer);
    const own = ++newest, isCurrent = () => own === newest;
    timer = setTimeout(async () => {
      await inspect(isCurrent).catch((error) => store.change({ problems: [`${error.message}.`] }));
      if (isCurrent()) store.change({ tracing: false });
    }, PAUSE);
  };
}
