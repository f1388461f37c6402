/** Learns what images from noise are held against, once for all tasks of a job, and keeps it for later runs. */
import { borrowingSteps } from "../../../core/kernels.ts";
import { choiceGroup } from "./choose.ts";
import type { Job, JobGroup, OpenJob } from "../job.ts";
import { choiceKey } from "./choice.ts";
import { decodeLearned, encodeLearned, type LearnedFrom, learnedNoise } from "./learned.ts";
import type { Program } from "../runner.ts";

/** Learns from training images in the memory that threads share: a task. Its result are the bytes of what was learned. */
export const learningProgram: Program<undefined, LearnedFrom, Uint8Array> = {
  name: "noise-limits",
  prepare({ kernels }) {
    return (from) =>
      borrowingSteps(kernels, function* () {
        return encodeLearned(kernels, yield* learnedNoise(kernels, from));
      });
  },
};

/** Gives the groups of a job whose images from noise are chosen what these are held against; undefined if it was stopped. */
export async function learnNoise({ job, runner, kernels }: OpenJob): Promise<Job | undefined> {
  const open = job.groups.map((group) => group.learned ? undefined : learnedFrom(job, group));
  if (open.every((from) => !from)) return job;
  const keys = job.groups.map((group, g) => open[g] && choiceKey(kernels, choiceGroup(job.plan, group)!));
  const learned = await Promise.all(keys.map((key) => key && runner.cache?.read(learningProgram.name, key)));
  const missing = [...open.keys()].filter((g) => open[g] && !learned[g]);
  const work = { setUp: undefined, tasks: missing.map((g) => open[g]!), kernels };
  let done = 0;
  for await (const event of missing.length > 0 ? runner.run(learningProgram, work) : []) {
    if (event.type !== "result") continue;
    const group = missing[event.task];
    learned[group] = event.result;
    if (!runner.isolated) await runner.cache?.write(learningProgram.name, keys[group]!, event.result);
    done++;
  }
  if (done < missing.length) return undefined;
  const filled = job.groups.map((group, g): JobGroup => {
    return learned[g] ? { ...group, learned: decodeLearned(kernels, learned[g]) } : group;
  });
  return { ...job, groups: filled };
}

/** What is learned of a group; undefined where its images do not come from noise, or where nothing was chosen of them. */
function learnedFrom(
  { plan: { noise, regions = [] } }: Job,
  { training, noise: limits }: JobGroup,
): LearnedFrom | undefined {
  if (!noise || !limits) return undefined;
  const { minLikelihood, likelyIn } = noise;
  return { training: training.hr[noise.layer], limits, noise: { minLikelihood, likelyIn }, regions };
}
