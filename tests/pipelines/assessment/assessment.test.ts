import { assert, assertEquals, assertThrows } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import { type DataSet, pick } from "../../../datasets/data_set.ts";
import { proceduralDigits } from "../../../datasets/procedural/digits.ts";
import { digits } from "../../../datasets/profiles/mod.ts";
import { assess, assessedClasses } from "../../../pipelines/assessment/assessment.ts";
import { inlineRunner } from "../../inline_runner.ts";
import { builtins } from "../../../plugins/mod.ts";

const planned = plan(digits, builtins), train = proceduralDigits("train", 4), test = proceduralDigits("test", 2);
const data: DataSet = { name: "digits", origin: "", files: [], train, test };
const set = { ...pick(proceduralDigits("test", 4), [21, 23, 33]), names: "digits", files: [] }; // a one, two threes

Deno.test("assessedClasses: those of the images, or the one given; together without labels", () => {
  assertEquals(assessedClasses(planned, data, set, undefined), [1, 3]);
  assertEquals(assessedClasses(planned, data, set, 3), [3]);
  assertEquals(assessedClasses(planned, data, set, "all"), [undefined]);
  assertEquals(assessedClasses(planned, data, { images: set.images }, undefined), [undefined]);
  assertEquals(assessedClasses(planned, { ...data, train: { images: train.images } }, set, undefined), [undefined]);
  const other = { ...set, labels: Uint8Array.of(1, 3, 77) };
  assertThrows(
    () => assessedClasses(planned, data, other, undefined),
    Error,
    "Cannot assess images of class 77, which has no training images",
  );
});

Deno.test("assess: the baseline is as many held-out images of each class; none for the held-out images themselves", async () => {
  const module = await WebAssembly.compile(
    await Deno.readFile(new URL("../../../assembly/kernels.wasm", import.meta.url)),
  );
  const updates: number[] = [];
  const progress = () => ({ update: (done: number) => void updates.push(done), end() {} });
  const runner = inlineRunner({ module, pause: () => Promise.resolve(), now: () => 0, progress });
  const request = { plan: planned, data, path: "digits", set, classes: [1, 3] };
  const metrics = [{ name: "originality", options: {} }];
  const { scores, baseline } = await assess(runner, request, metrics);
  assertEquals(scores[0].groups.map(({ label, count }) => [label, count]), [[1, 1], [3, 2]]);
  assertEquals(baseline![0].groups.map(({ label, count }) => [label, count]), [[1, 1], [3, 2]]);
  assertEquals(updates, updates.toSorted((a, b) => a - b));
  assertEquals(updates.at(-1), 1);
  assert(scores[0].score !== baseline![0].score);
  const held = { ...pick(test, [1, 3, 11, 13]), names: "held", files: [] };
  assertEquals((await assess(runner, { ...request, set: held }, metrics)).baseline, undefined);

  // Copies of training images are named in words, in all classes together.
  const { pixels } = train.images, area = 28 * 28, copied = pick(train, [1, 3, 13]); // a one, two threes
  assertEquals(copied.images.pixels.subarray(0, area), pixels.subarray(area, 2 * area));
  const found = await assess(runner, { ...request, set: { ...copied, names: "copies", files: [] } }, metrics);
  const said = found.scores.flatMap(({ warnings }) => warnings.filter((text) => text.includes("nearer")));
  assertEquals(said, [
    "3 of 3 images are much nearer to a training image than training images are to each other (least 0.00; " +
    "held-out images: 0 of 3): likelihood and judge favour copies",
  ]);
  assertEquals(scores.flatMap(({ warnings }) => warnings.filter((text) => text.includes("nearer"))), []);
});
