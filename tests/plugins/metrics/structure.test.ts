import { assert, assertEquals } from "@std/assert";
import { closestCorrelation } from "../../../plugins/metrics/closest_correlation.ts";
import { originality } from "../../../plugins/metrics/originality.ts";
import { structure } from "../../../plugins/metrics/structure.ts";
import { drawFaces } from "../../../datasets/procedural/faces.ts";
import { judge, mean, setOf } from "./generators.ts";
import { testScores } from "./known_faults.ts";

const SIDE = 128;

/** The first portraits that are drawn by rule. */
function portraits(count: number): Uint8Array[] {
  const pixels = drawFaces({ split: "train", channels: 1, from: 0, to: count });
  return Array.from({ length: count }, (_, i) => pixels.subarray(i * SIDE * SIDE, (i + 1) * SIDE * SIDE));
}

/** The mean over squares around each pixel. */
function shading(image: Uint8Array): Float64Array {
  const reach = 12;
  const out = new Float64Array(image.length);
  for (let y = 0; y < SIDE; y++) {
    for (let x = 0; x < SIDE; x++) {
      let sum = 0;
      let count = 0;
      for (let row = Math.max(0, y - reach); row <= Math.min(SIDE - 1, y + reach); row += 3) {
        for (let column = Math.max(0, x - reach); column <= Math.min(SIDE - 1, x + reach); column += 3) {
          sum += image[row * SIDE + column];
          count++;
        }
      }
      out[y * SIDE + x] = sum / count;
    }
  }
  return out;
}

/** The detail of one image under the light of another. */
function detailOn(light: Uint8Array, detail: Uint8Array): Uint8Array {
  const [to, from] = [shading(light), shading(detail)];
  return detail.map((value, i) => Math.min(Math.max(to[i] + value - from[i], 0), 255));
}

Deno.test("structure: relit copies are found, which distance and correlation take for new images", () => {
  const faces = portraits(60);
  const training = setOf(faces.slice(0, 40));
  const heldOut = setOf(faces.slice(40));
  // The shading of a held-out portrait on the detail of a training portrait.
  const relit = setOf(faces.slice(40).map((shading, i) => detailOn(shading, faces[i])));
  const copies = setOf(faces.slice(0, 20));
  const scores = [copies, relit, heldOut].map((generated) => judge(structure, { training, heldOut, generated }));
  const [ofCopies, ofRelit, ofHeldOut] = scores.map(({ values }) => mean(values));
  assertEquals(ofCopies, 1);
  assert(ofRelit > 0.8, `${ofRelit}`);
  assert(ofHeldOut < ofRelit - 0.15, `${ofHeldOut}`);
  const first = Array.from({ length: 20 }, (_, i) => i);
  assertEquals([...scores[1].series.nearest], first);
  const blind = judge(originality, { training, heldOut, generated: relit });
  assert(mean(blind.values) > 0.5, "originality takes them for new");
  const correlated = judge(closestCorrelation, { training, heldOut, generated: relit });
  assert(mean(correlated.values) < ofRelit, "correlation sees less of it");
});

Deno.test("structure: a flat image has none", () => {
  const { values, series, warnings } = judge(structure, {
    training: setOf([[0, 9, 80, 3], [90, 0, 20, 7]]),
    generated: setOf([[5, 5, 5, 5]]),
  });
  assertEquals([values[0], series.nearest[0]], [NaN, -1]);
  assertEquals(warnings, ["1 image has no structure, being flat; left out of the score"]);
});

Deno.test("structure: in a region, the highest correlation there, with whatever training image", () => {
  const faces = portraits(30);
  const training = setOf(faces.slice(0, 20));
  const [eyes, mouth] = [{ name: "eyes", x: 0.2, y: 0.3, width: 0.6, height: 0.2 }, {
    name: "mouth",
    x: 0.3,
    y: 0.65,
    width: 0.4,
    height: 0.2,
  }];
  // A new face with the eyes of training portrait 7 and all around them, far enough for their local mean and contrast.
  const put = (from: Uint8Array, to: Uint8Array) =>
    to.map((value, i) => {
      const row = Math.floor(i / SIDE) / SIDE;
      return row > 0.1 && row < 0.62 ? from[i] : value;
    });
  const generated = setOf([put(faces[7], faces[25]), faces[25]]);
  const input = { training, generated, heldOut: setOf(faces.slice(20)) };
  const whole = judge(structure, input);
  const { values, series } = judge(structure, { ...input, regions: [eyes, mouth] });
  assertEquals(values, whole.values);
  assertEquals(Object.keys(series), ["nearest", "eyes", "mouth"]);
  assert(series.eyes[0] > 0.97 && series.eyes[1] < series.eyes[0] - 0.05, `${series.eyes}`);
  assert(Math.abs(series.mouth[0] - series.mouth[1]) < 0.05, `${series.mouth}`);
  // All of an image is a region, too; a region of no pixel has one.
  const all = { name: "all", x: 0, y: 0, width: 1, height: 1 };
  const dot = { name: "dot", x: 1, y: 1, width: 0.0001, height: 0.0001 };
  const ends = judge(structure, { ...input, regions: [all, dot] }).series;
  assertEquals(ends.all, whole.values);
  assert(ends.dot.every(Number.isNaN), "one pixel has no correlation");
});

// Without halving, noise on the flat ground of small digits counts; a noisy copy is still far above other digits.
testScores("structure", {
  copier: [1, 1],
  "noisy copier": [0.77, 0.9999],
  repeater: [0.5, 0.76],
  noise: [0, 0.2],
  "real sample": [0.5, 0.7],
});
