/** The sources of a pixel: the patches that cover it, the candidates of each, and the training images that the picture was copied from. */
import { pixelSources } from "../../../core/provenance.ts";
import {
  CANDIDATES,
  CONTRIBUTORS,
  cutPatch,
  type PatchSource,
  type PixelTrace,
  type TracedDraw,
  traceProvenance,
  traceShares,
} from "../../../pipelines/synthesis/pixel_trace.ts";
import {
  currentFrame,
  hasNewTiles,
  isPlaying,
  isTexture,
  isTraced,
  type PageState,
  type PictureShape,
  pixelOf,
  type SelectedPatch,
  selectedTile,
  withTransparent,
} from "../state/page_state.ts";
import type { Store } from "../state/store.ts";
import type { Session } from "../state/session.ts";
import { byId, element, radios } from "./element.ts";
import { fittingNote } from "./fitted_piece.ts";
import { sizeText } from "./film_strip.ts";
import { type Mark, showMarks } from "./marks.ts";
import { chanceOf, isDecided, percentOf } from "./percent.ts";
import { paint, toRgba } from "./picture.ts";
import { describeWindow } from "./window_sources.ts";

/** Colours of the largest contributors, which the colour-blind can tell apart (Okabe and Ito). */
const COLOURS = ["#e69f00", "#56b4e9", "#009e73", "#f0e442", "#d55e00", "#cc79a7"];
/** The part of a contributor's colour in the tinted picture; the rest is the picture. */
const TINT = 0.62;

/** Milliseconds for which what belongs to the frame before may stay: while one draws, the next trace comes soon. */
const STALE = 400;

/** A trace, and what is known of its transparent pixels. */
type ShownTrace = NonNullable<PageState["trace"]>;

/** Selects another patch or candidate of the trace. */
type Select = (selected: SelectedPatch) => void;

/** What the panel shows: the trace of the frame that is shown, or else a sentence that says why there is none. */
type Content =
  | { readonly kind: "trace"; readonly trace: ShownTrace; readonly selected: SelectedPatch }
  | { readonly kind: "window"; readonly trace: NonNullable<PageState["windowTrace"]> }
  /** `soon`: what is shown may stay for a moment. */
  | { readonly kind: "sentence"; readonly sentence: string; readonly soon: boolean };

/** Shows the trace of the frame that is shown. */
export function pixelSourcesView(store: Store<PageState>, session: Session): void {
  const box = byId("trace"), select: Select = (selected) => store.change({ selected });
  let shown: Content | undefined, waiting: ReturnType<typeof setTimeout> | undefined;
  const show = (content: Content) => {
    clearTimeout(waiting);
    waiting = undefined;
    if (shown && isSameContent(shown, content)) return;
    shown = content;
    const focus = document.activeElement?.getAttribute("name");
    box.replaceChildren(...noiseLink(store.state, session, content), ...elementsOf(content, store.state, select));
    if (focus === "draw" || focus === "candidate") {
      box.querySelector<HTMLInputElement>(`input[name=${focus}]:checked`)?.focus();
    }
  };
  store.watch(["current", "tiles", "trace", "windowTrace", "selected", "playhead", "tracing", "busy"], (state) => {
    if (state.tracing) box.setAttribute("aria-busy", "true");
    else box.removeAttribute("aria-busy");
    if (state.tiles.length > 0 && !hasNewTiles(state)) return; // the picture before is still there, and so are its sources
    const content = contentOf(state);
    if (content.kind !== "sentence" || !content.soon) return show(content);
    if (shown?.kind === "sentence") return show(content);
    waiting ??= setTimeout(() => show(contentOf(store.state)), STALE);
  });
}

/** Says what the panel shows. A trace of another frame than the shown one is never shown. */
export function contentOf(state: PageState): Content {
  const { trace, windowTrace, selected, tracing, busy, current, playhead } = state, frame = currentFrame(state);
  const because = (sentence: string, soon = false): Content => ({ kind: "sentence", sentence, soon });
  if (!current || !frame) return because("The picture is being made. Where its pixels came from follows.");
  if (frame.noise && windowTrace?.at.step === frame.iteration) {
    return { kind: "window", trace: windowTrace };
  }
  if (!frame.noise && trace && isTraced(state, frame)) return { kind: "trace", trace, selected };
  // A film that begins shows other frames at once; while one draws, no film plays.
  if (busy) return because("The picture is being made. Where its pixels came from follows.", playhead === Infinity);
  if (isPlaying(state)) return because("The film plays. Where a pixel came from follows at its end.");
  if (tracing) return because("Looking for where the pixel came from\u2026", true);
  if (frame.iteration === -1) return because("Nothing is picked yet in this frame: choose a round.");
  if (isTexture(current) && !current.choices.pixel) return because("Click a pixel of the picture to see its patches.");
  return because("It is not known where this pixel came from.");
}

function isSameContent(a: Content, b: Content): boolean {
  const keys = ["kind", "trace", "selected", "sentence"];
  const [first, second] = [a, b] as readonly Readonly<Record<string, unknown>>[];
  return keys.every((key) => first[key] === second[key]);
}

function elementsOf(content: Content, state: PageState, select: Select): HTMLElement[] {
  if (content.kind === "sentence") return [element("p", { className: "note" }, content.sentence)];
  if (content.kind === "window") return describeWindow(content.trace);
  return describeTrace(content.trace, currentFrame(state)!.pixels, content.selected, select);
}

/** In a layer of an image from noise, leads to the last step of the noise: the layer only enlarges that picture. */
function noiseLink(state: PageState, session: Session, { kind }: Content): HTMLElement[] {
  const frames = selectedTile(state)?.frames ?? [],
    step = frames.findLast(({ noise }) => noise),
    frame = currentFrame(state);
  if (kind !== "trace" || !step || !frame) return [];
  const { layer, iteration, shape } = step, scale = shape.width / frame.shape.width, { y, x } = pixelOf(state.current!);
  const pixel = { y: Math.floor(y * scale), x: Math.floor(x * scale) };
  const onclick = () => session.change({ frame: { layer, iteration }, pixel });
  const sentence = `The picture came from noise at ${shape.width}\u00d7${shape.height}. Here, detail is added to it. `;
  return [
    element(
      "p",
      { className: "note" },
      sentence,
      element("button", { type: "button", onclick }, "How it came from noise"),
    ),
  ];
}

/** The elements of a trace of the picture with the given bytes. */
function describeTrace(trace: ShownTrace, pixels: Uint8Array, selected: SelectedPatch, select: Select): HTMLElement[] {
  const { at, draws, sources } = trace, draw = draws[selected.draw];
  if (!draw) return [element("p", { className: "note" }, "No patch covers this pixel.")];
  const subject = draws.length === 1
    ? "One patch, a small square piece, covers"
    : `${draws.length} patches, small square pieces, cover`;
  if (isQuilted(trace)) {
    const sentence = `The pixel in row ${at.y + 1}, column ${at.x + 1} is one of your picture's: the texture is made ` +
      "of pieces of it, which meet where they differ least.";
    return [element("p", {}, sentence), pathOf(trace, draw, draw.source), ...contributorsOf(trace, pixels)];
  }
  const { height, width } = trace.shape, round = `round ${at.iteration + 1} at ${sizeText({ height, width })}`;
  const where = `${subject} row ${at.y + 1}, column ${at.x + 1} in ${round}. `;
  // Pixel art has a colour for its transparent pixels.
  const merged = trace.transparency
    ? "The pixel is their weighted average; in the finished picture, they vote on its colour."
    : "The pixel is their weighted average.";
  const noList = draw.source
    ? "Nothing was left to chance: the nearest piece of the examples at this place was taken."
    : "This method makes new patches: they are no pieces of examples.";
  const fitting = fittingNote(trace, draw), copied = sources.some((value, i) => i % 3 === 0 && value >= 0);
  return [
    element("p", {}, where + (draws.length > 1 ? merged : "")),
    ...draws.length > 1 ? [patchChoice(draws, selected, select)] : [],
    pathOf(trace, draw, draw.candidates?.shown[selected.candidate ?? -1] ?? draw.source),
    ...fitting ? [element("p", { className: "note" }, fitting)] : [],
    ...draw.candidates
      ? candidatesOf(trace, draw.candidates, selected, select)
      : [element("p", { className: "note" }, noList)],
    ...copied ? contributorsOf(trace, pixels) : [],
  ];
}

/** The choice among the patches that cover the pixel. */
function patchChoice(draws: readonly TracedDraw[], selected: SelectedPatch, select: Select): HTMLElement {
  const group = element("fieldset", { className: "segments" }, element("legend", { className: "hidden" }, "Patch"));
  const choices = draws.map(({ y, x }, i) => ({
    value: String(i),
    label: [String(i + 1)],
    name: `Patch ${i + 1}, at row ${y + 1}, column ${x + 1}`,
  }));
  radios(group, "draw", choices, String(selected.draw), (value) => select({ draw: Number(value) }));
  return group;
}

/** The patches of a trace, as marks on the picture. */
export function patchMarks({ draws, patch }: PixelTrace, selected: SelectedPatch): Mark[] {
  const patches = draws.map(({ y, x }, i) => {
    return { y, x, height: patch, width: patch, kind: i === selected.draw ? "patch chosen" : "patch" };
  });
  // The selected one is last, so that it lies above the others.
  patches.push(...patches.splice(selected.draw, 1));
  return patches;
}

/** The shape of a trace's patches. */
function patchShape({ patch, shape, transparency }: ShownTrace, mixed: boolean): PictureShape {
  return withTransparent({ height: patch, width: patch, channels: shape.channels }, transparency, mixed);
}

/** The shape of training images in the trace's layer. */
function exampleShape({ training, shape, transparency, at }: ShownTrace): PictureShape {
  // In coarser layers, training images are reduced: their colours are mixed.
  return withTransparent({ ...training, channels: shape.channels }, transparency, at.layer > 0);
}

/** Whether the picture is quilted: each pixel is one of the exemplar's. */
function isQuilted({ patch }: PixelTrace): boolean {
  return patch === 1;
}

/** Whether the training images of a trace are exemplars: then their size is their own. */
function isExemplar({ training, shape }: PixelTrace): boolean {
  return training.height !== shape.height || training.width !== shape.width;
}

/** Shows the measurements of a patch, the patch that was drawn, and the training image that it was copied from. */
function pathOf(trace: ShownTrace, draw: TracedDraw, source: PatchSource | undefined): HTMLElement {
  const { at, patch, examples } = trace, pixels = source && examples.get(source.image);
  const path = element(
    "div",
    { className: "path" },
    picture(
      patchShape(trace, true),
      draw.measurements,
      "made-frame",
      "before",
      "The patch as the picture had it before the pick",
    ),
    picture(patchShape(trace, at.layer > 0), draw.drawn, "example-frame", "picked", "The patch that was picked"),
  );
  if (source && pixels) {
    const overlay = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const shape = exampleShape(trace);
    showMarks(overlay, shape, [{ y: source.y, x: source.x, height: patch, width: patch, kind: "patch chosen" }]);
    const frame = element("div", { className: "framed" });
    frame.append(paint(element("canvas"), shape, pixels), overlay);
    const name = isExemplar(trace) ? "from your picture" : `from example ${source.image}`;
    const caption = element("figcaption", {}, name);
    path.append(element("figure", { className: "whole" }, frame, caption));
  }
  return path;
}

/** The candidates of a draw with their probabilities. */
function candidatesOf(
  trace: ShownTrace,
  { count, effective, shown: list }: NonNullable<TracedDraw["candidates"]>,
  selected: SelectedPatch,
  select: Select,
): HTMLElement[] {
  const { patch, examples, at } = trace, square = patchShape(trace, at.layer > 0);
  const most = Math.max(...list.map((one) => one.probability)), drawn = list.findIndex((one) => one.drawn);
  const legend = element("legend", { className: "hidden" }, "Candidates");
  const group = element("fieldset", { className: "candidates" }, legend);
  const choices = list.map((one, i) => {
    const filled = element("i", {}), percent = percentOf(one.probability);
    filled.style.width = `${100 * one.probability / most}%`;
    const name = `Candidate ${one.rank + 1}, example ${one.image}: ${percent}${one.drawn ? ", picked" : ""}`;
    const canvas = paint(
      element("canvas"),
      square,
      cutPatch(exampleShape(trace), examples.get(one.image)!, one, patch),
    );
    return { value: String(i), label: [canvas, element("span", { className: "bar" }, filled)], name, title: name };
  });
  radios(group, "candidate", choices, String(selected.candidate ?? drawn), (value) => {
    select({ ...selected, candidate: Number(value) });
  });
  group.querySelectorAll("label").forEach((label, i) => label.classList.toggle("drawn", list[i].drawn));

  const chance = drawn < 0 ? "" : `, picked with probability ${percentOf(list[drawn].probability)}`;
  const sentences = count === 1 ? ["There was one candidate."] : [
    `One of ${count} candidates${chance}.`,
    chanceOf(effective, count),
  ];
  if (count > list.length) sentences.push(`The ${Math.min(count, CANDIDATES)} most probable are shown.`);
  if (isDecided(effective) && at.iteration > 0) {
    sentences.push("Select an earlier round below the picture to see more choice.");
  }
  const title = element("h3", {}, "Candidates and their probabilities");
  const about =
    "Pieces of examples that could stand here. The better one fits, the more probable it is; one is picked by lot.";
  return [
    title,
    element("p", { className: "note" }, about),
    group,
    element("p", { className: "note" }, sentences.join(" ")),
  ];
}

/** The picture tinted by its largest contributors, and a list of them. */
function contributorsOf(trace: ShownTrace, pixels: Uint8Array): HTMLElement[] {
  const all = traceShares(trace).filter(({ image }) => image >= 0), top = all.slice(0, CONTRIBUTORS);
  if (all.length === 1) return []; // the exemplar of a texture
  const { shape, examples } = trace, colours = new Map(top.map(({ image }, i) => [image, COLOURS[i]]));
  const list = top.map(({ image, share }) => {
    const canvas = paint(element("canvas"), exampleShape(trace), examples.get(image)!);
    const item = element("li", { title: `Example ${image}` }, canvas, percentOf(share));
    item.style.setProperty("--contributor", colours.get(image)!);
    return item;
  });
  const map = element("canvas", {
    role: "img",
    "aria-label": "The picture, tinted by the examples that gave most of it",
  });
  paint(map, { ...shape, channels: 3 }, tinted(trace, pixels, colours));
  const caption = element("figcaption", {}, "tinted by the examples that gave most");
  return [
    element("h3", {}, `Picked from ${all.length} examples`),
    element("div", { className: "contributors" }, element("figure", {}, map, caption), element("ol", {}, ...list)),
  ];
}

/** Tints each pixel of a picture by the training image that most of it came from. Returns three channels of bytes. */
export function tinted(trace: ShownTrace, pixels: Uint8Array, colours: ReadonlyMap<number, string>): Uint8Array {
  const { height, width } = trace.shape, area = height * width, out = new Uint8Array(3 * area);
  const rgba = toRgba(withTransparent(trace.shape, trace.transparency, true), pixels),
    provenance = traceProvenance(trace);
  const rgb = new Map(
    [...colours].map(([image, colour]) => [image, [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16))]),
  );
  for (let p = 0; p < area; p++) {
    const weights = new Map<number, number>();
    for (const { image, weight } of pixelSources(provenance, Math.floor(p / width), p % width)) {
      weights.set(image, (weights.get(image) ?? 0) + weight);
    }
    const [main] = [...weights].sort((a, b) => b[1] - a[1])[0] ?? [-1], tint = rgb.get(main);
    const opacity = rgba[4 * p + 3] / 255;
    for (let c = 0; c < 3; c++) {
      const light = opacity * rgba[4 * p + c] + 255 * (1 - opacity);
      out[p + c * area] = Math.round(tint ? TINT * tint[c] + (1 - TINT) * light : light);
    }
  }
  return out;
}

/** Makes a picture with a caption. `name` says what the picture shows. */
function picture(shape: PictureShape, bytes: Uint8Array, frame: string, caption: string, name: string): HTMLElement {
  const canvas = element("canvas", { className: frame, role: "img", "aria-label": name, title: name });
  return element("figure", {}, paint(canvas, shape, bytes), element("figcaption", {}, caption));
}
