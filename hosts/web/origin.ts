/** Where a pixel came from: the patches that meet there, what each was drawn from, and whose pixels the picture is made of. */
import { pixelSources } from "../../core/provenance.ts";
import { byId, element, radios } from "./element.ts";
import type { Shape } from "../../core/shape.ts";
import { paint } from "./picture.ts";
import { type Mark, marks } from "./stage.ts";
import { CONTRIBUTORS, provenanceOf, shares, SHOWN, type Source, type Traced, type TracedDraw } from "./trace.ts";

/** Colours of the largest contributors, which stay apart for the colour-blind (Okabe and Ito). */
const COLOURS = ["#e69f00", "#56b4e9", "#009e73", "#f0e442", "#d55e00", "#cc79a7"];
/** How much of a contributor's colour and of the picture the map shows. */
const TINT = 0.62;

/** What is shown of a trace. */
export interface Shown {
  /** Which of the patches at the pixel. */
  readonly draw: number;
  /** Which of its candidates; by default the drawn one. */
  readonly candidate?: number;
}

/** Shows a trace of the picture with the given bytes. `change` is called where a person chooses another patch. */
export function showOrigin(traced: Traced, pixels: Uint8Array, shown: Shown, change: (shown: Shown) => void): void {
  const { at, shape, patch, draws } = traced, draw = draws[shown.draw];
  const square: Shape = { height: patch, width: patch, channels: shape.channels }, parts: HTMLElement[] = [];
  const many = draws.length === 1 ? "One patch covers" : `${draws.length} patches meet at`;
  parts.push(element(
    "p",
    {},
    `${many} row ${at.y + 1}, column ${at.x + 1} after iteration ${at.iteration + 1} of layer ${at.layer}. ` +
      (draws.length > 1 ? "The pixel is their average, corrected to agree with the layer below." : ""),
  ));
  if (!draw) return byId("trace").replaceChildren(element("p", { className: "note" }, "No patch covers this pixel."));
  if (draws.length > 1) {
    const group = element("fieldset", { className: "segments" }, element("legend", { className: "hidden" }, "Patch"));
    const choices = draws.map((one, i) => ({
      value: String(i),
      label: [String(i + 1)],
      name: `Patch ${i + 1}, at row ${one.y + 1}, column ${one.x + 1}`,
    }));
    radios(group, "draw", choices, String(shown.draw), (value) => change({ draw: Number(value) }));
    parts.push(group);
  }
  const candidate = shown.candidate === undefined ? undefined : draw.candidates?.shown[shown.candidate];
  parts.push(wayOf(traced, draw, square, candidate ?? draw.source));
  if (draw.candidates) parts.push(...candidatesOf(traced, draw, square, shown, change));
  else {parts.push(
      element(
        "p",
        { className: "note" },
        "This prior draws new patches: there is no list of examples that they are copies of.",
      ),
    );}
  if (traced.sources.some((value, i) => i % 3 === 0 && value >= 0)) parts.push(...peopleOf(traced, pixels));
  const focus = document.activeElement?.getAttribute("name");
  byId("trace").replaceChildren(...parts);
  if (focus === "draw" || focus === "candidate") {
    byId("trace").querySelector<HTMLInputElement>(`input[name=${focus}]:checked`)?.focus();
  }
}

/** The patches of a trace, to mark on the picture. */
export function marksOf({ draws, patch }: Traced, shown: Shown): Mark[] {
  const patches = draws.map(({ y, x }, i) => {
    return { y, x, height: patch, width: patch, kind: i === shown.draw ? "patch chosen" : "patch" };
  });
  // The chosen one last: above the others.
  patches.push(...patches.splice(shown.draw, 1));
  return patches;
}

/** From what was measured over what was drawn to the training image that it lies in. */
function wayOf(traced: Traced, draw: TracedDraw, square: Shape, source: Source | undefined): HTMLElement {
  const { shape, patch, examples } = traced, pixels = source && examples.get(source.image);
  const way = element(
    "div",
    { className: "way" },
    picture(square, draw.measured, "made-frame", "measured", "The patch as the picture had it before the draw"),
    picture(square, draw.drawn, "example-frame", "drawn", "The patch that was drawn"),
  );
  if (source && pixels) {
    const frame = element("div", { className: "framed" });
    const overlay = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    marks(overlay, shape, [{ y: source.y, x: source.x, height: patch, width: patch, kind: "patch chosen" }]);
    frame.append(paint(element("canvas"), shape, pixels), overlay);
    way.append(
      element(
        "figure",
        { className: "whole" },
        frame,
        element("figcaption", {}, `from training image ${source.image}`),
      ),
    );
  }
  return way;
}

function candidatesOf(
  traced: Traced,
  { candidates }: TracedDraw,
  square: Shape,
  shown: Shown,
  change: (shown: Shown) => void,
): HTMLElement[] {
  const { shape, patch, examples } = traced,
    { count, effective, shown: list } = candidates!,
    most = Math.max(...list.map((one) => one.probability));
  const group = element(
    "fieldset",
    { className: "candidates" },
    element("legend", { className: "hidden" }, "Candidates"),
  );
  const drawn = list.findIndex((one) => one.drawn);
  radios(
    group,
    "candidate",
    list.map((one, i) => {
      const bar = element("span", { className: "bar" }, element("i", {}));
      (bar.firstChild as HTMLElement).style.width = `${100 * one.probability / most}%`;
      const pixels = examples.get(one.image)!, percent = percentOf(one.probability);
      const name = `Candidate ${one.rank + 1}, training image ${one.image}: ${percent}${one.drawn ? ", drawn" : ""}`;
      const canvas = paint(element("canvas"), square, cut(shape, pixels, one.y, one.x, patch));
      return { value: String(i), label: [canvas, bar], name, title: name };
    }),
    String(shown.candidate ?? drawn),
    (value) => change({ ...shown, candidate: Number(value) }),
  );
  group.querySelectorAll("label").forEach((label, i) => label.classList.toggle("drawn", list[i].drawn));
  const chances = count === 1 ? "There was one candidate." : `One of ${count} candidates` +
    `${drawn < 0 ? "" : `, its chance ${percentOf(list[drawn].probability)}`}. The choice was as open as one among ${
      effective.toFixed(1)
    } equals.`;
  const rest = count > list.length ? ` The likeliest ${Math.min(count, SHOWN)} are shown.` : "";
  const again = effective < 1.5 && traced.at.iteration > 0;
  const more = again ? " Earlier iterations leave more choice: look at them in the film." : "";
  return [
    element("h3", {}, "Candidates and their probabilities"),
    group,
    element("p", { className: "note" }, chances + rest + more),
  ];
}

/** The map of contributors, and the largest of them. */
function peopleOf(traced: Traced, pixels: Uint8Array): HTMLElement[] {
  const all = shares(traced).filter(({ image }) => image >= 0), top = all.slice(0, CONTRIBUTORS), { shape } = traced;
  const colours = new Map(top.map(({ image }, i) => [image, COLOURS[i]]));
  const list = element(
    "ol",
    {},
    ...top.map(({ image, share }) => {
      const item = element(
        "li",
        { title: `Training image ${image}` },
        paint(element("canvas"), shape, traced.examples.get(image)!),
        percentOf(share),
      );
      item.style.setProperty("--mine", colours.get(image)!);
      return item;
    }),
  );
  const map = element("canvas", { role: "img", "aria-label": "The picture, tinted by the largest contributors" });
  paint(map, { ...shape, channels: 3 }, mapOf(traced, pixels, colours));
  return [
    element("h3", {}, `Woven from ${all.length} training images`),
    element(
      "div",
      { className: "people" },
      element("figure", {}, map, element("figcaption", {}, "tinted where one of the largest shares lies")),
      list,
    ),
  ];
}

/** The picture in the colours of those training images that most of a pixel came from, three channels. */
export function mapOf(traced: Traced, pixels: Uint8Array, colours: ReadonlyMap<number, string>): Uint8Array {
  const { height, width, channels } = traced.shape, area = height * width, out = new Uint8Array(3 * area);
  const provenance = provenanceOf(traced);
  const rgb = new Map(
    [...colours].map(([image, colour]) => [image, [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16))]),
  );
  for (let p = 0; p < area; p++) {
    const parts = new Map<number, number>();
    for (const { image, weight } of pixelSources(provenance, Math.floor(p / width), p % width)) {
      parts.set(image, (parts.get(image) ?? 0) + weight);
    }
    const [main] = [...parts].sort((a, b) => b[1] - a[1])[0] ?? [-1], tint = rgb.get(main);
    for (let c = 0; c < 3; c++) {
      const light = pixels[p + (channels === 3 ? c * area : 0)];
      out[p + c * area] = tint ? Math.round(TINT * tint[c] + (1 - TINT) * light) : light;
    }
  }
  return out;
}

/** A patch of a picture. */
export function cut({ height, width, channels = 1 }: Shape, pixels: Uint8Array, y: number, x: number, patch: number) {
  return Uint8Array.from({ length: channels * patch * patch }, (_, i) => {
    const c = Math.floor(i / (patch * patch)), row = Math.floor(i / patch) % patch;
    return pixels[(c * height + y + row) * width + x + i % patch];
  });
}

function picture(shape: Shape, bytes: Uint8Array, frame: string, text: string, name: string): HTMLElement {
  const canvas = element("canvas", { className: frame, role: "img", "aria-label": name, title: name });
  return element("figure", {}, paint(canvas, shape, bytes), element("figcaption", {}, text));
}

/** A probability for people. */
export function percentOf(part: number): string {
  const percent = 100 * part;
  return percent > 0 && percent < 0.1 ? "<0.1\u00a0%" : `${percent.toFixed(percent < 10 ? 1 : 0)}\u00a0%`;
}
