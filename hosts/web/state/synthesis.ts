/** Synthesizes the images of the present choices. */
import type { Client } from "../worker/client.ts";
import type { SynthesisMessage } from "../worker/protocol.ts";
import { shapeOf } from "../../../pipelines/page/fit.ts";
import { type Current, type PageState, seedBytes, type TileFrame, type TileState } from "./page_state.ts";
import type { Store } from "./store.ts";
import type { Tile } from "../../../pipelines/page/tiles.ts";

/** What a synthesis needs in addition to the worker. */
export interface SynthesisOptions {
  /** Plays the film. */
  readonly play: () => void;
  /** Whether pictures should not move. */
  readonly still: () => boolean;
  /** Is called when all images are finished. */
  readonly finished: () => void;
}

/**
 * Makes a function that synthesizes the current requests' images into `tiles`. A newer call supersedes an older one. `live`:
 * show the newest pictures at once, for instance while a pointer draws.
 */
export function synthesis(
  store: Store<PageState>,
  client: Client,
  { play, still, finished }: SynthesisOptions,
): (current: Current, tiles: readonly Tile[], live: boolean) => Promise<void> {
  let newest = 0;
  return async (current, tiles, live) => {
    const run = ++newest, started = performance.now();
    store.change({ busy: true, status: "Synthesizing\u2026" });
    const { requests, planned } = current;
    const onMessage = (message: SynthesisMessage) => {
      if (run !== newest) return;
      const first = store.state.requests !== requests || store.state.tiles.length === 0;
      // The earlier pictures stay until there are new ones.
      const before = first ? startTiles(store.state.current!, tiles) : store.state.tiles;
      const moving = !live && !still(), playhead = first ? 0 : store.state.playhead;
      store.change({
        tiles: before.map((tile) => tile.request === message.request ? withMessage(tile, message) : tile),
        requests,
        ...first ? { trace: undefined } : {},
        playhead: moving ? playhead : Infinity,
      });
      if (moving && message.kind === "frame" && playhead === 0) play();
    };
    const problems: string[] = [];
    await client.synthesize(requests, onMessage).catch((error) => problems.push(`${error.message}.`));
    if (run !== newest) return;
    const seconds = ((performance.now() - started) / 1000).toFixed(1), { height, width } = shapeOf(planned, 0);
    const finishedTiles = store.state.tiles.filter(({ result }) => result).length;
    const summary = `${finishedTiles} pictures of ${width}\u00d7${height} in ${seconds} s`;
    store.change({ busy: false, summary, status: summary, ...problems.length > 0 ? { problems } : {} });
    finished();
  };
}

/** Makes tiles that show only the seed image. */
function startTiles(current: Current, tiles: readonly Tile[]): TileState[] {
  const { planned, pack: { seeds } } = current;
  const seed: TileFrame = {
    layer: planned.layers.length,
    iteration: -1,
    shape: seeds.shape,
    pixels: seedBytes(current),
  };
  return tiles.map((tile) => ({ ...tile, frames: [seed] }));
}

/** Changes a tile after a message about its request. */
function withMessage(tile: TileState, message: SynthesisMessage): TileState {
  if (message.kind === "refused") return { ...tile, refused: message.sentence };
  if (message.kind === "result") {
    const result = message.images[tile.image], last = { ...tile.frames.at(-1)!, pixels: result.pixels };
    return { ...tile, result, frames: [...tile.frames.slice(0, -1), last] };
  }
  const { pictures, ...frame } = message.frame, pixels = pictures[tile.image];
  if (!pixels) return tile;
  // An image that is drawn again begins a film of its own.
  const earlier = frame.layer > tile.frames.at(-1)!.layer ? tile.frames.slice(0, 1) : tile.frames;
  return { ...tile, frames: [...earlier, { ...frame, pixels }] };
}
