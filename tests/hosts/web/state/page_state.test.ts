import { assertEquals } from "@std/assert";
import { plan } from "../../../../core/plan.ts";
import { type Current, pixelFrom, pixelIn, pixelOf } from "../../../../hosts/web/state/page_state.ts";
import { builtins } from "../../../../plugins/mod.ts";
import { choices, openedPack } from "./opened_pack.ts";

Deno.test("pixelFrom: a pixel of a coarser or finer picture is chosen at its place, and pixelIn leads back to it", () => {
  const pack = openedPack(), planned = plan(pack.profile, builtins);
  const [fine, coarse] = [16, 4].map((side) => ({ height: side, width: side, channels: 1 }));
  for (const frame of [undefined, { layer: 1, iteration: 0 }]) {
    const current: Current = { pack, planned, requests: [], choices: { ...choices, frame } };
    for (const shape of [fine, coarse]) {
      for (const pixel of [{ y: 0, x: shape.width - 1 }, { y: 2, x: 1 }]) {
        const chosen = pixelFrom(current, shape, pixel),
          after = { ...current, choices: { ...choices, frame, pixel: chosen } };
        assertEquals(pixelOf(after), chosen);
        // A pixel of a finer picture is a part of a chosen one.
        const part = frame && shape === fine ? 2 : 1;
        const { y, x } = pixelIn(after, shape);
        assertEquals([y / part | 0, x / part | 0], [pixel.y / part | 0, pixel.x / part | 0]);
      }
    }
  }
  const current: Current = { pack, planned, requests: [], choices: { ...choices, frame: undefined } };
  assertEquals(pixelFrom(current, coarse, { y: 1, x: 3 }), { y: 6, x: 14 });
  assertEquals(pixelFrom(current, fine, { y: 1, x: 3 }), { y: 1, x: 3 });
});
