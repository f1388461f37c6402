import { assert, assertEquals } from "@std/assert";
import type { Profile } from "../../../core/profile.ts";
import { registry } from "../../../core/registry.ts";
import { inlineRunner } from "../../inline_runner.ts";
import {
  comparedVariants,
  findingsOf,
  measureProfiles,
  seededImages,
} from "../../../pipelines/reproduction/comparison.ts";
import { openExperiment } from "../../../pipelines/reproduction/experiment.ts";
import { digits } from "../../../datasets/profiles/mod.ts";
import { builtins } from "../../../plugins/mod.ts";
import { compiled } from "../../kernels_under_test.ts";
import { blobs, small } from "../../small_world.ts";

Deno.test("comparedVariants: every prior with and without context, every context and z-step of the profile's own, each once", () => {
  const all = comparedVariants(digits, [], builtins),
    text = all.map(({ prior, contexts, zStep }) => `${prior} ${contexts} ${zStep}`);
  assertEquals(new Set(text).size, text.length);
  for (const { kind, name } of builtins.plugins) {
    if (kind === "prior") assert(text.includes(`${name} none sample`) && text.includes(`${name} square sample`), name);
    if (kind === "context") assert(text.includes(`local-nn ${name} sample`), name);
  }
  for (const more of ["square + horizontal sample", "square map", "square mean"]) {
    assert(text.includes(`local-nn ${more}`));
  }
  assertEquals(all[0].profile.prior, digits.prior, "the profile's own prior keeps its options");
  const some = comparedVariants(digits, ["gmm"], builtins);
  assertEquals(some.map(({ prior, contexts }) => [prior, contexts]), [["gmm", "square"], ["gmm", "none"]]);
});

Deno.test("findingsOf: what the paper expects, where both priors were compared", () => {
  const row = (prior: string, likelihood: number, sharpness: number, contexts = "none") => {
    return { prior, contexts, zStep: "sample" as const, scores: { likelihood, sharpness } };
  };
  const local = row("local-nn", -70, 0.9), invariant = row("spatially-invariant", -90, 1), gmm = row("gmm", -80, 0.95);
  assertEquals(findingsOf([local, row("gmm", 0, 0, "square")]), []);
  assertEquals(findingsOf([local, invariant, gmm]), [
    "Without context the spatially invariant prior has LL -90.00, the local one -70.00: as the paper expects.",
    "Without context the GMM prior has sharpness 0.950, the local one 0.900: not smoother, which the paper does not expect.",
  ]);
});

Deno.test("measureProfiles: progress goes by the work of each profile, which third-party plugins cannot tell", async () => {
  const images = blobs(30), data = { name: "blobs", origin: "blobs", files: [], train: { images }, test: { images } };
  const runner = inlineRunner({ module: compiled("kernels.wasm"), pause: () => Promise.resolve(), now: () => 0 });
  const experiment = await openExperiment(runner, small, data, 1), seeds = seededImages(experiment, 2, undefined);
  const fitted = { ...small, prior: ["gmm", { components: 2, patches: 50 }] } as const satisfies Profile;
  const [quick, slow] = [small, fitted].map((profile) => experiment.under(profile).workOf(seeds)!);
  assert(quick.fit === 0 && quick.draws > 0 && slow.fit > slow.draws, JSON.stringify([quick, slow]));

  const progress: number[] = [], note = (done: number) => void progress.push(done);
  await measureProfiles(experiment, [small, fitted], seeds, note);
  assertEquals(progress.toSorted((a, b) => a - b), progress);
  assert(
    Math.abs(progress.at(-1)! - 1) < 1e-9 && progress.some((done) => done > 0.3 && done < 0.9),
    progress.join(" "),
  );

  const plugins = registry(...builtins.plugins.map((plugin) => ({ ...plugin, from: "./file.ts" })));
  const third = await openExperiment({ ...runner, plugins }, small, data, 1);
  assertEquals(third.workOf(seeds), undefined);
});
