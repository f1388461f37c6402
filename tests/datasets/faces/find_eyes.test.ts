import { assert, assertEquals } from "@std/assert";
import { findEyes } from "../../../datasets/faces/find_eyes.ts";
import { sampled } from "../../../datasets/faces/gradients.ts";
import { learnEyes } from "../../../datasets/faces/learn_eyes.ts";
import { eyeDistance, type EyeFinder } from "../../../datasets/faces/windows.ts";
import { proceduralFaces } from "../../../datasets/procedural/faces.ts";
import type { Images } from "../../../core/types.ts";

function learn(images: Images): EyeFinder {
  const steps = learnEyes([images]);
  for (let step = steps.next();; step = steps.next()) {
    if (step.done) return step.value;
    assert(step.value >= 0 && step.value < 1, String(step.value));
  }
}

/** A photograph of 200x170 with a portrait whose eyes lie at (x, y) and `distance` pixels further, turned by an angle. */
function photographOf(portrait: Uint8Array, x: number, y: number, distance: number, angle: number) {
  const image = { height: 128, width: 128, values: Float32Array.from(portrait) }, scale = 40 / distance;
  const stepX = Math.cos(angle) * scale, stepY = -Math.sin(angle) * scale;
  const map = { originX: 44 - stepX * x + stepY * y, originY: 52 - stepY * x - stepX * y, stepX, stepY };
  const { height, width, values } = sampled(image, map, 200, 170);
  const eyes = {
    leftX: x,
    leftY: y,
    rightX: x + Math.cos(angle) * distance,
    rightY: y + Math.sin(angle) * distance,
  };
  return { photograph: { height, width, pixels: Uint8Array.from(values, Math.round) }, eyes };
}

Deno.test("findEyes: portraits moved, scaled and turned, whose like was learned from, are found to 5 % of the eyes' distance", () => {
  const finder = learn(proceduralFaces("train", 100, 1)), portraits = proceduralFaces("test", 4, 1).pixels;
  const places: [number, number, number, number][] = [[70, 60, 40, 0], [50, 50, 30, 0.15], [100, 70, 35, -0.1], [
    60,
    62,
    52,
    0.05,
  ]];
  for (const [i, place] of places.entries()) {
    const { photograph, eyes } = photographOf(portraits.subarray(i * 128 * 128, (i + 1) * 128 * 128), ...place);
    const [{ eyes: found, score, spread }] = findEyes(finder, photograph), distance = eyeDistance(eyes);
    const left = Math.hypot(found.leftX - eyes.leftX, found.leftY - eyes.leftY) / distance;
    const right = Math.hypot(found.rightX - eyes.rightX, found.rightY - eyes.rightY) / distance;
    assert(Math.max(left, right) < 0.05, `portrait ${i}: off by ${left} and ${right}, ${score}, ${spread}`);
  }
  const flat = { height: 90, width: 120, pixels: new Uint8Array(90 * 120).fill(7) };
  assert(findEyes(finder, flat).every(({ score }) => score < 0.5), "a flat picture shows no face");
  assertEquals(findEyes(finder, { height: 3, width: 3, pixels: new Uint8Array(9) }), []);
});
