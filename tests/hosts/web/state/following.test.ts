import { assertEquals } from "@std/assert";
import { agreementOf, betterSample, strayingOf } from "../../../../hosts/web/state/following.ts";
import { type Current, INITIAL, type PageState, type TileState } from "../../../../hosts/web/state/page_state.ts";
import { DEFAULTS } from "../../../../pipelines/page/choices.ts";

/** Colours of squares. A picture has two, left and right. */
const [RED, BLUE, WHITE, GREY] = [[220, 30, 40], [30, 40, 220], [255, 255, 255], [90, 90, 90]];
const planesOf = (left: readonly number[], right: readonly number[]) => {
  return Uint8Array.from([0, 1, 2].flatMap((c) => [left[c], right[c]]));
};
const shape = { height: 1, width: 2, channels: 3 };

/** A page with finished samples, of two pixels each, for red and white squares that are drawn. */
function pageWith(pictures: readonly Uint8Array[], tile = 0, seedImage = planesOf(RED, WHITE)): PageState {
  const choices = { ...DEFAULTS, tile, seedImage };
  const pack = { seeds: { shape }, classes: [], profile: {} };
  const current = { pack, choices, planned: { aligned: true }, requests: [] } as unknown as Current;
  const tiles = pictures.map((pixels, image) => {
    const frames = [{ layer: 0, iteration: 0, shape, pixels }];
    return { title: "", request: 0, image, frames, result: {} } as unknown as TileState;
  });
  return { ...INITIAL, current, tiles, requests: current.requests };
}

const red = planesOf(RED, WHITE), blue = planesOf(BLUE, WHITE), swapped = planesOf(WHITE, RED);

Deno.test("betterSample: the sample that follows its squares best, also in its colours", () => {
  assertEquals(betterSample(pageWith([blue, swapped, red, blue])), 2);
  assertEquals(betterSample(pageWith([red, blue, red])), undefined, "the selected one follows as well as any");
  assertEquals(betterSample(pageWith([red, red], 1)), undefined);
  const methods = pageWith([blue, red]), { current } = methods;
  const choices = { ...current!.choices, view: "priors" as const };
  assertEquals(
    betterSample({ ...methods, current: { ...current!, choices } }),
    undefined,
    "of methods, the chosen one stays",
  );
});

Deno.test("strayingOf: a picture of another colour, or of other levels, than its squares", () => {
  const straying = (page: PageState) =>
    page.tiles.map((one) => strayingOf(agreementOf(page.current!, one)!, page.current!));
  assertEquals(straying(pageWith([red, blue])), [undefined, "colours"]);
  const light = planesOf(WHITE, GREY), dark = planesOf(GREY, WHITE);
  assertEquals(straying(pageWith([light, dark], 0, light)), [undefined, "levels"]);
});
