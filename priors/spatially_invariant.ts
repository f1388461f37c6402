/**
 * The extreme case of section "Neighbor Search Window": the patches of all places of the training images are examples of every
 * location. What a patch looks like then no longer depends on where it lies, which the paper expects to be worse wherever
 * images are aligned; it is here to be compared with, and for images that are not. Measured on 100 of MNIST's threes (`synth
 * --profile digits --class 3 --count 100 --prior spatially-invariant --context none`, then `assess`), LL: -85.7 against the
 * local prior's -78.6. With the profile's context, which tells most of the place, -75.3 against -75.0.
 *
 * - An example's LR and HR patches are a whole number of LR pixels away from the location's, as in the paper's prior:
 *   locations at odd HR pixels have examples at odd HR pixels, so that a pair never disagrees by half an LR pixel.
 * - Of a location's context, pixels outside the image do not count. Its examples are the places where all that counts lies
 *   inside. A context that spans the image ("horizontal") therefore ties them to the location's column.
 * - All of them are searched: about a million for a patch of a 32x32 three (6131 images), at a quarter of the local prior's
 *   speed; two million for one of a 128x128 portrait (600 images), at a two-hundredth. Fewer training images help.
 * - Of a texture there is one image, of whatever size: the search then runs along its rows.
 */
import { examplePrior } from "./example/example_prior.ts";
import { everywhere } from "./example/neighbourhood.ts";
import { definePlugin } from "../core/plugin.ts";

/** The prior of a spatially invariant model. */
export const spatiallyInvariant = definePlugin({
  api: 1,
  kind: "prior",
  name: "spatially-invariant",
  about:
    "one of the nearest LR-HR example pairs of all places, drawn by its posterior weight (slow, and blind to place)",
  options: {
    neighbours: {
      default: 100,
      min: 1,
      max: 65535,
      integer: true,
      about: "nearest LR examples to draw from; more: more variety, fewer: closer to the seed and safer",
    },
  },
  create: ({ neighbours }) => ({
    fit(layer) {
      const { hr, context } = layer, places = everywhere(layer, "spatially-invariant");
      const alongRows = hr.count < places.mostColumns && !context.some(({ mirrored }) => mirrored);
      return examplePrior(layer, { name: "spatially-invariant", neighbours, alongRows, ...places });
    },
  }),
});
