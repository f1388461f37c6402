/** `run.json` of the page: all that made a picture, with the names that `synth` writes. */
import type { Plan } from "../../core/plan.ts";
import { describeImage, describePlan } from "../../pipelines/synthesis/run_record.ts";
import type { SynthesisRequest } from "../../pipelines/synthesis/request.ts";
import type { MadePicture, Opened } from "./protocol.ts";

/** What a request led to, as the content of `run.json`. `link` leads to the same page again. */
export function describeRun(
  pack: Opened,
  plan: Plan,
  synthesisRequest: SynthesisRequest,
  made: readonly MadePicture[],
  link: string,
): object {
  const length = synthesisRequest.seedImages!.length / synthesisRequest.images.length;
  return {
    ...describePlan(plan),
    seed: synthesisRequest.seed,
    data: { name: plan.profile.dataset, origin: pack.origin, pack: pack.fingerprint },
    kernels: { sha256: pack.kernels },
    link,
    images: made.map((picture, i) => ({
      ...describeImage(picture),
      seedImage: [...synthesisRequest.seedImages!.subarray(i * length, (i + 1) * length)],
    })),
  };
}
