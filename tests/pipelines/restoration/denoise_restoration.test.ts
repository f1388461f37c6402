import { assert, assertAlmostEquals, assertEquals, assertRejects } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import type { Profile } from "../../../core/profile.ts";
import { areaOf } from "../../../core/shape.ts";
import type { Images } from "../../../core/types.ts";
import { baselineOf } from "../../../pipelines/restoration/baselines.ts";
import { type Degradation, degradeImages, maskOf } from "../../../pipelines/restoration/degradation.ts";
import { restoreByDenoiser } from "../../../pipelines/restoration/denoise_restoration.ts";
import { psnr } from "../../../pipelines/restoration/fidelity.ts";
import { restorationProfile } from "../../../pipelines/restoration/restoration_profile.ts";
import { restorationGroups } from "../../../pipelines/restoration/restore.ts";
import { builtins } from "../../../plugins/mod.ts";
import { inlineRunner } from "../../inline_runner.ts";
import { blobs, colouredBlobs, small, smallColour } from "../../small_world.ts";

const module = await WebAssembly.compile(
  await Deno.readFile(new URL("../../../assembly/kernels.wasm", import.meta.url)),
);

/** Restores the first images of a set from training images. */
async function restored(
  { profile = small, train = blobs(), test = blobs(2, 16, 2), denoiser = "local-score", samples = 1, signal }: {
    profile?: Profile;
    train?: Images;
    test?: Images;
    denoiser?: string;
    samples?: number;
    signal?: AbortSignal;
  },
  degradation: Degradation,
) {
  const runner = inlineRunner({ module, pause: () => Promise.resolve(), now: () => 0, signal });
  const { kernels } = await runner.kernels(), planned = plan(restorationProfile(profile, degradation), builtins);
  const data = { name: "blobs", origin: "", files: [], train: { images: train }, test: { images: test } };
  const chosen = Array.from({ length: test.count }, (_, index) => ({ index }));
  const settings = { seed: 1, isDegraded: false, path: "blobs" };
  const degraded = degradeImages(kernels, test, chosen, planned, degradation, settings);
  const known = degradation.task === "inpaint"
    ? maskOf(degradation.mask!, planned.sizes[0])
    : new Float32Array(areaOf(planned.sizes[0])).fill(1);
  const groups = restorationGroups(degraded, planned, data, false);
  const request = { plan: planned, degradation, data, degraded, known, groups, samples, seed: 1 };
  const plugin = builtins.find("denoiser", denoiser);
  const images = await restoreByDenoiser(runner, kernels, { ...request, denoiser: plugin });
  return { images, degraded, known, baseline: baselineOf(kernels, request).images };
}

// E[x_0 | x_t] of one training image is that image, whatever x_t is: a closed form.
for (const denoiser of ["local-score", "wiener"]) {
  for (
    const [profile, train, test] of [
      [small, blobs(1), blobs(1, 16, 2)],
      [smallColour, colouredBlobs(1), colouredBlobs(1, undefined, 2)],
    ] as const
  ) {
    Deno.test(`restoreByDenoiser, ${denoiser}: of one training image the estimate is that image, but for what was observed: ${profile.name}`, async () => {
      const given = { profile, train, test, denoiser };
      const denoised = await restored(given, { task: "denoise", noise: 0.1 });
      assertEquals(denoised.images, [[train.pixels]]);
      const { images: [[filled]], known } = await restored(given, { task: "inpaint", mask: "quarter" });
      filled.forEach((value, i) => {
        assertEquals(value, (known[i % known.length] > 0 ? test : train).pixels[i]);
      });
      const [[enlarged]] = (await restored({ ...given, test: train }, { task: "superres", factor: 2 })).images;
      enlarged.forEach((value, i) => assertAlmostEquals(value, train.pixels[i], 1));
    });
  }
}

Deno.test("restoreByDenoiser, denoise: noise of other images than the training images is taken away", async () => {
  const { images, degraded } = await restored({}, { task: "denoise", noise: 0.2 });
  images.forEach(([image], n) => {
    const { truth, observed } = degraded[n];
    const [reached, was] = [psnr(image, truth!), psnr(observed.map((value) => value * 255), truth!)];
    assert(reached > was + 5, `${reached} against ${was}`);
  });
});

Deno.test("restoreByDenoiser, superres: H of the estimate is the LR image", async () => {
  const degradation = { task: "superres", factor: 2 } as const, size = { height: 16, width: 16 };
  const { images, degraded } = await restored({}, degradation);
  const pixels = Uint8Array.from(images.flatMap(([image]) => [...image]));
  const { degraded: again } = await restored({ test: { count: 2, ...size, pixels } }, degradation);
  again.forEach(({ observed }, n) => {
    const errors = observed.map((value, i) => Math.abs(value - degraded[n].observed[i]));
    assert(errors.reduce((sum, error) => sum + error) / errors.length < 1 / 255, "within a grey level on average");
  });
});

Deno.test("restoreByDenoiser: known pixels stay; samples differ and do not depend on their number", async () => {
  const degradation = { task: "inpaint", mask: "half" } as const;
  const { images, degraded, known } = await restored({ samples: 3 }, degradation);
  const two = await restored({ samples: 2 }, degradation);
  assertEquals(images.map((samples) => samples.slice(0, 2)), two.images);
  images.forEach((samples, n) => {
    assertEquals(new Set(samples.map(String)).size, 3);
    for (const sample of samples) {
      sample.forEach((grey, p) => known[p] > 0 && assertEquals(grey, degraded[n].truth![p]));
    }
  });
});

Deno.test("restoreByDenoiser: throws if it is stopped", async () => {
  const stopped = () => restored({ signal: AbortSignal.abort() }, { task: "inpaint", mask: "half" });
  await assertRejects(stopped, Error, "Stopped before all images were restored");
});
