import { assertAlmostEquals, assertEquals } from "@std/assert";
import { stream } from "../../../core/random.ts";
import { likelihood } from "../../../plugins/metrics/likelihood.ts";
import { assertClose, assertSame, bytes, put, putPlanes } from "../../kernels_under_test.ts";
import { first, type ImageSet, imagesOf, judge, setOf, type Subject } from "./generators.ts";
import { testScores } from "./known_faults.ts";

const NATURAL = 1 / Math.sqrt(2 * Math.PI);

/** Images of soft random grey, so that more than one term of a sum counts. */
function soft(seed: number, count: number, size: number): ImageSet {
  const random = stream(seed);
  return setOf(
    first(count).map(() => {
      const base = 100 * random.next();
      return first(size * size).map(() => base + 60 * random.next());
    }),
  );
}

/** Equations (ll pixel), (ll image) and (patch ll), term by term. */
function direct(
  { generated, training, patch, overlap, window }: Required<Omit<Subject, "heldOut" | "labelled" | "regions">>,
  sigma: number,
) {
  const { size } = training, last = size - patch, reach = window - 1;
  const places = first(Math.floor(last / (patch - overlap)) + 1).map((n) => n * (patch - overlap));
  const cut = (image: Uint8Array, y: number, x: number) =>
    first(patch * patch).map((p) => image[(y + Math.floor(p / patch)) * size + x + p % patch] / 255);
  const shifts = first(2 * reach + 1, -reach);
  return imagesOf(generated).map((image) => {
    let sum = 0;
    for (const y of places) {
      for (const x of places) {
        const inside = shifts.flatMap((dy) => shifts.map((dx) => [y + dy, x + dx]))
          .filter((place) => place.every((at) => at >= 0 && at <= last));
        const dictionary = imagesOf(training).flatMap((one) => inside.map(([y, x]) => cut(one, y, x)));
        const wanted = cut(image, y, x);
        const densities = dictionary.map((example) => {
          const squared = example.reduce((total, value, p) => total + (value - wanted[p]) ** 2, 0);
          return Math.exp(-squared / (2 * sigma ** 2)) / (2 * Math.PI * sigma ** 2) ** (patch * patch / 2);
        });
        sum += Math.log(densities.reduce((a, b) => a + b) / dictionary.length);
      }
    }
    return size * size / (places.length ** 2 * patch * patch) * sum;
  });
}

Deno.test("likelihood: the paper's equations in plain float64, for windows over the border and any sigma", () => {
  for (const count of [1, 9, 40]) {
    const generated = soft(1, 5, 11), training = soft(2, count, 11);
    // Strides of 2 and 3: the last of 11 columns stays uncovered.
    for (const [overlap, window] of [[2, 1], [2, 2], [1, 3], [2, 0]]) {
      const subject = { generated, training, patch: 4, overlap, window };
      for (const sigma of [0.1, NATURAL, 1]) {
        const { values, settings } = judge(likelihood, subject, { sigma });
        const wanted = direct({ ...subject, window: Math.max(window, 1) }, sigma);
        values.forEach((value, i) => assertAlmostEquals(value / wanted[i], 1, 1e-9, `sigma ${sigma}`));
        assertEquals(settings.locations, overlap === 2 ? 16 : 9);
      }
    }
  }
});

Deno.test("likelihood: of a copy of the only training image by hand", () => {
  const one = soft(1, 1, 8), subject = { generated: one, training: one, patch: 4, overlap: 0, window: 1 };
  const { values, of, settings, warnings } = judge(likelihood, subject);
  assertClose(values, [0], 1e-12);
  assertEquals([of, settings], ["generated", { sigma: NATURAL, window: "+-0", locations: 4, training: 1 }]);
  assertEquals(warnings, ["only 1 training image: the likelihood is that of a sparse dictionary"]);
  // At any other sigma it is the normalizer of all 64 pixels.
  assertClose(judge(likelihood, subject, { sigma: 0.2 }).values, [-32 * Math.log(2 * Math.PI * 0.04)], 1e-9);
});

Deno.test("likelihood: an image's value does not depend on the others", () => {
  const generated = soft(1, 7, 10), training = soft(2, 12, 10), subject = { training, patch: 4, overlap: 2, window: 2 };
  const { values } = judge(likelihood, { ...subject, generated });
  imagesOf(generated).forEach((image, i) => {
    assertEquals(judge(likelihood, { ...subject, generated: setOf([image]) }).values[0], values[i]);
  });
});

Deno.test("parzen: the twin's bytes, also where nearer examples come late and where all are far", () => {
  const planes = 24, pixels = 30, places = Uint32Array.from({ length: planes }, (_, p) => p);
  const worlds: [string, (j: number, count: number) => number][] = [
    ["nearer and nearer", (j, count) => 255 - Math.floor(255 * j / count)],
    ["the nearest last", (j, count) => j === count - 1 ? 0 : 255],
    ["all far", () => 255],
    ["any", (j) => bytes(j, 1)[0]],
  ];
  for (const [, grey] of worlds) {
    for (const count of [0, 1, 7, 8, 9, 65]) {
      for (const batch of [1, 3, 4, 5, 9]) {
        for (const per of [1e-7, Math.PI / 255 ** 2, 1e-2, 1]) {
          assertSame((kernels, scratch) => {
            const plane = Uint8Array.from({ length: count }, (_, j) => grey(j, count));
            const table = putPlanes(kernels, [Array(planes).fill(plane), Array(planes).fill(plane.toReversed())]);
            const at = put(kernels, places), images = put(kernels, bytes(batch, batch * pixels).map((b) => b >> 4));
            const out = kernels.allocate(8 * batch);
            const window = { table, numbers: at, planes, count, segments: 2, images, pixels, batch, scratch };
            kernels.parzen(window, per, out);
          });
        }
      }
    }
  }
});

// The paper's rule: lower than the data is worse, and noise is out of all proportion.
testScores("likelihood", {
  copier: [-80, -70],
  "noisy copier": [-82, -72],
  repeater: [-100, -60],
  noise: [-2000, -500],
  "real sample": [-90, -75],
});
