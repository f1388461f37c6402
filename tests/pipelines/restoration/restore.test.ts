import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import type { Images } from "../../../core/types.ts";
import { withChannels } from "../../../datasets/channels.ts";
import type { DataSet } from "../../../datasets/data_set.ts";
import { inlineRunner } from "../../inline_runner.ts";
import { baselineOf } from "../../../pipelines/restoration/baselines.ts";
import { type Degradation, degradeImages, maskOf } from "../../../pipelines/restoration/degradation.ts";
import { restorationProfile } from "../../../pipelines/restoration/restoration_profile.ts";
import { restorationGroups, restore } from "../../../pipelines/restoration/restore.ts";
import { compareWithTruth } from "../../../pipelines/restoration/restored_image.ts";
import { builtins } from "../../../plugins/mod.ts";
import { blobs, colouredBlobs, small, smallColour } from "../../small_world.ts";

const module = await WebAssembly.compile(
  await Deno.readFile(new URL("../../../assembly/kernels.wasm", import.meta.url)),
);

function data(labels?: Uint8Array): DataSet {
  const train = { images: blobs(), labels };
  return { name: "blobs", origin: "", files: [], train, test: { images: blobs(4, 16, 2) } };
}

Deno.test("restorationGroups: by class where classes are known and count, together otherwise", () => {
  const classwise = plan({ ...small, classwise: true }, builtins), whole = plan(small, builtins);
  const labels = Uint8Array.from({ length: 24 }, (_, i) => i % 3),
    image = { index: 0, observed: new Float32Array(256) };
  const degraded = [2, 0, 2].map((label) => ({ ...image, label })), all = [{ images: [0, 1, 2] }];
  assertEquals(restorationGroups(degraded, classwise, data(labels), false), [
    { label: 0, images: [1] },
    { label: 2, images: [0, 2] },
  ]);
  assertEquals(restorationGroups(degraded, classwise, data(labels), true), all);
  assertEquals(restorationGroups(degraded, whole, data(labels), false), all);
  assertEquals(restorationGroups(degraded, classwise, data(), false), all);
  assertEquals(restorationGroups([image], classwise, data(labels), false), [{ images: [0] }]);
  const unknown = () => restorationGroups([{ ...image, label: 3 }], classwise, data(labels), false);
  assertThrows(unknown, Error, "Cannot restore images of class 3, which has no training images");
});

/** Restores two blobs behind a mask, several times each. */
async function inpainted(samples: number, signal?: AbortSignal) {
  const runner = inlineRunner({ module, pause: () => Promise.resolve(), now: () => 0, signal });
  const { kernels } = await runner.kernels(), set = data(), degradation = { task: "inpaint", mask: "half" } as const;
  const planned = plan(restorationProfile(small, degradation), builtins), [full] = planned.sizes;
  const chosen = [{ index: 0 }, { index: 3 }], settings = { seed: 1, isDegraded: false, path: "blobs" };
  const degraded = degradeImages(kernels, set.test.images, chosen, planned, degradation, settings);
  const groups = restorationGroups(degraded, planned, set, false), known = maskOf("half", full);
  const request = { plan: planned, degradation, data: set, degraded, known, groups, samples, seed: 1 };
  const restored = await restore(runner, kernels, request);
  return { request, restored, baseline: baselineOf(kernels, request), full };
}

Deno.test("restore: known pixels stay, samples differ and do not depend on their number; the truth is compared with", async () => {
  const { request: { degraded, known }, restored, baseline, full } = await inpainted(3), one = await inpainted(1);
  assert(restored && one.restored);
  assertEquals(restored.map((samples) => samples[0]), one.restored.map(([sample]) => sample));
  restored.forEach((samples, n) => {
    assertEquals(new Set(samples.map(String)).size, 3);
    for (const sample of samples) {
      sample.forEach((grey, p) => known[p] > 0 && assertEquals(grey, degraded[n].truth![p]));
    }
  });
  const images = compareWithTruth(degraded, restored, baseline.images, full);
  assertEquals(baseline.name, "mean-fill");
  for (const { fidelity, deviation } of images) {
    assert(fidelity!.mean.psnr > 0 && fidelity!.mean.ssim <= 1 && deviation.some((value) => value > 0));
  }
});

Deno.test("restore: throws if it is stopped", async () => {
  await assertRejects(() => inpainted(1, AbortSignal.abort()), Error, "Stopped before all images were restored");
});

/** Restores one test image of a profile. */
async function restoredOne(profile: typeof small, train: Images, test: Images, degradation: Degradation) {
  const runner = inlineRunner({ module, pause: () => Promise.resolve(), now: () => 0 });
  const { kernels } = await runner.kernels(), planned = plan(restorationProfile(profile, degradation), builtins);
  const set: DataSet = { name: "blobs", origin: "", files: [], train: { images: train }, test: { images: test } };
  const settings = { seed: 1, isDegraded: false, path: "blobs" };
  const degraded = degradeImages(kernels, test, [{ index: 0 }], planned, degradation, settings);
  const known = maskOf("half", planned.sizes[0]), groups = restorationGroups(degraded, planned, set, false);
  const request = { plan: planned, degradation, data: set, degraded, known, groups, samples: 1, seed: 1 };
  const [[sample]] = await restore(runner, kernels, request);
  return { sample, degraded, known, baseline: baselineOf(kernels, request).images[0] };
}

Deno.test("restore: a grey image given as three equal channels is restored as the grey one is", async () => {
  const train = blobs(), test = blobs(1, 16, 2), profile = { ...small, zStep: "map" } as const;
  const degradation = { task: "superres", factor: 2 } as const;
  const grey = await restoredOne(profile, train, test, degradation);
  const coloured = { ...profile, channels: 3 } as const;
  const colour = await restoredOne(coloured, withChannels(train, 3), withChannels(test, 3), degradation);
  const three = (pixels: Uint8Array) => withChannels({ ...test, pixels }, 3).pixels;
  assertEquals([colour.sample, colour.baseline], [three(grey.sample), three(grey.baseline)]);
});

Deno.test("restore: images in colour that are not square, behind a mask and with noise", async () => {
  const train = colouredBlobs(), test = colouredBlobs(1, train, 2);
  const inpainted = await restoredOne(smallColour, train, test, { task: "inpaint", mask: "half" });
  const { sample, degraded: [{ truth }], known } = inpainted;
  assertEquals([sample.length, inpainted.baseline.length], [truth!.length, 3 * known.length]);
  sample.forEach((value, i) => known[i % known.length] > 0 && assertEquals(value, truth![i]));
  const denoised = await restoredOne(smallColour, train, test, { task: "denoise", noise: 0.5 });
  const error = (image: ArrayLike<number>, scale: number) => {
    return denoised.degraded[0].truth!.reduce((sum, value, i) => sum + (scale * image[i] - value) ** 2, 0);
  };
  assert(error(denoised.sample, 1) < error(denoised.degraded[0].observed, 255), "the noise is less");
});
