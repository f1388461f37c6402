/** Every metric on images in colour. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import type { Images } from "../../../core/types.ts";
import { withChannels } from "../../../datasets/channels.ts";
import { builtins } from "../../../plugins/mod.ts";
import { colouredBlobs } from "../../small_world.ts";
import { GREY, measured, SHAPE } from "./shapes.ts";

const METRICS = builtins.plugins.filter(({ kind }) => kind === "metric").map(({ name }) => name);

Deno.test("metrics: a grey image given as three equal channels scores as the grey one does", () => {
  const equal = GREY.map((images) => withChannels(images, 3));
  // The share comes from the provenance of images, which these do not have.
  for (const metric of METRICS.filter((name) => name !== "share")) {
    const grey = measured(metric, GREY), colour = measured(metric, equal);
    assert(grey.some((value) => !Number.isNaN(value)), metric);
    grey.forEach((value, i) => assertAlmostEquals(colour[i], value, 1e-6 * Math.max(1, Math.abs(value)), metric));
  }
});

Deno.test("metrics: colours count; only what all channels share is judged by the edges of one", () => {
  const sets = [12, 30, 14].map((count, seed) => colouredBlobs(count, SHAPE, seed));
  /** Red and blue exchanged: the same greys. */
  const exchanged = ([generated, ...others]: readonly Images[]): Images[] => {
    const area = SHAPE.height * SHAPE.width, pixels = generated.pixels.slice();
    for (let i = 0; i < generated.count; i++) {
      const [red, blue] = [3 * i * area, (3 * i + 2) * area];
      pixels.copyWithin(red, blue, blue + area);
      pixels.set(generated.pixels.subarray(red, red + area), blue);
    }
    return [{ ...generated, pixels }, ...others];
  };
  for (const metric of ["likelihood", "novelty", "originality", "closest-correlation", "structure"]) {
    const before = measured(metric, sets), after = measured(metric, exchanged(sets));
    assert(before.every((value, i) => Math.abs(value - after[i]) > 1e-6 * Math.abs(value)), metric);
  }
  // These ask how much, not which colour.
  for (const metric of ["contrast", "sharpness", "symmetry"]) {
    const before = measured(metric, sets), after = measured(metric, exchanged(sets));
    before.forEach((value, i) => assertAlmostEquals(after[i], value, 1e-9, metric));
  }
});

Deno.test("metrics: each is tested on images that are not square", () => {
  const tested = [...Deno.readDirSync(new URL(".", import.meta.url))].flatMap(({ name }) => {
    if (!name.endsWith(".test.ts")) return [];
    const source = Deno.readTextFileSync(new URL(name, import.meta.url));
    return [...source.matchAll(/^test(?:Scores|Shapes)\("([\w-]+)"/gm)].map(([, metric]) => metric);
  });
  assertEquals(tested.sort(), METRICS.toSorted());
});
