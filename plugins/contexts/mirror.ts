import { definePlugin } from "../../core/plugin.ts";

/**
 * A context in the sense of section "Patch with Context": the pixels of the patch's mirror position on the other side
 * of the image's vertical axis. It serves symmetric images as the horizontal context does, with far fewer pixels.
 */
export const mirror = definePlugin({
  api: 1,
  kind: "context",
  name: "mirror",
  about: "the patch's mirror place on the other side of the image, so that both sides of a face fit together",
  options: {
    extent: {
      default: 0,
      min: 0,
      max: 64,
      integer: true,
      about: "width of a ring around the mirror place in LR pixels; larger: more coherent",
    },
    weight: {
      default: 0.25,
      min: 0.001,
      max: 1,
      about: "of a context pixel against the patch's own; larger: more symmetric",
    },
  },
  create: ({ extent, weight }) => ({
    mask(patch, size) {
      // What lies further away than the image is large is outside it at every place.
      const reach = Math.min(extent, size);
      const pixels = [];
      for (let dy = -reach; dy < patch + reach; dy++) {
        for (let dx = -reach; dx < patch + reach; dx++) pixels.push({ dx, dy, weight, mirrored: true });
      }
      return pixels;
    },
  }),
});
