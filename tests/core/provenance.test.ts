import { finish } from "../../core/steps.ts";
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { definePlugin } from "../../core/plugin.ts";
import { contributors, pixelSources, type Provenance, rebuild } from "../../core/provenance.ts";
import { synthesize } from "../../core/synthesize.ts";
import type { FittedPrior } from "../../core/types.ts";
import { squareOf } from "../../core/shape.ts";
import { plan } from "../../core/plan.ts";
import type { Profile } from "../../core/profile.ts";
import { fitModel } from "../../core/model.ts";
import { pyramidSizes, trainingPyramid } from "../../core/pyramid.ts";
import { builtins } from "../../plugins/mod.ts";
import { localNn } from "../../priors/local_nn.ts";
import { wasm } from "../kernels_under_test.ts";
import { patchAt } from "../plain_synthesis.ts";
import { blobs, colouredBlobs, small, smallColour, smallModel, smallSeeds, toEnd } from "../small_world.ts";

const SIZE = 16, NUMBERS = [0, 1, 2];
/** Smaller than the profile's images: what lies in the padding is copied too. */
const training = blobs(24, 14);

/** Synthesizes from the training images with some of the profile changed. */
function run(changes: { profile?: typeof small; plugins?: typeof builtins } = {}) {
  const model = smallModel(wasm, { images: training, ...changes });
  return toEnd(synthesize(model, { seed: 3, images: NUMBERS, seedImages: smallSeeds(model, NUMBERS) }));
}
const result = run();
const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

Deno.test("pixelSources: weights sum to 1, one for each patch that covers the pixel, at the pixel's own place in it", () => {
  for (const provenance of result.provenance) {
    const { positions, patch, sources } = provenance;
    for (let p = 0; p < SIZE * SIZE; p++) {
      const y = Math.floor(p / SIZE), x = p % SIZE, found = pixelSources(provenance, y, x);
      assertAlmostEquals(sum(found.map(({ weight }) => weight)), 1, 1e-12);
      const covering = positions.flatMap((place, i) => {
        const dy = y - place.y, dx = x - place.x, covers = Math.min(dy, dx) >= 0 && Math.max(dy, dx) < patch;
        return covers ? [[sources[3 * i], sources[3 * i + 1] + dy, sources[3 * i + 2] + dx]] : [];
      });
      assertEquals(found.map(({ image, y, x }) => [image, y, x]), covering);
    }
  }
});

Deno.test("contributors: shares sum to 1, the largest first, and are the sums of the pixels' weights", () => {
  for (const { plain: _, ...provenance } of result.provenance) {
    const found = contributors(provenance), wanted = new Map<number, number>();
    for (let p = 0; p < SIZE * SIZE; p++) {
      for (const { image, weight } of pixelSources(provenance, Math.floor(p / SIZE), p % SIZE)) {
        wanted.set(image, (wanted.get(image) ?? 0) + weight / (SIZE * SIZE));
      }
    }
    assertAlmostEquals(sum(found.map(({ share }) => share)), 1, 1e-12);
    assertEquals(found.length, wanted.size);
    found.forEach(({ image, share }, i) => {
      assertAlmostEquals(share, wanted.get(image)!, 1e-12);
      assert(i === 0 || share <= found[i - 1].share);
    });
  }
});

Deno.test("contributors: windows of one colour count for no image, unless all windows are of one", () => {
  // Where images are black, their windows are equal: each of them could be named.
  const pixels = training.pixels.map((value) => value < 100 ? 0 : value), dark = { ...training, pixels };
  const model = smallModel(wasm, { images: dark });
  const { provenance } = toEnd(synthesize(model, { seed: 3, images: NUMBERS, seedImages: smallSeeds(model, NUMBERS) }));
  const { hr: [rows] } = model.training, stored = wasm.u8(rows.at, rows.count * rows.height * rows.width);
  let black = 0;
  for (const one of provenance) {
    const { positions, patch, sources } = one, area = rows.height * rows.width;
    const areFlat = positions.map((_, i) => {
      const [image, top, left] = sources.subarray(3 * i, 3 * i + 3), values = new Set<number>();
      for (let y = top; y < top + patch; y++) {
        for (let x = left; x < left + patch; x++) values.add(stored[image * area + y * rows.width + x]);
      }
      return values.size === 1;
    });
    assertEquals([...one.plain!], areFlat.map(Number));
    black += areFlat.filter(Boolean).length;
    const named = new Set(contributors(one).map(({ image }) => image));
    assertEquals(named, new Set(positions.flatMap((_, i) => areFlat[i] ? [] : [sources[3 * i]])));
    assertAlmostEquals(sum(contributors(one).map(({ share }) => share)), 1, 1e-12);
    const { plain: _, ...all } = one, every = { ...all, plain: new Uint8Array(positions.length).fill(1) };
    assertEquals(contributors(every), contributors(all));
  }
  assert(black > 0, "no window is of one colour: this would be no test");
});

Deno.test("rebuild: with the correction it is the result before rounding", () => {
  result.provenance.forEach((provenance, b) => {
    const rebuilt = rebuild(provenance, training), last = result.steps.at(-1)!.images;
    let corrected = 0;
    for (let p = 0; p < SIZE * SIZE; p++) {
      const at = b * SIZE * SIZE + p, pixel = rebuilt[p] + provenance.correction[p];
      assertAlmostEquals(pixel, Math.min(Math.max(last[at], 0), 1), 1e-4);
      assert(Math.abs(result.pixels[at] - 255 * pixel) < 0.5 + 255 * 1e-4);
      corrected = Math.max(corrected, Math.abs(provenance.correction[p]));
    }
    assert(corrected > 0.01, "lambda and u correct nothing: this would be a test of the average alone");
  });
});

Deno.test("rebuild: images in colour, of another size than their training images", () => {
  const profile: Profile = { ...smallColour, prior: "spatially-invariant", contexts: ["square"], size: [16, 32] };
  const images = colouredBlobs(3, { height: 20, width: 24 }), planned = plan(profile, builtins);
  const training = finish(trainingPyramid(wasm, images, pyramidSizes(images, 2)));
  const model = finish(fitModel(wasm, planned, training, NUMBERS.length)), length = 3 * 16 * 32;
  const seeds = smallSeeds(model, NUMBERS);
  const { steps, provenance } = toEnd(synthesize(model, { seed: 3, images: NUMBERS, seedImages: seeds }));
  provenance.forEach((one, b) => {
    rebuild(one, images).forEach((value, p) => {
      const last = Math.min(Math.max(steps.at(-1)!.images[b * length + p], 0), 1);
      assertAlmostEquals(value + one.correction[p], last, 1e-4);
    });
    assertAlmostEquals(sum(contributors(one).map(({ share }) => share)), 1, 1e-12);
  });
});

Deno.test("rebuild: one iteration with lambda 0 needs no correction: every pixel is explained by its sources", () => {
  const fine = { overlap: 1, iterations: 1, window: 2, h: [1], lambda: [0], rho: [1], offsets: [[2, 1]] as const };
  const { provenance } = run({ profile: { ...small, layers: [fine, small.layers[1]] } });
  for (const { correction } of provenance) for (const value of correction) assertAlmostEquals(value, 0, 1e-6);
});

/** `local-nn`, watched: what it drew, by location, in the last iteration of the finest layer. */
function watched() {
  const drawn = new Map<string, Float32Array>();
  const plugin = definePlugin({
    ...localNn,
    name: "watched",
    create: (values) => ({
      fit(layer) {
        const inner = finish(localNn.create(values).fit(layer));
        const draw: FittedPrior["draw"] = (at, measurements, step, random, out) => {
          inner.draw(at, measurements, step, random, out);
          if (layer.layer === 0 && step.iteration === 3) drawn.set(`${at.y} ${at.x}`, out.patches.slice());
        };
        return { draw };
      },
    }),
  });
  return { drawn, plugin };
}

Deno.test("provenance: a source names the very bytes that were drawn, for each image of the batch", () => {
  const { drawn, plugin } = watched();
  const { provenance } = run({ profile: { ...small, prior: "watched" }, plugins: builtins.with(plugin) });
  provenance.forEach(({ positions, patch, sources }, b) => {
    assertEquals(positions.length, drawn.size);
    positions.forEach(({ y, x }, i) => {
      const [image, row, column] = sources.subarray(3 * i, 3 * i + 3);
      const padded = Array.from({ length: SIZE * SIZE }, (_, p) => {
        const y = Math.floor(p / SIZE) - 1, x = p % SIZE - 1;
        return y >= 0 && y < 14 && x >= 0 && x < 14 ? training.pixels[(image * 14 + y) * 14 + x] : 0;
      });
      const patches = drawn.get(`${y} ${x}`)!.subarray(b * patch * patch, (b + 1) * patch * patch);
      assertEquals([...patches], patchAt(padded, SIZE, patch, row, column).map((byte) => Math.fround(byte / 255)));
    });
  });
});

Deno.test("provenance: a patch that is no copy has image -1, and no part in what is rebuilt", () => {
  const made = definePlugin({
    api: 1,
    kind: "prior",
    name: "made",
    about: "",
    options: {},
    create: () => ({ fit: () => ({ draw: (_at, _now, _step, _random, out) => void out.patches.fill(0.5) }) }),
  });
  const { provenance } = run({ profile: { ...small, prior: "made" }, plugins: builtins.with(made) });
  for (const image of provenance) {
    assertEquals(contributors(image).map(({ image }) => image), [-1]);
    assertEquals(rebuild(image, training), new Float32Array(SIZE * SIZE));
  }
});

Deno.test("contributors: equal shares stand in the order of the training images", () => {
  const sources = Int32Array.of(7, 0, 0, 3, 0, 2, 7, 2, 0, 3, 2, 2);
  const positions = [0, 2].flatMap((y) => [0, 2].map((x) => ({ y, x })));
  const provenance: Provenance = {
    ...squareOf(4),
    channels: 1,
    training: squareOf(4),
    patch: 2,
    positions,
    sources,
    correction: new Float32Array(16),
  };
  assertEquals(contributors(provenance), [{ image: 3, share: 0.5 }, { image: 7, share: 0.5 }]);
});

Deno.test("pixelSources, contributors: with merge weights the parts and the correction still make the image", () => {
  const layers = small.layers.map((layer) => ({ ...layer, feather: 2 }));
  const feathered = run({ profile: { ...small, layers } }), { provenance: [first] } = feathered;
  assert(first.weights!.length === small.patch ** 2 && new Set(first.weights).size > 2);
  assert(feathered.pixels.join() !== result.pixels.join());
  feathered.provenance.forEach((provenance, b) => {
    const merged = rebuild(provenance, training), shares = new Map<number, number>();
    for (let p = 0; p < SIZE * SIZE; p++) {
      const found = pixelSources(provenance, Math.floor(p / SIZE), p % SIZE);
      assertAlmostEquals(sum(found.map(({ weight }) => weight)), 1, 1e-12);
      for (const { image, weight } of found) shares.set(image, (shares.get(image) ?? 0) + weight / (SIZE * SIZE));
      const whole = Math.min(Math.max(merged[p] + provenance.correction[p], 0), 1);
      assert(Math.abs(255 * whole - feathered.pixels[b * SIZE * SIZE + p]) < 0.501, `pixel ${p} of image ${b}`);
    }
    for (const { image, share } of contributors({ ...provenance, plain: undefined })) {
      assertAlmostEquals(share, shares.get(image)!, 1e-12);
    }
  });
});
