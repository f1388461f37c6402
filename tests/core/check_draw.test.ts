import { assertEquals, assertThrows } from "@std/assert";
import type { Draw } from "../../core/batch.ts";
import { checkDraw } from "../../core/check_draw.ts";
import { builtins } from "../../plugins/mod.ts";

const plugin = builtins.find("prior", "tangent-plane");
const training = { count: 3, height: 8, width: 8, channels: 1, at: 0 };

/** Checks a draw of one patch of 2x2 pixels. */
function check(patches: readonly number[], sources: readonly number[] = [2, 6, 6]): void {
  const out = { patches: Float32Array.from(patches), sources: Int32Array.from(sources) };
  checkDraw(plugin, { layer: 1, location: { y: 3, x: 5, visits: 1 }, out } as unknown as Draw, training, 2);
}

Deno.test("checkDraw: numbers in [0, 1] pass, also where the rounding of f32 sums leaves a little more", () => {
  assertEquals(check([0, 1, 0.5, 1 + 2 ** -23]), undefined);
  assertEquals(check([-(2 ** -24), 1, 0.5, 0], [-1, -1, -1]), undefined);
});

Deno.test("checkDraw: other numbers and sources are refused, with the place", () => {
  const at = 'prior "tangent-plane"', place = "in draw at (5, 3), layer 1";
  const wrong = (patches: readonly number[], sources: readonly number[] | undefined, text: string) => {
    assertThrows(() => check(patches, sources), Error, `${at} ${text}`);
  };
  wrong([0, 1.00001, 0, 0], undefined, `drew 1.0000100135803223 ${place}: expected numbers in [0, 1]`);
  wrong([-0.001, 0, 0, 0], undefined, "drew -0.001");
  wrong([0, NaN, 0, 0], undefined, `left a patch unfilled or not a number ${place}`);
  wrong(
    [0, 0, 0, 0],
    [3, 0, 0],
    `named a wrong source ${place}: expected -1 or (image, y, x) below (3, 7, 7), got (3, 0, 0)`,
  );
  wrong([0, 0, 0, 0], [0, 7, 0], "named a wrong source");
});
