import { definePlugin } from "../../core/plugin.ts";

/** The square context of section "Patch with Context": a ring of pixels around the LR patch. */
export const square = definePlugin({
  api: 1,
  kind: "context",
  name: "square",
  about: "a square ring of pixels around the patch, so that it fits what surrounds it",
  options: {
    extent: {
      default: 1,
      min: 1,
      max: 64,
      integer: true,
      about: "width of the ring in LR pixels; larger: more coherent",
    },
    weight: {
      default: 0.5,
      min: 0.001,
      max: 1,
      about: "of a context pixel against the patch's own; larger: more coherent",
    },
  },
  create: ({ extent, weight }) => ({
    mask(patch, size) {
      // What lies further away than the image is large is outside it at every place.
      const reach = Math.min(extent, size);
      const pixels = [];
      for (let dy = -reach; dy < patch + reach; dy++) {
        for (let dx = -reach; dx < patch + reach; dx++) {
          const own = dy >= 0 && dy < patch && dx >= 0 && dx < patch;
          if (!own) pixels.push({ dx, dy, weight });
        }
      }
      return pixels;
    },
  }),
});
