/** The noisy picture of the step that is shown, and the slider over the steps. */
import {
  type Current,
  currentFrame,
  hasNewTiles,
  isFromNoise,
  type PageState,
  pixelIn,
  selectedTile,
  type TileFrame,
  type TileNoise,
} from "../state/page_state.ts";
import { toggleFilm } from "../state/film.ts";
import type { Session } from "../state/session.ts";
import type { Store } from "../state/store.ts";
import { byId } from "./element.ts";
import { playButton, sizeText, stepName } from "./film_strip.ts";
import { showMarks } from "./marks.ts";
import { paint } from "./picture.ts";
import { pointing, windowMarks } from "./pointing.ts";
import { coversAll, ONLY_COPIES } from "./window_sources.ts";

/** A frame of a step. */
type NoiseFrame = TileFrame & { readonly noise: TileNoise };

/** Shows the noisy picture beside its estimate, which is on the stage, and lets the visitor choose a step. */
export function noiseView(store: Store<PageState>, session: Session, play: () => void): void {
  const level = byId<HTMLInputElement>("noise-level");
  store.watch(["current"], ({ current }) => {
    if (current) byId("noise").hidden = !isFromNoise(current);
  });
  store.watch(["current", "tiles", "playhead", "pointed"], (state) => {
    const steps = stepsOf(state), frame = shownStep(state);
    if (!state.current || !hasNewTiles(state)) return;
    const isDrawn = !frame && selectedTile(state)?.result !== undefined;
    for (const id of ["noise-pictures", "noise-controls"]) byId(id).hidden = isDrawn;
    if (isDrawn) byId("noise-note").textContent = "This method begins with squares: choose Drawing to see them.";
    if (!frame) return;
    paint(byId<HTMLCanvasElement>("noisy"), frame.shape, frame.noise.noisy);
    level.max = String(frame.noise.steps - 1);
    level.value = String(frame.iteration);
    level.disabled = steps.length < frame.noise.steps;
    level.setAttribute("aria-valuetext", stepName(frame));
    byId("noise-note").textContent = describe(frame, currentFrame(state)!) + vivid(state.current);
    const pixel = state.pointed ?? pixelIn(state.current, frame.shape), shown = currentFrame(state) === frame;
    const marks = shown ? windowMarks(pixel, frame.noise.window, frame.shape) : [];
    showMarks(byId("noisy-marks") as unknown as Element, frame.shape, marks);
  });
  level.addEventListener("input", () => {
    const frame = stepsOf(store.state)[Number(level.value)];
    if (frame) session.change({ frame: { layer: frame.layer, iteration: frame.iteration }, pixel: undefined });
  });
  playButton("noise-play", "Play from noise to the picture", store, () => toggleFilm(store, session, play));
  const noisy = byId("noisy");
  pointing(noisy.parentElement!, noisy, store, session, () => shownStep(store.state)?.shape);
}

/** The steps of the selected picture. */
function stepsOf(state: PageState): readonly NoiseFrame[] {
  return (selectedTile(state)?.frames ?? []).filter((one): one is NoiseFrame => one.noise !== undefined);
}

/** The step that is shown: the last one, while a layer that follows is. */
function shownStep(state: PageState): NoiseFrame | undefined {
  const steps = stepsOf(state), frame = currentFrame(state);
  return steps.find((one) => one === frame) ?? steps.at(-1);
}

/** Describes a step. `shown`: the frame on the stage, which is a later one where the picture is enlarged after the last step. */
function describe(frame: NoiseFrame, shown: TileFrame): string {
  const { iteration, noise: { window, steps }, shape } = frame, isWhole = coversAll(window, shape);
  const asks = isWhole
    ? "The whole noisy picture asks all examples: could you have been here? "
    : `For each pixel, the ${window}\u00d7${window} window around it in the noisy picture asks all examples: could you ` +
      "have been here? ";
  const isShown = shown === frame, size = sizeText(shown.shape);
  const later = isShown ? "" : ` The picture at the right is the estimate, enlarged to ${size}, with detail added.`;
  const next = iteration + 1 < steps ? "The next step goes a little towards it." : "This is the last step.";
  return `${stepName(frame)}. ${asks}The mean of those that could is the estimate${isShown ? ", at the right" : ""}. ${
    isWhole ? ONLY_COPIES : next
  }${later}`;
}

/** Says why the colours of a noisy picture are others than those of the finished one. */
function vivid({ planned: { noise } }: Current): string {
  if (!noise || noise.saturation === 1 && !noise.whiteBalance) return "";
  const how = noise.saturation > 1 ? "too vivid" : "in one light";
  return ` Its colours are ${how} on purpose: at the end they become those of photographs.`;
}
