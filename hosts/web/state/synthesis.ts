/** Synthesizes the images of the present choices. */
import type { Client } from "../worker/client.ts";
import type { Frame, OpenedPack, SynthesisMessage } from "../worker/protocol.ts";
import { counted } from "../../../core/counted.ts";
import { shapeOf } from "../../../pipelines/page/usable_choices.ts";
import {
  type Current,
  isTexture,
  type PageState,
  seedBytes,
  type TileFrame,
  type TileNoise,
  type TileState,
  withTransparent,
} from "./page_state.ts";
import { transparencyOf } from "./palette.ts";
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

/** The synthesis of the present choices. */
export interface Synthesis {
  /**
   * Synthesizes the current requests' images into `tiles`. A newer call supersedes an older one. `live`: show the newest pictures at
   * once, for instance while a pointer draws.
   */
  start(current: Current, tiles: readonly Tile[], live: boolean): Promise<void>;
  /** Ends the synthesis that is under way. The pictures stay as they are. */
  cancel(): void;
}

/** Makes the synthesis. */
export function synthesis(
  store: Store<PageState>,
  client: Client,
  { play, still, finished }: SynthesisOptions,
): Synthesis {
  let newest = 0;
  async function start(current: Current, tiles: readonly Tile[], live: boolean): Promise<void> {
    const run = ++newest, started = performance.now();
    store.change({ busy: true, progress: 0, status: "Synthesizing\u2026" });
    const { requests, planned } = current, asked = askAgain(store, current, tiles), done = asked.map(() => 0);
    const isWhole = asked.length === requests.length;
    const onMessage = ({ request, ...rest }: SynthesisMessage) => {
      if (run !== newest) return;
      const message = { ...rest, request: asked[request] } as SynthesisMessage;
      done[request] = message.kind === "frame" ? message.frame.done : 1;
      const first = store.state.requests !== requests || store.state.tiles.length === 0;
      // The earlier pictures stay until there are new ones.
      const before = first ? startTiles(store.state.current!, tiles) : store.state.tiles;
      const moving = isWhole && !live && !still(), playhead = first ? 0 : store.state.playhead;
      store.change({
        tiles: before.map((tile) => tile.request === message.request ? withMessage(tile, message, current.pack) : tile),
        requests,
        progress: done.reduce((sum, part) => sum + part, 0) / done.length,
        ...first ? { trace: undefined, windowTrace: undefined } : {},
        playhead: moving ? playhead : Infinity,
      });
      if (moving && message.kind === "frame" && playhead === 0) play();
    };
    const problems: string[] = [];
    if (asked.length > 0) {
      const unmade = asked.map((request) => requests[request]);
      await client.synthesize(unmade, onMessage).catch((error) => problems.push(`${error.message}.`));
    }
    if (run !== newest) return;
    const seconds = ((performance.now() - started) / 1000).toFixed(1), { height, width } = shapeOf(planned, 0);
    const made = store.state.tiles.filter(({ result }) => result).length,
      waiting = tiles.filter(({ request }) => request < 0).length;
    const later = waiting === 0 ? "" : `; ${counted(waiting, "slow one starts", "slow ones start")} when selected`;
    const summary = `${counted(made, "picture")} of ${width}\u00d7${height} in ${seconds} s${later}`;
    store.change({ busy: false, summary, status: summary, ...problems.length > 0 ? { problems } : {} });
    finished();
  }
  return {
    start,
    cancel() {
      if (!store.state.busy) return;
      newest++;
      client.cancel();
      const summary = "Stopped: choose New, or change anything, to start again.";
      store.change({ busy: false, playhead: Infinity, summary, status: summary });
    },
  };
}

/**
 * Returns the indices of the requests whose images have to be made. Where images of equal requests are on the page, as those of the
 * other methods are when one more is asked for, they stay, and all tiles become those of the new requests at once.
 */
function askAgain(store: Store<PageState>, current: Current, tiles: readonly Tile[]): number[] {
  const { requests } = current, { tiles: before, requests: earlier } = store.state;
  const written = earlier.map((request) => JSON.stringify(request));
  const made = tiles.map(({ request, image }) => {
    const same = written.indexOf(JSON.stringify(requests[request]));
    return before.find((one) => one.result && one.request === same && one.image === image);
  });
  const asked = [...requests.keys()].filter((request) => {
    return tiles.some((tile, i) => tile.request === request && !made[i]);
  });
  if (asked.length === requests.length) return asked;
  const begun = startTiles(current, tiles).map((tile, i) => {
    return made[i] && !asked.includes(tile.request)
      ? { ...tile, frames: made[i].frames, result: made[i].result }
      : tile;
  });
  store.change({ tiles: begun, requests, playhead: Infinity, trace: undefined, windowTrace: undefined });
  return asked;
}

/** Makes tiles that show only the seed image. */
function startTiles(current: Current, tiles: readonly Tile[]): TileState[] {
  const { planned, pack: { seeds } } = current;
  if (isTexture(current)) return tiles.map((tile) => ({ ...tile, frames: [] }));
  const fromNoise = ({ request }: Tile) => current.requests[request]?.from === "noise";
  const seed: TileFrame = {
    layer: planned.layers.length,
    iteration: -1,
    shape: withTransparent(seeds.shape, transparencyOf(current.pack), true),
    pixels: seedBytes(current),
  };
  return tiles.map((tile) => ({ ...tile, frames: fromNoise(tile) ? [] : [seed] }));
}

/** Changes a tile after a message about its request. */
function withMessage(tile: TileState, message: SynthesisMessage, pack: OpenedPack): TileState {
  if (message.kind === "refused") return { ...tile, refused: message.sentence };
  if (message.kind === "result") {
    const result = message.images[tile.image], before = tile.frames.at(-1)!;
    const last: TileFrame = {
      ...before,
      shape: withTransparent(before.shape, transparencyOf(pack), false),
      pixels: result.pixels,
    };
    return { ...tile, result, frames: [...tile.frames.slice(0, -1), last] };
  }
  const { pictures, layer, iteration, shape } = message.frame, pixels = pictures[tile.image];
  if (!pixels) return tile;
  const noise = noiseOf(message.frame, tile.image), last = tile.frames.at(-1);
  const frame = { layer, iteration, shape: withTransparent(shape, transparencyOf(pack), true), pixels, noise };
  // An image that is drawn again begins a film of its own.
  const again = layer > (last?.layer ?? Infinity) || noise && last?.noise && iteration <= last.iteration;
  const seed = noise ? [] : tile.frames.filter((one, i) => i === 0 && !one.noise);
  return { ...tile, frames: [...again ? seed : tile.frames, frame] };
}

/** What a frame says of the step of one image; undefined if it is no step of a diffusion. */
function noiseOf({ noise }: Frame, image: number): TileNoise | undefined {
  if (!noise) return undefined;
  const { steps, alphaBar, window, noisy, attempts } = noise;
  return { steps, alphaBar, window, noisy: noisy[image]!, attempt: attempts[image]! };
}
