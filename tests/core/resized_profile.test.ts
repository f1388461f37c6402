import { assertEquals } from "@std/assert";
import { plan } from "../../core/plan.ts";
import type { Profile } from "../../core/profile.ts";
import { resizedProfile } from "../../core/resized_profile.ts";
import { digits, faces, facesPaper, facesRelit, sprites, texture } from "../../datasets/profiles/mod.ts";
import { builtins } from "../../plugins/mod.ts";

/** The widths of the pyramid, the patches of the layers and the least originalities, of the profile for that size. */
function resized(profile: Profile, width: number, height = width) {
  const { sizes, layers } = plan(resizedProfile(profile, { height, width }), builtins);
  return {
    sizes: sizes.map(({ height, width }) => height === width ? width : `${width}x${height}`),
    patches: layers.map(({ patch }) => patch),
    least: layers.map(({ minOriginality }) => minOriginality),
  };
}

Deno.test("resizedProfile: smaller images have fewer layers, so that no patch becomes the whole image", () => {
  assertEquals(resized(facesRelit, 64), { sizes: [64, 32, 16, 8], patches: [8, 8, 16], least: [0.8, 0.95, 0] });
  assertEquals(resized(facesPaper, 64).sizes, [64, 32, 16, 8]);
  assertEquals(resized(digits, 16).sizes.at(-1), plan(digits, builtins).sizes.at(-1)!.width);
});

Deno.test("resizedProfile: larger images repeat the finest layer; only finished ones are compared", () => {
  const { sizes, least } = resized(facesRelit, 256);
  assertEquals([sizes, least], [[256, 128, 64, 32, 16, 8], [0.8, 0, 0, 0.95, 0]]);
});

Deno.test("resizedProfile: finished images keep the most structure of the profile's, whatever its layers", () => {
  const [finest, ...others] = facesRelit.layers;
  const limited = { ...facesRelit, layers: [{ ...finest, maxStructure: 0.6 }, ...others] };
  const most = (width: number) => {
    const { layers } = plan(resizedProfile(limited, { height: width, width }), builtins);
    return layers.map(({ maxStructure }) => maxStructure);
  };
  assertEquals(most(64), [0.6, 1, 1]);
  assertEquals(most(256), [0.6, 1, 1, 1, 1]);
});

Deno.test("resizedProfile: any size is rounded up to what halves; a patch that is the whole image stays that", () => {
  const { sizes, patches } = resized(facesRelit, 92, 112);
  assertEquals(sizes[0], "96x112");
  assertEquals([sizes.at(-2), patches.at(-1)], ["12x14", 12]);
  assertEquals(resized(digits, 28).sizes[0], 32);
  assertEquals(resized(facesRelit, 128), resized(facesRelit, 128, 128));
});

Deno.test("resizedProfile: the profile's own size changes nothing but its notation", () => {
  assertEquals(resizedProfile(facesRelit, { height: 128, width: 128 }), { ...facesRelit, size: [128, 128] });
});

Deno.test("resizedProfile: exemplars and pixel art keep their layers", () => {
  assertEquals(resized({ ...texture, quiltLayer: 2 }, 61, 37).sizes, ["64x40", "32x20", "16x10"]);
  assertEquals(resized(texture, 61, 37).sizes, ["64x40"]);
  assertEquals(resized(sprites, 64).sizes, [64, 32, 16, 8]);
  assertEquals(resized(sprites, 17).sizes, [24, 12, 6, 3]);
});

Deno.test("resizedProfile: images from noise stay as large, and the layers above follow the size", () => {
  const sizes = [256, 128, 64, 32, 16].map((width) => resized(faces, width).sizes);
  assertEquals(sizes, [[256, 128, 64, 32], [128, 64, 32], [64, 32], [32], [16]]);
});
