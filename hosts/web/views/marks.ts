/** Rectangles that mark parts of a picture. */
import type { Shape } from "../../../core/shape.ts";

/** A rectangle of a picture, in its pixels. */
export interface Mark {
  readonly y: number;
  readonly x: number;
  readonly height: number;
  readonly width: number;
  /** Its classes in the style sheet. */
  readonly kind: string;
}

/** Marks rectangles in an SVG that lies over a picture of a shape. */
export function showMarks(svg: Element, { height, width }: Shape, marks: readonly Mark[]): void {
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.replaceChildren(...marks.map((mark) => {
    const rectangle = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    for (const name of ["y", "x", "height", "width"] as const) rectangle.setAttribute(name, String(mark[name]));
    rectangle.setAttribute("class", mark.kind);
    return rectangle;
  }));
}
