import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Profile } from "../../../core/profile.ts";
import { range } from "../../../core/numbers.ts";
import { stream } from "../../../core/random.ts";
import { type MetricScore, metricScore } from "../../../pipelines/assessment/metric_score.ts";
import { independentDifference, isDifference, pairedDifference } from "../../../pipelines/assessment/paired.ts";
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

/** Scores of 40 images of one class: values around a mean, the same noise for all, and more of it for `noise`. */
function scored(metric: string, mean: number, noise = 0.01): MetricScore {
  const random = stream(7), own = stream(metric.length + Math.round(1000 * Math.abs(mean)));
  const values = Float64Array.from({ length: 40 }, () => mean + 5 * (random.next() - 0.5) + noise * (own.next() - 0.5));
  const result = { values, of: "generated", series: {}, settings: {}, warnings: [] } as const;
  return metricScore({ name: metric, about: "" }, [{ result }], [range(40)]);
}

Deno.test("findingsOf: what the paper expects, where both priors were compared and the images show a difference", () => {
  const row = (prior: string, contexts = "none") => {
    return { prior, contexts, zStep: "sample" as const, scores: {}, ranges: {}, intervals: {}, copies: 0 };
  };
  const local = [scored("likelihood", -70), scored("sharpness", 0.9)];
  const findings = (prior: string, measured: MetricScore[], contexts?: string) => {
    return findingsOf({ rows: [row("local-nn"), row(prior, contexts)], measured: [local, measured] });
  };
  assertEquals(findings("gmm", local, "square"), []);
  // The images differ by 5 and the priors by 1, but the same images differ by 1 each.
  const [expected] = findings("spatially-invariant", [scored("likelihood", -71)]);
  assertMatch(
    expected,
    /^Without context the spatially invariant prior has LL -\d+\.\d\d, the local one -\d+\.\d\d: less, as the paper expects \(difference -1\.00\d to -(0\.99|1\.00)\d with 95 %\)\.$/,
  );
  assertMatch(
    findings("gmm", [local[0], scored("sharpness", 0.95)])[0],
    /not smoother, which the paper does not expect/,
  );
  const [unclear] = findings("gmm", [local[0], scored("sharpness", 0.9001, 8)]);
  assertMatch(unclear, /: 40 images show no difference \(difference -\d\.\d+ to \d\.\d+ with 95 %\)\.$/);
});

Deno.test("pairedDifference: image by image within the classes; none of metrics that compare whole sets", () => {
  const one = scored("likelihood", 3), other = scored("likelihood", 2);
  const [low, high] = pairedDifference(one, other);
  assert(low < 1 && 1 < high && high - low < 0.01, `${low} to ${high}`);
  assert(one.interval[1] - one.interval[0] > 0.5, "their own intervals are wide");
  assert(isDifference([low, high]) && !isDifference([-1, 1]) && !isDifference([NaN, NaN]));
  const ofSets = { ...one, results: one.results.map(({ result }) => ({ result: { ...result, standardError: 0.1 } })) };
  assertEquals(pairedDifference(ofSets, ofSets), [NaN, NaN]);
});

Deno.test("independentDifference: the half widths of both intervals add up in squares, none of metrics of whole sets", () => {
  const scoreOf = (score: number, half: number) => {
    return { ...scored("likelihood", score), score, interval: [score - half, score + half] as const };
  };
  const [low, high] = independentDifference(scoreOf(3, 0.3), scoreOf(2, 0.4));
  assert(Math.abs(low - 0.5) < 1e-12 && Math.abs(high - 1.5) < 1e-12);
  const one = scored("likelihood", 3);
  const ofSets = { ...one, results: one.results.map(({ result }) => ({ result: { ...result, standardError: 0.1 } })) };
  assertEquals(independentDifference(one, ofSets), [NaN, NaN]);
});

Deno.test("measureProfiles: progress goes by the work of each profile, which third-party plugins cannot tell", async () => {
  const images = blobs(30), data = { name: "blobs", origin: "blobs", files: [], train: { images }, test: { images } };
  const runner = inlineRunner({ module: compiled("kernels.wasm"), pause: () => Promise.resolve(), now: () => 0 });
  const experiment = await openExperiment(runner, small, data, 1), seeds = seededImages(experiment, 3, undefined);
  const fitted = { ...small, prior: ["gmm", { components: 2, patches: 50 }] } as const satisfies Profile;
  const under = await Promise.all([small, fitted].map((profile) => experiment.under(profile)));
  const [quick, slow] = under.map((one) => one.workOf(seeds)!);
  assert(quick.fit === 0 && quick.draws > 0 && slow.fit > slow.draws, JSON.stringify([quick, slow]));

  const progress: number[] = [], note = (done: number) => void progress.push(done);
  const { rows } = await measureProfiles(experiment, [small, fitted], seeds, note);
  assertEquals(rows.map(({ differences }) => differences !== undefined), [false, false, true]);
  // Under the same prior the same seed images give the same images; others are compared as independent ones.
  const sources = [small, small, { ...small, from: "model" } as const];
  const [, , same, others] = (await measureProfiles(experiment, sources, seeds, () => {})).rows;
  assertEquals(same.differences!.originality, [NaN, NaN], "no interval of equal values");
  const [least, most] = others.differences!.originality,
    [one, other] = [same, others].map(({ intervals }) => {
      return intervals.originality[1] - intervals.originality[0];
    });
  assert(Math.abs(most - least - Math.hypot(one, other)) < 1e-9, "independent");
  assertEquals(progress.toSorted((a, b) => a - b), progress);
  assert(
    Math.abs(progress.at(-1)! - 1) < 1e-9 && progress.some((done) => done > 0.3 && done < 0.9),
    progress.join(" "),
  );

  const plugins = registry(...builtins.plugins.map((plugin) => ({ ...plugin, from: "./file.ts" })));
  const third = await openExperiment({ ...runner, plugins }, small, data, 1);
  assertEquals(third.workOf(seeds), undefined);
});
