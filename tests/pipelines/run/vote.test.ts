import { assertEquals } from "@std/assert";
import { finish } from "../../../core/steps.ts";
import type { Provenance } from "../../../core/provenance.ts";
import { votedPixels } from "../../../pipelines/run/vote.ts";
import { wasm } from "../../kernels_under_test.ts";

/** Two training images of 2x3 in three channels: one of colour a, one of colour b. */
function training(a: readonly number[], b: readonly number[]) {
  const at = wasm.allocate(36);
  wasm.u8(at, 36).set([a, b].flatMap((colour) => colour.flatMap((value) => Array(6).fill(value))));
  return { count: 2, height: 2, width: 3, channels: 3, at };
}

const RED = [200, 10, 20], BLUE = [0, 30, 220];
/** Three patches of side 2 in an image of 2x3: at columns 0, 1 and 1. */
const provenance = (images: readonly number[], weights?: Float32Array): Provenance => ({
  ...{ height: 2, width: 3, channels: 3, patch: 2, weights, training: { height: 2, width: 3 } },
  positions: [{ y: 0, x: 0 }, { y: 0, x: 1 }, { y: 0, x: 1 }],
  sources: Int32Array.from(images.flatMap((image) => [image, 0, 0])),
  correction: new Float32Array(18),
});
const voted = (...given: Parameters<typeof votedPixels> extends [unknown, ...infer Rest] ? Rest : never) => {
  return finish(votedPixels(wasm, ...given));
};
const colours = (pixels: Uint8Array) => Array.from({ length: 6 }, (_, p) => [pixels[p], pixels[6 + p], pixels[12 + p]]);

Deno.test("votedPixels: the colour that most patches have, never an average", () => {
  const rows = training(RED, BLUE), merged = new Uint8Array(18).fill(100);
  const row = [RED, BLUE, BLUE];
  assertEquals(colours(voted(provenance([0, 1, 1]), rows, merged)), [...row, ...row]);
  assertEquals(colours(voted(provenance([0, 0, 1]), rows, merged)), [RED, RED, RED, RED, RED, RED]);
  assertEquals(merged, new Uint8Array(18).fill(100), "the merged image is left as it is");
});

Deno.test("votedPixels: with the weights of the merge; a pixel without a copy takes the nearest colour of the examples", () => {
  const rows = training(RED, BLUE), merged = new Uint8Array(18).fill(100);
  // The second column of a patch counts three times: at column 1 the patch from the left wins against two.
  const weights = Float32Array.of(1, 3, 1, 3), row = [RED, RED, BLUE];
  assertEquals(colours(voted(provenance([0, 1, 1], weights), rows, merged)), [...row, ...row]);
  for (const [colour, wanted] of [[[180, 60, 60], RED], [[10, 10, 180], BLUE]]) {
    const own = Uint8Array.from({ length: 18 }, (_, p) => colour[Math.floor(p / 6)]);
    assertEquals(colours(voted(provenance([-1, -1, -1]), rows, own)), Array(6).fill(wanted));
  }
});
