/** The page's `run.json`: how a request's images were made, under the names that `synth` writes. */
import type { Plan } from "../../../core/plan.ts";
import { describeImage, describePlan } from "../../../pipelines/synthesis/run_record.ts";
import type { SynthesisRequest } from "../../../pipelines/synthesis/request.ts";
import type { OpenedPack, PictureResult } from "../worker/protocol.ts";

/** Describes a request: the content of `run.json`. `results` are all of its images; `link` opens the page with the same choices. */
export function describeRun(
  pack: OpenedPack,
  plan: Plan,
  request: SynthesisRequest,
  results: readonly PictureResult[],
  link: string,
): object {
  const { seedImages } = request, length = (seedImages?.length ?? 0) / request.images.length;
  return {
    ...describePlan(plan),
    seed: request.seed,
    data: { name: plan.profile.dataset, origin: pack.origin, pack: pack.fingerprint },
    kernels: { sha256: pack.kernels },
    link,
    from: seedImages ? undefined : plan.noise ? "noise" : "quilt",
    images: results.map((picture, i) => ({
      ...describeImage(picture),
      seedImage: seedImages && [...seedImages.subarray(i * length, (i + 1) * length)],
    })),
  };
}
