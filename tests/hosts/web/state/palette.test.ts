import { assert, assertEquals } from "@std/assert";
import { commonColours, paletteOf, unmixed } from "../../../../hosts/web/state/palette.ts";
import { type Colour, MAGENTA } from "../../../../datasets/formats/colour.ts";

/** A picture of 40x25 pixels, in parts of one colour each. */
function pictureOf(...parts: readonly (readonly [count: number, colour: readonly number[]])[]): Uint8Array {
  const pixels = parts.flatMap(([count, colour]) => Array.from({ length: count }, () => colour));
  return Uint8Array.from([0, 1, 2].flatMap((c) => pixels.map((colour) => colour[c])));
}

const exampleShape = { height: 25, width: 40, channels: 3 };
const WHITE: Colour = [255, 255, 255], RED: Colour = [220, 20, 30], GREEN: Colour = [40, 160, 60];

Deno.test("paletteOf: the pictures' own colours, the most saturated one first, without transparent and rare ones", () => {
  const pictures = [pictureOf([797, WHITE], [100, GREEN], [102, RED], [1, [0, 0, 255]])];
  const common = commonColours({ examples: [{ pictures }], exampleShape });
  assertEquals(common.length, 3, "one blue pixel of a thousand is none of the colours");
  const palette = paletteOf(common);
  assertEquals(palette[0], RED);
  assertEquals(new Set(palette.map(String)), new Set([RED, GREEN, WHITE].map(String)));
  const sprite = [pictureOf([800, MAGENTA], [200, GREEN])];
  assertEquals(commonColours({ examples: [{ pictures: sprite }], exampleShape, transparent: MAGENTA }), [GREEN]);
  const grey = { examples: [{ pictures: [new Uint8Array(4)] }], exampleShape: { height: 2, width: 2, channels: 1 } };
  assertEquals(paletteOf(commonColours(grey)), []);
});

Deno.test("unmixed: a square of blue and transparent pixels is blue, not purple", () => {
  const blue = [60, 90, 220] as const, common = [blue, [20, 20, 30], [250, 210, 40]] as const;
  for (const part of [1, 0.8, 0.6]) {
    const [red, green, violet] = blue.map((value, c) => part * value + (1 - part) * MAGENTA[c]);
    const { colour, opacity } = unmixed([red, green, violet], MAGENTA, common);
    assert(Math.abs(opacity - part) < 1e-9 && colour.every((value, c) => Math.abs(value - blue[c]) < 1e-9), `${part}`);
  }
  assertEquals(unmixed(MAGENTA, MAGENTA, common).opacity, 0);
  const other = [10, 250, 200] as const;
  assertEquals(
    unmixed(other, MAGENTA, common),
    { colour: other, opacity: 1 },
    "a colour that no picture has is as painted",
  );
});

Deno.test("unmixed: means of three colours and of transparent pixels are shown without magenta", () => {
  const common: readonly Colour[] = [[240, 140, 30], [60, 90, 220], [30, 170, 70], [250, 250, 240], [25, 25, 30]];
  const pinkOf = ([red, green, blue]: readonly number[]) => Math.min(red, blue) - green;
  let most = -Infinity;
  for (const one of common) {
    for (const other of common) {
      for (const third of common) {
        const opaque = one.map((value, c) => (value + other[c] + third[c]) / 3), own = Math.max(pinkOf(opaque), 0);
        for (const part of [0.25, 0.5, 0.75]) {
          const [red, green, blue] = opaque.map((value, c) => part * value + (1 - part) * MAGENTA[c]);
          const { colour, opacity } = unmixed([red, green, blue], MAGENTA, common);
          most = Math.max(most, opacity * (pinkOf(colour) - own));
        }
      }
    }
  }
  assert(most < 40, `${most} levels more of red and blue than of green`);
});
