/** Exemplars of a texture, as seed images are made of them. */
import type { Shape } from "../../core/shape.ts";

/** Images in [0, 1], one after another, in planes of their channels. */
export interface Exemplars extends Shape {
  /** Number of exemplars. */
  readonly count: number;
  /** 1 grey, 3 red, green and blue. */
  readonly channels: number;
  /** count x channels x height x width values in [0, 1]. */
  readonly values: Float32Array;
}
