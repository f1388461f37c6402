/** A prior as plain as can be, which passes its suite, and ways to spoil it. */
import { finish } from "../../../core/steps.ts";
import { lrDistance, readPatch } from "../../../core/patches.ts";
import { definePlugin } from "../../../core/plugin.ts";
import type { PluginOf } from "../../../core/testing/check.ts";
import type { DrawOutput, FittedPrior, LayerData, Location, Measurements } from "../../../core/types.ts";

/** A prior: one of the first so many training images' patches at the location, the nearer the more likely. */
export const plainPrior = definePlugin({
  api: 1,
  kind: "prior",
  name: "plain",
  about: "a patch of the same place",
  options: {
    most: { default: 12, min: 1, max: 1000, integer: true, about: "images to draw from; more: more variety" },
  },
  create: ({ most }) => ({ fit: (layer: LayerData) => fit(layer, most) }),
});

function fit(layer: LayerData, most: number): FittedPrior {
  const { hr, channels, patch } = layer, count = Math.min(most, hr.count), area = channels * patch * patch;
  const patches = Array.from({ length: count }, () => new Float64Array(area));
  return {
    draw(at, measurements, { rho, h, zStep }, random, out) {
      const uniforms = new Float64Array(measurements.batch);
      random.uniforms(uniforms);
      patches.forEach((patch, image) => readPatch(layer, image, at, patch));
      for (let b = 0; b < measurements.batch; b++) {
        const costs = patches.map((patch, image) => {
          let distance = 0;
          for (let p = 0; p < area; p++) distance += (patch[p] - measurements.patches[b * area + p]) ** 2;
          return rho / 2 * distance + lrDistance(layer, measurements, b, at, image) / h;
        });
        const least = Math.min(...costs), weights = costs.map((cost) => Math.exp(least - cost));
        const total = weights.reduce((sum, weight) => sum + weight, 0);
        if (zStep === "mean") {
          for (let p = 0; p < area; p++) {
            const mean = weights.reduce((sum, weight, image) => sum + weight * patches[image][p], 0) / total;
            out.patches[b * area + p] = Math.min(mean, 1);
          }
          continue;
        }
        let aim = uniforms[b] * total, drawn = zStep === "map" ? weights.indexOf(Math.max(...weights)) : 0;
        while (zStep === "sample" && drawn < count - 1 && (aim -= weights[drawn]) >= 0) drawn++;
        out.patches.set(patches[drawn], b * area);
        out.sources.set([drawn, at.y, at.x], 3 * b);
      }
    },
  };
}

type Given = Parameters<FittedPrior["draw"]>;

/** The plain prior with another `draw` or other members. `change` is called once per fit. */
export function broken(
  change: (layer: LayerData, draw: (...given: Given) => void) => Partial<FittedPrior>,
): PluginOf<"prior"> {
  return {
    ...plainPrior,
    create: (values: { most: number }) => ({
      fit(layer) {
        const inner = finish(plainPrior.create(values).fit(layer));
        return { ...inner, ...change(layer, inner.draw.bind(inner)) };
      },
    }),
  };
}

/** The plain prior with one more step after each draw. */
export function after(
  more: (out: DrawOutput, at: Location, measurements: Measurements, layer: LayerData) => void,
): PluginOf<"prior"> {
  return broken((layer, draw) => ({
    draw(...given) {
      draw(...given);
      const [at, measurements, , , out] = given;
      if (measurements.batch > 0) more(out, at, measurements, layer);
    },
  }));
}

/** The plain prior with other chance, measured patches or steps. */
export function asked(change: (...given: Given) => Given): PluginOf<"prior"> {
  return broken((_, draw) => ({ draw: (...given) => draw(...change(...given)) }));
}
