import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { lengthOf } from "../../core/shape.ts";
import { cropsOf, cutOut, smallest } from "../../datasets/crops.ts";

Deno.test("cropsOf: images of one size are one crop each, a larger one is as few as overlap enough", () => {
  const small = { height: 16, width: 24 }, large = { height: 40, width: 25 };
  assertEquals(smallest([large, small]), { height: 16, width: 24 });
  assertEquals(cropsOf([small, small], small, 8), [{ image: 0, y: 0, x: 0 }, { image: 1, y: 0, x: 0 }]);
  assertEquals(
    cropsOf([small, large], small, 8).map(({ image, y, x }) => [image, y, x]),
    [[0, 0, 0], ...[0, 8, 16, 24].flatMap((y) => [[1, y, 0], [1, y, 1]])],
  );
  assertEquals(cropsOf([large], small, 99), cropsOf([large], small, 8), "by half at the most");
  assertEquals(cropsOf([large], small, 4).map(({ y, x }) => [y, x]), [0, 12, 24].flatMap((y) => [[y, 0], [y, 1]]));
});

Deno.test("cropsOf: what is no larger than the overlap lies whole in one", () => {
  const side = fc.integer({ min: 1, max: 30 }),
    more = fc.integer({ min: 0, max: 200 }),
    overlap = fc.nat(20),
    at = fc.nat();
  fc.assert(fc.property(side, more, overlap, at, (side, more, overlap, at) => {
    const length = side + more, crops = cropsOf([{ height: length, width: 7 }], { height: side, width: 7 }, overlap);
    for (const { y } of crops) assert(Number.isInteger(y) && y >= 0 && y + side <= length);
    const own = Math.max(Math.min(overlap, side >> 1), 1), from = at % (length - own + 1);
    assert(crops.some(({ y }) => y <= from && from + own <= y + side), `${from} .. ${from + own} of ${length}`);
  }));
});

Deno.test("cutOut: every pixel of every channel is that of the image, where the crop says", () => {
  for (const channels of [undefined, 3] as const) {
    const images = [[5, 7], [9, 6]].map(([height, width], image) => {
      const pixels = Uint8Array.from(
        { length: lengthOf({ height, width, channels }) },
        (_, i) => (i * 7 + image * 101) % 256,
      );
      return { count: 1, height, width, ...channels && { channels }, pixels };
    });
    const size = smallest(images), crops = cropsOf(images, size, 2), cut = cutOut(images, crops, size);
    assertEquals([cut.count, cut.height, cut.width, cut.channels], [crops.length, 5, 6, channels]);
    cut.pixels.forEach((value, i) => {
      const x = i % 6, y = Math.floor(i / 6) % 5, plane = Math.floor(i / 30), parts = channels ?? 1;
      const crop = crops[Math.floor(plane / parts)], image = images[crop.image];
      const row = plane % parts * image.height + crop.y + y;
      assertEquals(value, image.pixels[row * image.width + crop.x + x]);
    });
  }
});
