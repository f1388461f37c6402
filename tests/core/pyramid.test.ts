import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { range } from "../../core/numbers.ts";
import {
  crop,
  pad,
  paddingOf,
  pyramidOf,
  pyramidSizes,
  seedImages,
  type TrainingPyramid,
  trainingPyramid,
} from "../../core/pyramid.ts";
import { finish } from "../../core/steps.ts";
import type { Images } from "../../core/types.ts";
import { squareOf } from "../../core/shape.ts";
import { bytes, testBoth } from "../kernels_under_test.ts";
import { pyramid } from "../plain_synthesis.ts";

const SIZES = [16, 8, 4].map(squareOf);
/** Images of noise with edges: what blurs badly shows where rounding or the border goes wrong. */
const noise = (count: number, height = 16, width = 16): Images => ({
  count,
  height,
  width,
  pixels: bytes(height + width, count * height * width),
});
/** One image in the middle of a black 16x16 square. */
function padded({ height, width, pixels }: Images, index: number): number[] {
  const top = Math.floor((16 - height) / 2), left = Math.floor((16 - width) / 2);
  return Array.from({ length: 256 }, (_, p) => {
    const y = Math.floor(p / 16) - top, x = p % 16 - left;
    return y >= 0 && y < height && x >= 0 && x < width ? pixels[(index * height + y) * width + x] : 0;
  });
}

Deno.test("pyramidSizes: halved from layer to layer", () => {
  assertEquals(pyramidSizes(squareOf(32), 3), [32, 16, 8, 4].map(squareOf));
  assertEquals(pyramidSizes({ height: 6, width: 8 }, 2), [
    { height: 6, width: 8 },
    { height: 3, width: 4 },
    { height: 1.5, width: 2 },
  ]);
});

Deno.test("range: 0 to count - 1", () => {
  assertEquals([...range(4)], [0, 1, 2, 3]);
  assertEquals(range(0).length, 0);
});

Deno.test("pad: centred, what is odd goes to the right and below; what was in the target is gone", () => {
  const digit: Images = { count: 1, height: 28, width: 28, pixels: new Uint8Array(28 * 28).fill(9) };
  const out = pad(digit, 0, squareOf(32), new Uint8Array(32 * 32).fill(77));
  out.forEach((value, p) => {
    const y = Math.floor(p / 32), x = p % 32;
    assertEquals(value, y >= 2 && y < 30 && x >= 2 && x < 30 ? 9 : 0);
  });
  const wide = noise(2, 3, 6);
  assertEquals([...pad(wide, 1, squareOf(16), new Uint8Array(256))], padded(wide, 1));
});

testBoth("seedImages: 3x3 Gaussian of sigma 1 and every second pixel, down to the last size, in float64", (kernels) => {
  for (const images of [noise(5), noise(5, 13, 10)]) {
    const chosen = [4, 0, 4], seeds = seedImages(kernels, images, SIZES, chosen);
    assertEquals(seeds.length, 3 * 16);
    chosen.forEach((index, i) => {
      const wanted = pyramid(padded(images, index).map((byte) => byte / 255), SIZES)[2];
      wanted.forEach((value, p) => assertAlmostEquals(seeds[i * 16 + p], value, 1e-6));
    });
  }
});

testBoth("trainingPyramid: levels are the rounded chain, which is never rounded in between", (kernels) => {
  const images = noise(6, 14, 14),
    chosen = [5, 2, 3],
    { count, hr, lr } = finish(trainingPyramid(kernels, images, SIZES, chosen));
  assertEquals([count, hr.map(({ width }) => width), lr.map(({ height }) => height)], [3, [16, 8, 4], [8, 4]]);
  let roundedBetween = 0;
  chosen.forEach((index, i) => {
    const levels = pyramid(padded(images, index), SIZES);
    const level = (l: number, p: number) => {
      const { at, stride } = lr[l - 1];
      return kernels.u8(at + p * stride, count)[i];
    };
    assertEquals([...kernels.u8(hr[0].at + i * 256, 256)], levels[0]);
    // Rows and planes of a level are the same bytes: image by image, and pixel by pixel.
    assertEquals([...kernels.u8(hr[1].at + i * 64, 64)], Array.from({ length: 64 }, (_, p) => level(1, p)));
    for (const [l, { rows }] of lr.entries()) {
      const pixels = 64 >> 2 * l, bytes = kernels.u8(rows + i * pixels, pixels);
      assertEquals([...bytes], Array.from({ length: pixels }, (_, p) => level(l + 1, p)));
    }
    for (const l of [1, 2]) {
      levels[l].forEach((value, p) => {
        // Half a grey level, and what f32 may turn over where a value lies between two.
        assert(Math.abs(level(l, p) - value) < 0.5001);
      });
    }
    const twice = pyramid(levels[1].map(Math.round), SIZES.slice(1))[1];
    roundedBetween += twice.filter((value, p) => Math.round(value) !== level(2, p)).length;
  });
  assert(roundedBetween > 0, "this noise does not tell a chain that is rounded in between");
});

testBoth(
  "trainingPyramid: planes are apart by their stride; the memory of the work in between is free again",
  (kernels) => {
    for (const count of [0, 1, 16, 17]) {
      const { hr, lr } = finish(trainingPyramid(kernels, noise(count), SIZES)), last = lr[1];
      assert(lr.every(({ stride }) => stride >= count && stride % 16 === 0));
      assertEquals([...hr, ...lr].map((level) => level.count), new Array(5).fill(count));
      // What comes next lies right behind the last plane.
      assert(kernels.mark() - (last.at + last.stride * 16) < 128);
    }
  },
);

testBoth("seedImages, trainingPyramid: images larger than the profile's are refused in one sentence", (kernels) => {
  for (const images of [noise(1, 17, 16), noise(1, 16, 17)]) {
    const sentence = `Cannot use images: expected at most 16x16 pixels, got ${images.width}x${images.height}`;
    const mark = kernels.mark();
    assertThrows(() => seedImages(kernels, images, SIZES, [0]), RangeError, sentence);
    assertEquals(kernels.mark(), mark, "its memory is given back");
    assertThrows(() => finish(trainingPyramid(kernels, images, SIZES)), RangeError, sentence);
  }
});

Deno.test("crop: the middle of every plane; what `paddingOf` says is where it came from", () => {
  const images: Images = { count: 2, height: 7, width: 9, channels: 3, pixels: bytes(1, 2 * 3 * 63) };
  const cropped = crop(images, { height: 4, width: 4 }), { top, left } = paddingOf(images, cropped);
  assertEquals([cropped.count, cropped.height, cropped.width, cropped.channels, top, left], [2, 4, 4, 3, -1, -2]);
  cropped.pixels.forEach((value, i) => {
    const plane = Math.floor(i / 16), y = Math.floor(i / 4) % 4 - top, x = i % 4 - left;
    assertEquals(value, images.pixels[(plane * 7 + y) * 9 + x]);
  });
});

Deno.test("crop: takes back what `pad` has put, also where the difference is odd", () => {
  for (const [height, width] of [[25, 25], [24, 31], [1, 2], [31, 32]]) {
    const images: Images = { count: 1, height, width, pixels: bytes(3, height * width) },
      size = { height: 32, width: 32 };
    const whole: Images = { count: 1, ...size, pixels: pad(images, 0, size) };
    assertEquals(crop(whole, images).pixels, images.pixels, `${width}x${height}`);
  }
});

Deno.test("pad: every channel of a colour image", () => {
  const images: Images = { count: 2, height: 2, width: 2, channels: 3, pixels: bytes(2, 24) },
    size = { height: 3, width: 5 };
  const wanted = [0, 1, 2].flatMap((channel) => {
    const grey = { ...images, channels: 1, count: 6 };
    return [...pad(grey, 3 + channel, size)];
  });
  assertEquals([...pad(images, 1, size)], wanted);
});

testBoth(
  "pyramidOf: images that are made one at a time have the pyramid of images that are all there",
  (kernels) => {
    const images = noise(17, 13, 10), asked: number[] = [];
    const write = (i: number, out: Uint8Array) => {
      asked.push(i);
      out.set(pad(images, i, SIZES[0]));
    };
    const bytesOf = ({ hr, lr }: TrainingPyramid) => [
      ...hr.map((rows) => kernels.u8(rows.at, rows.count * rows.height * rows.width).slice()),
      ...lr.map((planes) => kernels.u8(planes.at, planes.stride * planes.height * planes.width).slice()),
    ];
    const made = bytesOf(finish(pyramidOf(kernels, SIZES, { count: images.count, channels: 1, write })));
    assertEquals(made, bytesOf(finish(trainingPyramid(kernels, images, SIZES))));
    assertEquals(asked, [...range(images.count)]);
  },
);
