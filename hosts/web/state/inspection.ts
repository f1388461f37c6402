/** Traces the chosen pixel of the chosen frame. */
import type { SynthesisRequest } from "../../../pipelines/synthesis/request.ts";
import type { Client } from "../worker/client.ts";
import {
  type Current,
  hasNewTiles,
  isTexture,
  lastFrame,
  type PageState,
  pixelOf,
  selectedTile,
  type TileState,
} from "./page_state.ts";
import { transparencyOf } from "./palette.ts";
import type { Store } from "./store.ts";

/** Milliseconds to wait for another change before a pixel is traced. */
const PAUSE = 120;

/** Makes a function that traces the chosen pixel after a pause. A newer call supersedes an older one. */
export function inspection(store: Store<PageState>, client: Client): () => void {
  let timer = 0, newest = 0;

  async function inspect(isCurrent: () => boolean): Promise<void> {
    const { current, requests, busy, pointed } = store.state, tile = selectedTile(store.state);
    if (!current || !tile?.result || busy || !hasNewTiles(store.state)) return;
    const { pixel } = current.choices;
    // A texture is made again to trace a pixel, which takes as long as the first time.
    if (isTexture(current) && !pixel) return store.change({ trace: undefined });
    const request = requestOf(tile, requests[tile.request]);
    const { layer, iteration } = frameOf(current, tile);
    if (iteration < 0) return store.change({ trace: undefined, windowTrace: undefined });
    const transparency = transparencyOf(current.pack);
    if (tile.frames.some((one) => one.noise && one.layer === layer)) {
      const windowTrace = await client.traceWindow(request, { step: iteration, ...pointed ?? pixelOf(current) });
      if (isCurrent()) store.change({ windowTrace: { ...windowTrace, transparency }, trace: undefined });
      return;
    }
    const trace = await client.trace(request, { layer, iteration, ...pixelOf(current) });
    if (isCurrent()) {
      store.change({ trace: { ...trace, transparency }, windowTrace: undefined, selected: { draw: 0 } });
    }
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

/** The request of a tile's image alone. */
function requestOf({ image }: TileState, request: SynthesisRequest): SynthesisRequest {
  const { seedImages, images } = request, length = (seedImages?.length ?? 0) / images.length;
  return {
    ...request,
    images: [images[image]],
    ...seedImages && { seedImages: seedImages.slice(image * length, (image + 1) * length) },
  };
}

/** The frame that is traced: the chosen one, or the last one of the tile's own plan. */
function frameOf(
  { planned, choices: { frame } }: Current,
  { frames }: TileState,
): { layer: number; iteration: number } {
  if (frame) return frame;
  return frames.at(-1) ?? lastFrame(planned);
}
