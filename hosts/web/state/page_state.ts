/** The state of the page as one plain object, and the values that follow from it. */
import { byteOf } from "../../../core/bytes.ts";
import { iterationCount, type Plan } from "../../../core/plan.ts";
import { lengthOf, type Shape } from "../../../core/shape.ts";
import { numbersOfClass } from "../../../datasets/groups.ts";
import type { PixelTrace } from "../../../pipelines/synthesis/pixel_trace.ts";
import type { SynthesisRequest } from "../../../pipelines/synthesis/request.ts";
import type { WindowTrace } from "../../../pipelines/synthesis/window_trace.ts";
import type { KeptEntry, KeptPack } from "./kept_packs.ts";
import type { Transparency } from "./palette.ts";
import type { NoiseFrame, OpenedPack, PictureResult } from "../worker/protocol.ts";
import type { Choices } from "../../../pipelines/page/choices.ts";
import { shapeOf } from "../../../pipelines/page/usable_choices.ts";
import { classOf, seedImageOf, type Tile } from "../../../pipelines/page/tiles.ts";

/** The state of the page. */
export interface PageState {
  /** The open pack and what is chosen; undefined until the first pack is open. */
  readonly current?: Current;
  /** The pack that was opened last from a file or made of pictures. It can be chosen again. */
  readonly ownPack?: OwnPack;
  /** The packs of the visitor's own that the browser keeps, the one that was opened last first. */
  readonly keptPacks: readonly KeptEntry[];
  /** The packs that made room for the one that was opened last. */
  readonly removedPacks: readonly KeptEntry[];
  /** The choices of a link whose pack has to be opened from a file first. */
  readonly awaited?: Choices;
  /** The images side by side, as far as they are synthesized; empty after a pack was opened. */
  readonly tiles: readonly TileState[];
  /** The requests that `tiles` come from. They differ from the current ones until the first of those images arrives. */
  readonly requests: readonly SynthesisRequest[];
  /** Whether images are being synthesized. */
  readonly busy: boolean;
  /** The part of all iterations of the present synthesis that is done, 0..1. */
  readonly progress: number;
  /** The index of the frame to show while no frame is chosen; Infinity: the newest. */
  readonly playhead: number;
  /** The last trace. It may belong to another frame than the one that is shown. */
  readonly trace?: PixelTrace & { readonly transparency?: Transparency };
  /** The last trace of a window, in the place of `trace`, where the frame is a step of a diffusion. */
  readonly windowTrace?: WindowTrace & { readonly transparency?: Transparency };
  /** The pixel under the pointer, of a step of a diffusion. */
  readonly pointed?: { readonly y: number; readonly x: number };
  /** Whether a pixel is being traced. */
  readonly tracing: boolean;
  /** The selected part of the trace. */
  readonly selected: SelectedPatch;
  /** Sentences on what is wrong. */
  readonly problems: readonly string[];
  /** What the page does or did, for the visitor. */
  readonly status: string;
  /** The status after the last synthesis. */
  readonly summary: string;
}

/** An open pack and choices that fit it. */
export interface Current {
  readonly pack: OpenedPack;
  readonly choices: Choices;
  /** The plan of the profile with the choices. */
  readonly planned: Plan;
  /** The requests that the choices lead to. */
  readonly requests: readonly SynthesisRequest[];
}

/** A pack that the visitor opened from a file or made of pictures. */
export interface OwnPack extends KeptPack {
  /** The name of its profile. */
  readonly name: string;
}

/** A tile, as far as its image is synthesized. */
export interface TileState extends Tile {
  /** Its frames so far; the first one is the seed image. Textures have none at first, because the worker makes their seed image. */
  readonly frames: readonly TileFrame[];
  readonly result?: PictureResult;
  /** Why there will be no result, in one sentence. */
  readonly refused?: string;
}

/** One picture of the film; iteration -1: the image with which the layer begins. */
export interface TileFrame {
  readonly layer: number;
  readonly iteration: number;
  readonly shape: PictureShape;
  readonly pixels: Uint8Array;
  /** For a step of a diffusion, whose number is `iteration`; `pixels` are then the estimate. */
  readonly noise?: TileNoise;
}

/** What is known of a step of a diffusion beside its estimate. */
export interface TileNoise extends Pick<NoiseFrame, "steps" | "alphaBar" | "window"> {
  /** x_t. */
  readonly noisy: Uint8Array;
  readonly attempt: number;
}

/** The shape of a picture, and which of its pixels are shown transparent. */
export interface PictureShape extends Shape {
  /** The colour that stands for transparent pixels; `mixed`: others may have a part of it, because the picture is not finished. */
  readonly transparent?: Transparency & { readonly mixed: boolean };
}

/** Adds to a shape which pixels are shown transparent. */
export function withTransparent<T extends Shape>(
  shape: T,
  transparency: Transparency | undefined,
  mixed: boolean,
): T & PictureShape {
  return transparency ? { ...shape, transparent: { ...transparency, mixed } } : shape;
}

/** One of the patches that cover the traced pixel, by index, and one of its candidates; by default the drawn one. */
export interface SelectedPatch {
  readonly draw: number;
  readonly candidate?: number;
}

/** The state before the first pack is open. */
export const INITIAL: PageState = {
  tiles: [],
  requests: [],
  busy: false,
  progress: 0,
  playhead: 0,
  keptPacks: [],
  removedPacks: [],
  tracing: false,
  selected: { draw: 0 },
  problems: [],
  status: "Loading\u2026",
  summary: "",
};

/** The selected tile; undefined if there are no tiles yet. */
export function selectedTile({ current, tiles }: PageState): TileState | undefined {
  return current && tiles[current.choices.tile];
}

/** The index of the shown frame of the selected tile; -1 if there is none yet. */
export function frameIndex(state: PageState): number {
  const film = selectedTile(state)?.frames ?? [], chosen = state.current?.choices.frame;
  const found = chosen ? film.findIndex((one) => one.layer === chosen.layer && one.iteration === chosen.iteration) : -1;
  return found >= 0 ? found : Math.min(state.playhead, film.length - 1);
}

/** The shown frame of the selected tile. */
export function currentFrame(state: PageState): TileFrame | undefined {
  return selectedTile(state)?.frames[frameIndex(state)];
}

/** Whether the film runs, or waits for the next frame that is being made. */
export function isPlaying(state: PageState): boolean {
  const count = selectedTile(state)?.frames.length ?? 0;
  if (count === 0 || state.current?.choices.frame) return false;
  return frameIndex(state) < count - 1 || state.busy && state.playhead !== Infinity;
}

/** Whether the tiles are those of the present choices. Until then the earlier pictures stay on the page. */
export function hasNewTiles({ current, tiles, requests }: PageState): boolean {
  return tiles.length > 0 && requests === current?.requests;
}

/** Whether the trace belongs to this frame. */
export function isTraced({ trace }: PageState, { layer, iteration }: TileFrame): boolean {
  return trace?.at.layer === layer && trace.at.iteration === iteration;
}

/** Whether a pack is one of exemplars, which has no seed images of its own: they are quilted. */
export function isTexture({ planned }: Current): boolean {
  return !planned.aligned;
}

/** Whether images come from noise. */
export function isFromNoise({ choices }: Pick<Current, "choices">): boolean {
  return choices.seedImage === "noise";
}

/** The last frame of an image by a plan; of a quilted image that no layer follows, the only one. */
export function lastFrame({ layers: [finest], noise }: Plan): { layer: number; iteration: number } {
  return { layer: 0, iteration: (finest ? iterationCount(finest) : noise?.steps ?? 1) - 1 };
}

/** The chosen pixel; by default the middle, where most pictures show something. */
export function pixelOf({ planned, choices }: Current): { y: number; x: number } {
  const { height, width } = shapeOf(planned, choices.frame?.layer ?? 0);
  return choices.pixel ?? { y: height >> 1, x: width >> 1 };
}

/** The pixel at the place of the chosen one in a picture of another shape: films have pictures of several sizes. */
export function pixelIn(current: Current, { height, width }: Shape): { y: number; x: number } {
  const { y, x } = pixelOf(current), chosen = shapeOf(current.planned, current.choices.frame?.layer ?? 0);
  return { y: Math.floor(y * height / chosen.height), x: Math.floor(x * width / chosen.width) };
}

/** The pixel to choose at the place of one in a picture of another shape, to which `pixelIn` leads back. */
export function pixelFrom(
  { planned, choices }: Current,
  { height, width }: Shape,
  { y, x }: { readonly y: number; readonly x: number },
): { y: number; x: number } {
  const chosen = shapeOf(planned, choices.frame?.layer ?? 0);
  // The middle of the pixel: where pictures are finer, it is several of theirs.
  return { y: Math.floor((y + 0.5) * chosen.height / height), x: Math.floor((x + 0.5) * chosen.width / width) };
}

/** The number of examples of the chosen class, or of all. */
export function examplesOf({ pack, choices }: Pick<Current, "pack" | "choices">): number {
  const { labels, count } = pack.train, label = classOf(choices, pack);
  return numbersOfClass(labels, label === "all" ? undefined : label, count).length;
}

/** The bytes of the seed image. */
export function seedBytes({ choices, pack }: Current): Uint8Array {
  return Uint8Array.from(seedImageOf(choices, pack), byteOf);
}

/** The brightest byte of the pack's seed images. It is shown and painted as white. */
export function brightest({ pack: { seeds } }: Current): number {
  return Math.max(1, byteOf(seeds.images.reduce((most, value) => Math.max(most, value), 0)));
}

/** The part of the values of seed images that are darker than what counts as usually bright. */
const USUAL = 0.95;

/** The byte of usually bright pixels of the pack's seed images. Few are as bright as the brightest one. */
export function usualBright({ pack: { seeds: { images } } }: Current): number {
  return byteOf(images.toSorted()[Math.floor(USUAL * images.length)]);
}

/** The mean of the pack's seed images of the class, as bytes: where its pictures lie, and how bright they are. */
export function meanSeed({ choices, pack }: Current): Uint8Array {
  const { count, images, labels, shape } = pack.seeds, length = lengthOf(shape), label = classOf(choices, pack);
  const numbers = numbersOfClass(labels, label === "all" ? undefined : label, count);
  return Uint8Array.from({ length }, (_, v) => {
    return byteOf(numbers.reduce((sum, i) => sum + images[i * length + v], 0) / numbers.length);
  });
}
