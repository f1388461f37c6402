import { assertEquals, assertThrows } from "@std/assert";
import { ownData, type OwnPicture, sideFor, spriteSize } from "../../../../hosts/web/state/own_data.ts";
import { builtins } from "../../../../plugins/mod.ts";
import { plan } from "../../../../core/plan.ts";

/** A picture of one colour. */
function plain([red, green, blue, opacity]: readonly number[], folder?: string): OwnPicture {
  return {
    rgba: Uint8ClampedArray.from({ length: 4 * 32 * 32 }, (_, i) => [red, green, blue, opacity][i % 4]),
    folder,
  };
}
const times = (count: number, picture: OwnPicture) => Array<OwnPicture>(count).fill(picture);

Deno.test("ownData: grey pictures have one channel, coloured ones three; half transparent pixels lie on white", () => {
  const grey = ownData([...times(5, plain([100, 104, 96, 255])), plain([0, 0, 0, 128])], 32);
  assertEquals([grey.data.train.images.channels, grey.data.train.images.count], [1, 5]);
  // 0.2126 x 100 + 0.7152 x 104 + 0.0722 x 96 = 102.57
  assertEquals([grey.data.test.images.pixels[0], grey.data.train.images.pixels.at(-1)], [103, 127]);
  assertEquals(grey.data.transparent, undefined);
  const coloured = ownData([...times(5, plain([100, 100, 100, 255])), plain([200, 0, 0, 128])], 32);
  assertEquals([coloured.data.train.images.channels, coloured.profile.channels, grey.profile.channels], [3, 3, 1]);
  const last = coloured.data.train.images.pixels.subarray(-3 * 1024);
  // Half transparent: 200 x 128/255 + 255 x 127/255, and 255 x 127/255.
  assertEquals([last[0], last[1024], last[2048]], [227, 127, 127]);
});

Deno.test("ownData: faces are called so", () => {
  const { data } = ownData(times(10, plain([9, 9, 9, 255])), 32, true);
  assertEquals(data.title, "10 faces of your own, aligned by their eyes, 1 of them for seed images");
});

Deno.test("ownData: folders are classes, a tenth of each is held out, and the profile can be planned", () => {
  const pictures = [...times(12, plain([0, 0, 0, 255], "cars")), ...times(9, plain([255, 255, 255, 255], "boats"))];
  const { data, profile } = ownData(pictures, 32);
  assertEquals([data.classes, profile.classwise, profile.prior], [["boats", "cars"], true, ["local-nn", {
    neighbours: 2,
  }]]);
  const counts = (labels: Uint8Array) => [0, 1].map((label) => labels.filter((one) => one === label).length);
  assertEquals([counts(data.train.labels!), counts(data.test.labels!)], [[8, 10], [1, 2]]);
  assertEquals(plan(profile, builtins).sizes.at(-1), { height: 4, width: 4 });
  const large = ownData(times(30, { rgba: new Uint8ClampedArray(4 * 64 * 64).fill(255) }), 64);
  assertEquals(plan(large.profile, builtins).sizes.map(({ height }) => height), [64, 32, 16, 8, 4]);
  assertEquals(large.profile.prior, ["local-nn", { neighbours: 5 }]);
});

Deno.test("ownData: pictures with transparent pixels are sprites, whose pixels are transparent or opaque", () => {
  const clear = plain([0, 0, 0, 0]), faint = plain([9, 9, 9, 127]), pink = plain([255, 0, 255, 255]);
  const { data, profile } = ownData([...times(4, plain([200, 10, 0, 255])), clear, faint, pink], 32);
  assertEquals([profile.name, profile.size, profile.pixelArt, data.transparent], ["sprites", 32, true, [255, 0, 255]]);
  assertEquals(plan(profile, builtins).sizes.at(-1), { height: 4, width: 4 });
  const { pixels } = data.train.images, colour = (i: number) => [0, 1, 2].map((c) => pixels[(3 * i + c) * 1024]);
  // An opaque pixel of the colour that stands for transparent ones is changed by a level.
  assertEquals([2, 3, 4, 5].map(colour), [[200, 10, 0], [255, 0, 255], [255, 0, 255], [255, 0, 254]]);
});

Deno.test("spriteSize: small pictures keep their pixels in a size that the pyramid can halve", () => {
  const size = (...sides: number[][]) => spriteSize(sides.map(([width, height]) => ({ width, height })));
  assertEquals([[16, 16], [17, 9], [7, 7], [64, 3], [65, 20]].map((one) => size(one)), [16, 24, 16, 64, undefined]);
  const all = [size([20, 20], [32, 17], [24, 30], [90, 90]), size([90, 90], [20, 20]), size()];
  assertEquals(all, [32, undefined, undefined]);
});

Deno.test("ownData: too few pictures, in all or in a folder, are refused in one sentence", () => {
  const one = plain([0, 0, 0, 255]);
  assertThrows(() => ownData([one], 32), RangeError, "Cannot use 1 picture: expected 5 to 5000");
  assertThrows(() => ownData(times(5001, one), 32), RangeError, "Cannot use 5001 pictures: expected 5 to 5000");
  const pictures = [...times(6, plain([0, 0, 0, 255], "a")), plain([0, 0, 0, 255], "b")];
  assertThrows(() => ownData(pictures, 32), RangeError, "Cannot use the folder b: expected at least 2 pictures, got 1");
});

Deno.test("sideFor: photographs begin at 64x64, small pictures and many at 32x32", () => {
  const photographs = Array.from({ length: 9 }, () => ({ width: 320, height: 250 }));
  assertEquals(sideFor(photographs, 10), 64);
  assertEquals(sideFor([...photographs, { width: 40, height: 40 }], 10), 64);
  assertEquals(sideFor(photographs, 1000), 32);
  assertEquals(sideFor([{ width: 100, height: 84 }], 10), 32);
  assertEquals(sideFor([], 0), 32);
});
