import { definePlugin } from "../../core/plugin.ts";

/** The horizontal context of section "Patch with Context": the patch's rows across the whole image, so that faces come out symmetric. */
export const horizontal = definePlugin({
  api: 1,
  kind: "context",
  name: "horizontal",
  about: "the patch's own rows across the whole image, so that both sides of a face fit together",
  options: {
    weight: {
      default: 0.25,
      min: 0.001,
      max: 1,
      about: "of a context pixel against the patch's own; larger: more symmetric",
    },
    step: {
      default: 1,
      min: 1,
      max: 64,
      integer: true,
      about: "every step-th column only; larger: faster, less exact",
    },
  },
  create: ({ weight, step }) => ({
    mask(patch, size) {
      const pixels = [];
      for (let dy = 0; dy < patch; dy++) {
        for (let dx = -1; dx > -size; dx -= step) pixels.push({ dx, dy, weight });
        for (let dx = patch; dx < size; dx += step) pixels.push({ dx, dy, weight });
      }
      return pixels;
    },
  }),
});
