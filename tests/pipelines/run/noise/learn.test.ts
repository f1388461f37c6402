/** What images from noise are held against: learned once, kept, and the same as where each task learns it. */
import { assert, assertEquals } from "@std/assert";
import { isNoiseChosen, plan } from "../../../../core/plan.ts";
import { trainingPyramid } from "../../../../core/pyramid.ts";
import { lengthOf } from "../../../../core/shape.ts";
import { finish } from "../../../../core/steps.ts";
import { denoRunner } from "../../../../hosts/deno/workers/deno_runner.ts";
import { chooseNoise } from "../../../../pipelines/run/noise/choose.ts";
import type { Job } from "../../../../pipelines/run/job.ts";
import { learnNoise } from "../../../../pipelines/run/noise/learn.ts";
import { decodeLearned, encodeLearned, learnedNoise } from "../../../../pipelines/run/noise/learned.ts";
import { run } from "../../../../pipelines/run/run.ts";
import { runHere } from "../../../../pipelines/run/run_task.ts";
import type { Cache } from "../../../../pipelines/run/runner.ts";
import { builtins } from "../../../../plugins/mod.ts";
import { blobs, small } from "../../../small_world.ts";

const LIKELY_IN = [{ name: "top", x: 0.25, y: 0.125, width: 0.5, height: 0.25 }];
const NOISE = {
  layer: 0,
  windows: [5, 5, 5, 5, 3, 3],
  minOriginality: 0.1,
  minTypicality: 0.1,
  minMutualInformation: 0.1,
  minLikelihood: 0.1,
  likelyIn: LIKELY_IN,
  steps: 6,
  tries: 2,
};

Deno.test("learnNoise: limits are learned once and kept, and images are the same as where each task learns them", async () => {
  const of = plan({ ...small, size: 16, from: "noise", regions: LIKELY_IN, noise: NOISE }, builtins);
  assert(isNoiseChosen(of.noise!));
  const kept = new Map<string, Uint8Array>();
  const cache: Cache = {
    read: (name) => Promise.resolve(kept.get(name)),
    write: (name, _, bytes) => Promise.resolve(void kept.set(name, bytes)),
  };
  for (const threads of [1, 2]) {
    using plain = denoRunner({ threads, quiet: true, folder: undefined });
    const runner = { ...plain, cache }, { kernels } = await runner.kernels();
    const training = finish(trainingPyramid(kernels, blobs(160, 16), of.sizes));
    const job: Job = { plan: of, seed: 1, batch: 2, groups: [{ training, numbers: [0, 1, 2, 3] }] };
    const images: Uint8Array[] = [];
    for await (const event of run(job, runner, kernels)) {
      if (event.type === "image") images[event.image.number] = event.image.pixels;
      if (event.type === "fitted") {
        assert(event.job.groups[0].learned?.halves && event.job.groups[0].learned.structures);
      }
    }
    const choosing = chooseNoise({ job, runner, kernels });
    let next = await choosing.next();
    while (!next.done) next = await choosing.next();
    const [{ noise }] = next.value!.groups;
    const learned = finish(learnedNoise(kernels, {
      training: training.hr[0],
      limits: noise!,
      noise: of.noise!,
      regions: LIKELY_IN,
    }));
    const bytes = encodeLearned(kernels, learned), decoded = decodeLearned(kernels, bytes);
    assertEquals(encodeLearned(kernels, decoded), bytes);
    assertEquals(kept.get("noise-limits"), bytes, `${threads} threads`);
    const rows = [learned, decoded].map(({ structures }) => kernels.u8(structures!.at, 160 * lengthOf(training.hr[0])));
    assertEquals(rows[0], rows[1]);
    assertEquals(decoded.likelihood?.areas[0].limit, learned.likelihood?.areas[0].limit);
    // Groups that bring their limits are not asked again.
    const again = await learnNoise({
      job: { ...next.value!, groups: [{ ...next.value!.groups[0], learned }] },
      runner,
      kernels,
    });
    assertEquals(again!.groups[0].learned, learned);
    const alone: Uint8Array[] = [];
    for (const event of runHere(kernels, job)) {
      if (event.type === "image") alone[event.image.number] = event.image.pixels;
    }
    assertEquals(images, alone);
  }
});
