/** The training images that a pixel of an estimate is the mean of, with their weights. */
import type { Shape } from "../../../core/shape.ts";
import { type PageState, withTransparent } from "../state/page_state.ts";
import { element } from "./element.ts";
import { showMarks } from "./marks.ts";
import { paint } from "./picture.ts";
import { decidersOf, percentOf } from "./percent.ts";
import { windowMarks } from "./pointing.ts";

/** A trace, and what is known of its transparent pixels. */
type WindowTrace = NonNullable<PageState["windowTrace"]>;

/** The elements of a trace. */
export function describeWindow(trace: WindowTrace): HTMLElement[] {
  const { at, level: { window, alphaBar }, count, effective, shape, shown } = trace;
  const where = `Row ${at.y + 1}, column ${at.x + 1} at ${percentOf(1 - alphaBar)} noise. `;
  if (count === 0) {
    const sentence = "This method takes no weighted mean of examples: it has no weights to show.";
    return [element("p", {}, where + sentence)];
  }
  const whole = coversAll(window, shape);
  const compared = whole
    ? `The whole picture was compared with ${count} examples.`
    : `The ${window}\u00d7${window} window around it was compared with the same window of ${count} examples.`;
  const asked = `${compared} The pixel of the estimate is the mean of theirs, weighted by how likely each of them is.`;
  return [
    element("p", {}, where + asked),
    element("h3", {}, "The examples with the largest weights"),
    element("ol", { className: "weights" }, ...shown.map((one) => example(trace, one, shown[0].weight))),
    element("p", { className: "note" }, `${decidersOf(effective)} ${restOf(trace)}`),
    ...whole ? [element("p", { className: "note" }, ONLY_COPIES)] : [],
  ];
}

/** Whether a window holds the whole picture, wherever its pixel lies. */
export function coversAll(window: number, { height, width }: Shape): boolean {
  return window >= 2 * Math.max(height, width) - 1;
}

/** What follows from windows of the whole picture. */
export const ONLY_COPIES =
  "So only whole examples fit, and the picture becomes a copy of one. Smaller windows fit pieces " +
  "of different examples together: something new.";

/** A weight of less than this counts as none. */
const VISIBLE = 0.001;

/** The weight of all that are not shown. */
function restOf({ count, shown }: WindowTrace): string {
  const rest = Math.max(0, 1 - shown.reduce((sum, { weight }) => sum + weight, 0));
  if (count === shown.length) return "";
  const others = `The other ${count - shown.length} examples together`;
  return rest < VISIBLE ? `${others} change almost nothing.` : `${others} have ${percentOf(rest)} of the weight.`;
}

/** One example with its window, its weight and a bar. */
function example(
  { at, level: { window }, shape, examples, transparency }: WindowTrace,
  { image, weight }: WindowTrace["shown"][number],
  most: number,
): HTMLElement {
  const overlay = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  showMarks(overlay, shape, windowMarks(at, window, shape).slice(0, 1));
  const framed = element(
    "div",
    { className: "framed" },
    paint(element("canvas"), withTransparent(shape, transparency, true), examples.get(image)!),
    overlay,
  );
  const filled = element("i", {});
  filled.style.width = `${100 * weight / most}%`;
  const bar = element("span", { className: "bar" }, filled);
  return element("li", { title: `Example ${image}` }, framed, bar, percentOf(weight));
}
