import { assert, assertEquals } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import type { Profile } from "../../../core/profile.ts";
import {
  comparedDenoisers,
  compareDenoisers,
  variantName,
} from "../../../pipelines/reproduction/compared_denoisers.ts";
import { comparisonNotes, comparisonTable } from "../../../pipelines/reproduction/comparison_report.ts";
import { seededImages } from "../../../pipelines/reproduction/comparison.ts";
import { openExperiment } from "../../../pipelines/reproduction/experiment.ts";
import { digits, digitsPaper, faces } from "../../../datasets/profiles/mod.ts";
import { builtins } from "../../../plugins/mod.ts";
import { inlineRunner } from "../../inline_runner.ts";
import { compiled } from "../../kernels_under_test.ts";
import { blobs, small } from "../../small_world.ts";

const rowsOf = (profile: Profile, wanted: string[], papers?: Profile) => {
  return comparedDenoisers(profile, wanted, builtins, papers).map(({ denoiser, options }) => `${denoiser} ${options}`);
};

Deno.test("comparedDenoisers: the profile's own, each option changed alone, whole images, the others, and from seed images", () => {
  const scores = [
    ...["as in the profile", "response patch", "draw one", "neighbourWindow 2, mirror 0", "subset 0.1", "whole images"],
  ].map((options) => `local-score ${options}`);
  assertEquals(rowsOf(digits, ["local-score", "wiener"], digitsPaper), [
    ...scores,
    "wiener ",
    "digits-paper seeds of test images",
    "digits seeds of test images",
  ]);
  const further = comparedDenoisers(digits, ["wiener"], builtins, digitsPaper, ["gmm", "local-nn"]);
  assertEquals(further.map(variantName), [
    "wiener",
    "digits-paper, seeds of test images",
    "digits-paper, gmm, seeds of test images",
    "digits, seeds of test images",
  ], "the paper's own prior is there once");
  assertEquals(plan(further[2].profile, builtins).layers[0].prior.plugin.name, "gmm");
  assert(rowsOf(faces, ["local-score"]).includes("local-score temperature 1, mirror 0"));
  assertEquals(rowsOf(faces, ["wiener"]), ["wiener "], "faces has no seeds of test images");
  const byTau = ["", "tau 0.1", "tau 0.3"].map((options) => `pca-locality ${options}`);
  assertEquals(rowsOf(faces, ["pca-locality"]), byTau);
  for (const { profile, denoiser } of comparedDenoisers(faces, ["local-score", "wiener"], builtins)) {
    const { noise } = plan(profile, builtins);
    assertEquals([noise!.plugin.name, noise!.minOriginality, noise!.maxStructure], [denoiser, 0, 1]);
  }
  const whole = comparedDenoisers(faces, ["local-score"], builtins).at(-1)!;
  assert(plan(whole.profile, builtins).noise!.windows.every((side) => side >= 2 * 128));
});

Deno.test("compareDenoisers: windows of whole images copy, those of the profile do not; the same images every time", async () => {
  const train = { images: blobs(30) }, test = { images: blobs(30, 16, 2) };
  test.images.pixels.set(train.images.pixels.subarray(0, 256)); // a duplicate among test images hides no copy
  const data = { name: "blobs", origin: "blobs", files: [], train, test };
  const runner = inlineRunner({ module: compiled("kernels.wasm"), pause: () => Promise.resolve(), now: () => 0 });
  let computed = 0;
  const timed = { ...runner, processorTime: () => computed += 60 };
  const profile: Profile = { ...small, noise: { layer: 0, steps: 6, windows: [9, 7, 5, 5, 3, 3] } };
  const experiment = await openExperiment(timed, profile, data, 3);
  const variants = comparedDenoisers(profile, ["local-score"], builtins);
  const { rows, pictures } = await compareDenoisers(experiment, variants, seededImages(experiment, 6, undefined));
  const row = (options: string) => rows.find((one) => one.options === options)!;
  assert(row("whole images").scores.originality < 0.1);
  assert(row("as in the profile").scores.originality > 0.3);
  assertEquals(rows[0].denoiser, "test images");
  assertEquals(row("whole images").copies, 6);
  // The clock of this runner goes on by 60 ms whenever it is read: before the images, when the prior is fitted, and behind them.
  assertEquals([row("whole images").milliseconds, row("whole images").processor], [0, 60 / 6]);
  assertEquals(row("whole images").scores.precision, 1);
  const { scores, intervals } = row("as in the profile"), [low, high] = intervals.likelihood;
  assert(low < scores.likelihood && scores.likelihood < high);
  assertEquals(pictures.length, rows.length);
  const lines = comparisonTable(rows);
  assert(lines[0].includes("denoiser") && !lines[0].includes("z-step"));
  assert(["spread", "precision", "recall", "copies"].every((title) => lines[0].includes(title)));
  const notes = comparisonNotes(rows);
  for (const begin of ["± half", "* differs", "copies: How many", "No image was made again"]) {
    assert(notes.some((note) => note.startsWith(begin)), begin);
  }
  const ofPriors = comparisonNotes([{ ...rows[0], prior: "gmm", contexts: "none", zStep: "sample" as const }].map(
    ({ denoiser: _, ...row }) => row,
  ));
  assertEquals(ofPriors, notes.slice(0, 2));
  const half = ((high - low) / 2).toFixed(2);
  assert(lines[2].includes(`${scores.likelihood.toFixed(2)} ±${half}`), lines[2]);
  assertEquals(lines.length, rows.length + 1);
  assert(lines[0].endsWith("ms an image  CPU ms an image") && lines[2].endsWith("10.0"), lines[2]);
});
