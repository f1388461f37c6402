import { finish } from "../../../../core/steps.ts";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { encode } from "fast-png";
import jpeg from "jpeg-js";
import { exemplarPack } from "../../../../hosts/web/worker/exemplar_pack.ts";
import { readPack, writePack } from "../../../../datasets/formats/pack.ts";
import { openSynthesizer } from "../../../../pipelines/synthesis/synthesizer.ts";
import { builtins } from "../../../../plugins/mod.ts";
import { newKernels } from "../../../datasets/formats/packs.ts";

/** Checks of 8 pixels, of two colours or grey levels. */
function checks(width: number, height: number, grey = false): Uint8Array {
  const colours = grey ? [[20, 20, 20], [230, 230, 230]] : [[20, 60, 100], [230, 170, 110]];
  return Uint8Array.from({ length: 3 * width * height }, (_, i) => {
    const p = Math.floor(i / 3), on = ((p % width >> 3) + (Math.floor(p / width) >> 3)) % 2;
    return colours[on][i % 3];
  });
}
const png = (width: number, height: number, grey = false) => {
  return encode({ width, height, channels: 3, data: checks(width, height, grey) }) as Uint8Array<ArrayBuffer>;
};

Deno.test("exemplarPack: a pack without seed images, which its file holds", () => {
  const pack = exemplarPack(newKernels(), png(50, 43), "checks.png");
  assertEquals(pack.origin, "your picture checks.png, 50x43 pixels");
  const { profile, train, seeds } = readPack(writePack(pack));
  assertEquals([profile.name, profile.size, profile.channels, profile.aligned], ["texture", [192, 192], 3, false]);
  assertEquals([train.images.count, train.images.height, train.images.width, seeds.count], [1, 43, 50, 0]);
  assertEquals([...train.images.pixels.subarray(0, 9)], [20, 20, 20, 20, 20, 20, 20, 20, 230]);
});

Deno.test("exemplarPack: grey pictures are grey, and pixels that a browser decoded are taken", () => {
  assertEquals(exemplarPack(newKernels(), png(40, 40, true), "grey").train.images.channels ?? 1, 1);
  const data = Uint8Array.from({ length: 4 * 40 * 40 }, (_, i) => i % 4 === 3 ? 255 : i % 251);
  assertEquals(exemplarPack(newKernels(), { width: 40, height: 40, data }, "rgba").profile.channels, 3);
});

Deno.test("exemplarPack: transparent places are cut off, and large pictures are scaled down", () => {
  const data = Uint8Array.from({ length: 4 * 48 * 32 }, (_, i) => i % 4 < 3 ? i % 256 : i / 4 % 48 < 20 ? 255 : 0);
  const { height, width } = exemplarPack(newKernels(), { width: 48, height: 32, data }, "half").train.images;
  assertEquals([width, height], [20, 32]);
  const large = exemplarPack(newKernels(), png(600, 400), "large.png");
  assertEquals([large.train.images.width, large.train.images.height], [314, 209]);
  assert(large.origin.endsWith("314x209 pixels, scaled down from 600x400"), large.origin);
  const kept = exemplarPack(newKernels(), png(384, 384), "kept.png");
  assertEquals([kept.train.images.width, kept.train.images.height], [384, 384]);
  const decoded = {
    width: 32,
    height: 24,
    data: data.subarray(0, 4 * 32 * 24).fill(255),
    original: { width: 4000, height: 3000 },
  };
  assert(exemplarPack(newKernels(), decoded, "a.jpg").origin.endsWith("32x24 pixels, scaled down from 4000x3000"));
});

Deno.test("exemplarPack: a JPEG is decoded, and damaged or small pictures are refused in one sentence", () => {
  const rgba = new Uint8Array(4 * 32 * 32).fill(200), { data } = jpeg.encode({ width: 32, height: 32, data: rgba }, 90);
  const bytes = Uint8Array.from(data);
  const { images } = exemplarPack(newKernels(), bytes, "a.jpg").train;
  assertEquals([images.width, images.pixels[0]], [32, 200]);
  assertThrows(() => exemplarPack(newKernels(), bytes.subarray(0, 300), "a.jpg"), Error, "Cannot use a.jpg, a damaged");
  assertThrows(() => exemplarPack(newKernels(), png(40, 40).subarray(0, 80), "a.png"), Error, "a.png is a damaged PNG");
  assertThrows(
    () => exemplarPack(newKernels(), png(15, 40), "a.png"),
    Error,
    "Cannot use a.png of 15x40 pixels: expected at least 16x16",
  );
  assertThrows(() => exemplarPack(newKernels(), new Uint8Array(), "a.jpg"), Error, "Cannot use a.jpg");
  const clear = { width: 20, height: 20, data: new Uint8Array(1600) };
  assertThrows(
    () => exemplarPack(newKernels(), clear, "clear.png"),
    Error,
    "Cannot use clear.png: expected at least one opaque pixel",
  );
});

Deno.test("exemplarPack: the size and the tiling of a request are those of its images", () => {
  const synthesizer = openSynthesizer(newKernels(), exemplarPack(newKernels(), png(32, 32, true), "grey"), builtins);
  // Images are quilted as a whole, or their seed images are. Both are made in the run.
  for (const quiltLayer of [0, 2]) {
    const set = ["size.0=32", "size.1=16", "tile=x", `quiltLayer=${quiltLayer}`];
    const { plan, images: [image] } = finish(synthesizer.synthesize({ seed: 1, images: [0], set }));
    assertEquals([plan.sizes[0], plan.tile, image.pixels.length], [{ width: 32, height: 16 }, "x", 512]);
    assertEquals(plan.layers.length, quiltLayer);
    assertEquals([image.nearest, image.seedNumber, image.seedImage], [undefined, undefined, undefined]);
  }
  assertThrows(() => synthesizer.synthesize({ seed: 1, images: [0], set: ["aligned=true"] }), Error);
});
