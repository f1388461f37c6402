import { definePlugin } from "@patchloom/patchloom";

/** A context: pixels in the four directions from the patch, with weights that fall with the distance. */
export const myContext = definePlugin({
  api: 1,
  kind: "context",
  name: "my-context",
  about: "arms of pixels in the four directions from the patch, fading with distance",
  options: {
    reach: {
      default: 3,
      min: 1,
      max: 64,
      integer: true,
      about: "length of the arms in LR pixels; larger: more coherent",
    },
    weight: {
      default: 0.5,
      min: 0.001,
      max: 1,
      about: "of the nearest pixels against the patch's own; larger: more coherent",
    },
  },
  create: ({ reach, weight }) => ({
    /** Offsets are from the patch's top left pixel; those outside the image are left out later. */
    mask(patch) {
      const pixels = [];
      for (let away = 1; away <= reach; away++) {
        const fading = weight / away;
        for (let along = 0; along < patch; along++) {
          pixels.push({ dx: along, dy: -away, weight: fading }, { dx: along, dy: patch - 1 + away, weight: fading });
          pixels.push({ dx: -away, dy: along, weight: fading }, { dx: patch - 1 + away, dy: along, weight: fading });
        }
      }
      return pixels;
    },
  }),
});
export default myContext;
