import { assert, assertEquals, assertThrows } from "@std/assert";
import { lengthOf } from "../../../../core/shape.ts";
import { plan } from "../../../../core/plan.ts";
import { proceduralFaces } from "../../../../datasets/procedural/faces.ts";
import { resized } from "../../../../datasets/resize.ts";
import { readPack, writePack } from "../../../../datasets/formats/pack.ts";
import { MIXED } from "../../../../hosts/web/state/mixed_faces.ts";
import { ownData, type OwnPicture } from "../../../../hosts/web/state/own_data.ts";
import { imagesPack } from "../../../../hosts/web/worker/images_pack.ts";
import { openSynthesizer } from "../../../../pipelines/synthesis/synthesizer.ts";
import { builtins } from "../../../../plugins/mod.ts";
import { newKernels } from "../../../datasets/formats/packs.ts";

const SIDE = 64, AREA = SIDE * SIDE;

/** Drawn faces as a visitor's pictures. */
function facesOf(count: number, channels: 1 | 3): OwnPicture[] {
  const { pixels } = resized(proceduralFaces("train", count, channels), { height: SIDE, width: SIDE });
  return Array.from({ length: count }, (_, i) => ({
    rgba: Uint8ClampedArray.from({ length: 4 * AREA }, (_, at) => {
      const channel = Math.min(at % 4, channels - 1);
      return at % 4 === 3 ? 255 : pixels[(i * channels + channel) * AREA + (at >> 2)];
    }),
  }));
}

Deno.test("imagesPack: few faces in colour become mixtures of four each, which are made once", () => {
  const pictures = facesOf(8, 3), { data, mixed } = ownData(pictures, SIDE, true);
  const pack = readPack(writePack(imagesPack(newKernels(), mixed!.profile, mixed!.data)));
  assert(pack.origin.startsWith(`8 faces of your own, aligned by their eyes, ${MIXED}`), pack.origin);
  const { images } = pack.train, length = lengthOf(images);
  assertEquals([images.height, images.width, images.channels, plan(pack.profile, builtins).morph], [SIDE, SIDE, 3, 0]);
  assertEquals(openSynthesizer(newKernels(), pack, builtins).pack.train.images.count, images.count);
  // None is one of the photographs.
  for (let i = 0; i < images.count; i++) {
    const own = images.pixels.subarray(i * length, (i + 1) * length);
    for (let j = 0; j < data.train.images.count; j++) {
      const other = data.train.images.pixels.subarray(j * length, (j + 1) * length);
      const off = own.reduce((sum, value, v) => sum + Math.abs(value - other[v]), 0) / length;
      assert(off > 3, `mixture ${i} differs by ${off} levels from photograph ${j}`);
    }
  }
});

Deno.test("imagesPack: faces that cannot be mixed are refused, and those in grey, small or many are not mixed", () => {
  const noise = facesOf(5, 3).map((picture, i) => ({
    rgba: picture.rgba.map((_, at) => at % 4 === 3 ? 255 : (at * (7919 + 104 * i)) % 251),
  }));
  const { mixed } = ownData(noise, SIDE, true);
  assertThrows(() => imagesPack(newKernels(), mixed!.profile, mixed!.data), Error, "morphed");
  assertEquals(ownData(facesOf(6, 1), SIDE, true).mixed, undefined);
  const [face] = facesOf(1, 3);
  assertEquals(ownData(Array<OwnPicture>(60).fill(face), SIDE, true).mixed, undefined);
  assertEquals(ownData(Array<OwnPicture>(6).fill(face), SIDE).mixed, undefined, "these are no faces");
});
