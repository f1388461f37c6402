/**
 * The local nearest-neighbour prior (section "Local Nearest-Neighbor Patch Prior"): at each location the LR patch, with its
 * context, finds the nearest LR examples of the same place, or of a window around it; one of their HR patches is drawn.
 */
import { type ExampleChoice, examplePrior, isInside } from "../core/example_prior.ts";
import { definePlugin } from "../core/plugin.ts";
import type { LayerData } from "../core/types.ts";

/** The prior of the paper. */
export const localNn = definePlugin({
  api: 1,
  kind: "prior",
  name: "local-nn",
  about: "one of the nearest LR-HR example pairs of the same place, drawn by its posterior weight (the paper's prior)",
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
    fit: (layer) =>
      examplePrior(layer, {
        name: "local-nn",
        neighbours,
        most: (2 * layer.window + 1) ** 2,
        examplesOf: aroundTheLocation(layer),
      }),
  }),
});

/** Section "Neighbor Search Window": the examples of a location lie at offsets below the window's size in both axes. */
function aroundTheLocation({ size, patch, window }: LayerData): ExampleChoice["examplesOf"] {
  const half = size / 2, side = patch / 2;
  return (at, y, x, pixels) => {
    // A neighbouring position counts where its LR and HR patches lie inside the image.
    const offsets: { dy: number; dx: number }[] = [];
    for (let dy = -Math.max(window - 1, 0); dy < Math.max(window, 1); dy++) {
      for (let dx = -Math.max(window - 1, 0); dx < Math.max(window, 1); dx++) {
        const inside = (low: number, high: number) =>
          low >= 0 && low <= half - side && high >= 0 && high <= size - patch;
        if (inside(y + dy, at.y + 2 * dy) && inside(x + dx, at.x + 2 * dx)) offsets.push({ dy, dx });
      }
    }
    // A context pixel counts where it lies inside the image for every one of them, so that their distances compare.
    const used = pixels.filter((pixel) => offsets.every(({ dy, dx }) => isInside(pixel, y + dy, x + dx, half)));
    return { offsets, pixels: used };
  };
}
