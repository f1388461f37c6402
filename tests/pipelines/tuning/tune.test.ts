import { assert, assertEquals, assertRejects } from "@std/assert";
import type { DataSet } from "../../../datasets/data_set.ts";
import type { MetricScore } from "../../../pipelines/assessment/metric_score.ts";
import { inlineRunner } from "../../inline_runner.ts";
import { openExperiment } from "../../../pipelines/reproduction/experiment.ts";
import { ablate, ablationTable } from "../../../pipelines/tuning/ablation.ts";
import { heldOutSeeds, holdOut } from "../../../pipelines/tuning/held_out.ts";
import { readObjective } from "../../../pipelines/tuning/objectives.ts";
import { readVaried, withSettingsOfLayers } from "../../../pipelines/tuning/search_space.ts";
import {
  imagesOfRounds,
  trialsOfRounds,
  tune,
  type TuningRequest,
  type TuningStore,
} from "../../../pipelines/tuning/tune.ts";
import { tunedProfile, tuningRecord, tuningReport, tuningTable } from "../../../pipelines/tuning/tuning_report.ts";
import { builtins } from "../../../plugins/mod.ts";
import { compiled } from "../../kernels_under_test.ts";
import { blobs, small } from "../../small_world.ts";

const images = blobs(60);
const DATA: DataSet = { name: "blobs", origin: "blobs", files: [], train: { images }, test: { images } };

/** A store that keeps scores in memory, and the names of what was measured. After `most` of them it fails, as an interruption. */
function storeOf(kept = new Map<string, MetricScore[]>(), most = Infinity) {
  const made: string[] = [];
  const store: TuningStore = {
    async measured(name, measure) {
      const known = kept.get(name);
      if (known) return known;
      if (made.length === most) throw new Error("Stopped");
      made.push(name);
      const scores = await measure();
      kept.set(name, scores);
      return scores;
    },
  };
  return { kept, made, store };
}

async function experimentOf(seed = 3) {
  const progress: number[] = [];
  const runner = inlineRunner({
    module: compiled("kernels.wasm"),
    pause: () => Promise.resolve(),
    now: () => 0,
    progress: () => ({ update: (done) => void progress.push(done), end() {} }),
  });
  return { experiment: await openExperiment(runner, small, holdOut(DATA), seed), progress };
}

type Opened = Awaited<ReturnType<typeof experimentOf>>["experiment"];

function requestOf(experiment: Opened, trials = 5): TuningRequest {
  return {
    trials,
    space: ["prior.neighbours=2..20", "layers.*.feather=0..4"].map((text) => readVaried(small, text, builtins)),
    objectives: ["likelihood", "originality", "contrast"].map((name) => readObjective(name, builtins)),
    images: heldOutSeeds(experiment, 12),
  };
}

Deno.test("tune: rounds of fewer trials and more images; the front is of the last round, with its profiles", async () => {
  const { experiment, progress } = await experimentOf(), { store } = storeOf();
  const tuning = await tune(experiment, requestOf(experiment), store), { trials, heldOut } = tuning;
  assertEquals([imagesOfRounds(12), trialsOfRounds(5)], [[3, 6, 12], [5, 3, 2]]);
  assertEquals(trials.map(({ number }) => number), [0, 1, 2, 3, 4, 5]);
  for (const [round, count] of [6, 4, 3].entries()) {
    assertEquals(trials.filter(({ rounds }) => rounds.length > round).length, count);
  }
  assertEquals(trials[0].rounds.map(({ images }) => images), [3, 6, 12]);
  assertEquals(trials[0].settings, []);
  for (const { settings, profile, best, rounds } of trials) {
    assertEquals(profile, withSettingsOfLayers(small, settings));
    assert(!best || rounds.length === 3);
    assert(rounds.every(({ values }) => values.length === 3 && values.every(Number.isFinite)));
  }
  assert(trials.some(({ best }) => best) && heldOut.values.every(Number.isFinite));
  for (const { intervals, values, differs, images } of trials.flatMap(({ rounds }) => rounds)) {
    intervals.forEach(([low, high], o) =>
      assert(low < values[o] && values[o] < high, `${images} images: ${low} ${high}`)
    );
    assertEquals(differs.length, 3);
  }
  assert(trials[0].rounds.every(({ differs }) => !differs.includes(true)), "the profile does not differ from itself");
  assertEquals(progress, progress.toSorted((a, b) => a - b));
  assertEquals(progress.at(-1), 1);

  const { experiment: again } = await experimentOf();
  assertEquals(await tune(again, requestOf(again), storeOf().store), tuning);
  const other = await experimentOf(4);
  assert(
    JSON.stringify(await tune(other.experiment, requestOf(other.experiment), storeOf().store)) !==
      JSON.stringify(tuning),
  );

  const [head, first, own] = tuningTable(tuning);
  assert(/^ +front +likelihood +originality +contrast +settings$/.test(head), head);
  assert(first.startsWith("held-out images") && own.startsWith("the profile"));
  assert(/^held-out images +-?[\d.]+ ±[\d.]+ +/.test(first), first);
  const front = trials.find(({ best, number }) => best && number > 0);
  if (front) assertEquals(tunedProfile(front).name, `small-${front.number}`);
  assertEquals(JSON.stringify(tuningRecord(tuning)).includes("NaN"), false);
  const report = await tuningReport(experiment, tuning, { command: "tune", images: 12, seconds: 1 });
  assertEquals(report.sections.map(({ figures }) => figures.length), [1, 3, 1]);
});

Deno.test("tune: after an interruption, the measurements before it are not made again and the result is the same", async () => {
  const { experiment } = await experimentOf(), whole = storeOf();
  const tuning = await tune(experiment, requestOf(experiment), whole.store);
  const { experiment: second } = await experimentOf(), cut = storeOf(new Map(), 8);
  await assertRejects(() => tune(second, requestOf(second), cut.store), Error, "Stopped");
  const { experiment: third } = await experimentOf(), resumed = storeOf(cut.kept);
  assertEquals(await tune(third, requestOf(third), resumed.store), tuning);
  assertEquals([...cut.made, ...resumed.made], whole.made);
});

Deno.test("ablate: held-out images, the profile, the profile without each idea, and the baseline", async () => {
  const { experiment } = await experimentOf();
  const baseline = withSettingsOfLayers(small, ["prior.neighbours=3", "layers.0.window=0"]);
  const { rows, pictures } = await ablate(experiment, { ...baseline, name: "plain" }, heldOutSeeds(experiment, 4));
  assertEquals(rows.map(({ name, off }) => [name, off]), [
    ["held-out images", ""],
    ["small", ""],
    ["prior.neighbours", "3"],
    ["window", "that of plain"],
    ["plain", ""],
  ]);
  assertEquals(pictures.map((some) => some.length), Array(5).fill(4));
  assert(rows.every(({ scores }) => Number.isFinite(scores.likelihood)));
  const lines = ablationTable(rows);
  assert(/^ +variant +reset to +LL +originality/.test(lines[0]) && lines[3].includes("without prior.neighbours"));
});
