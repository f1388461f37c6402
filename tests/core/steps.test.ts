/** Work that can pause: the same results, in pieces, and a counter of what was done. */
import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { eachEvent, finish, isSteps, MIN_STEP, PROGRESS, type Progress, stepCounter } from "../../core/steps.ts";
import type { IterationResult } from "../../core/batch.ts";
import { synthesize } from "../../core/synthesize.ts";
import { range } from "../../core/numbers.ts";
import { wasm } from "../kernels_under_test.ts";
import { blobs, smallModel, smallSeeds, toEnd } from "../small_world.ts";

function* twoPauses(): Generator<Progress, string> {
  yield PROGRESS;
  yield PROGRESS;
  return "end";
}

Deno.test("finish: the result of work, whether it pauses or not", () => {
  assertEquals(finish(twoPauses()), "end");
  assertEquals(finish("end"), "end");
  assertEquals(finish(undefined), undefined);
  assertEquals([twoPauses(), "end", undefined, { next: 1 }].map(isSteps), [true, false, false, false]);
  const failing = function* (): Generator<Progress, never> {
    yield PROGRESS;
    throw new Error("no");
  };
  assertThrows(() => finish(failing()), Error, "no");
});

Deno.test("eachEvent: what is passed on for each event, then the result; closed with the work", () => {
  const log: string[] = [];
  const work = function* (): Generator<number, string> {
    try {
      yield 1;
      yield 2;
      return "end";
    } finally {
      log.push("closed");
    }
  };
  const passing = () => eachEvent(work(), (event) => event === 1 ? [] : [event, 10 * event]);
  assertEquals([[...passing()], finish(passing())], [[2, 20], "end"]);
  assertEquals(log, ["closed", "closed"]);
  const begun = passing();
  begun.next();
  begun.return("");
  assertEquals(log.length, 3);
});

Deno.test("stepCounter: true once for each MIN_STEP of work", () => {
  let done = 7;
  const isStep = stepCounter({ workDone: () => done });
  assertEquals([0, MIN_STEP - 1, 1, MIN_STEP - 1, 5 * MIN_STEP, 1].map((more) => (done += more, isStep())), [
    ...[false, false, true, false, true, false],
  ]);
});

Deno.test("synthesize: pauses between draws, and its counter counts the kernels", () => {
  const mark = wasm.mark(), model = smallModel(wasm), images = range(16), seedImages = smallSeeds(model, images);
  const batch = { seed: 3, images, seedImages }, work: number[] = [], iterations: IterationResult[] = [];
  const events = synthesize(model, batch), begin = wasm.workDone();
  let before = begin, step = events.next();
  for (; !step.done; step = events.next()) {
    work.push(wasm.workDone() - before);
    before = wasm.workDone();
    if (step.value.type === "iteration") iterations.push({ ...step.value, images: step.value.images.slice() });
  }
  const all = wasm.workDone() - begin, whole = toEnd(synthesize(model, batch));
  assertEquals({ ...step.value, steps: iterations }, whole);
  assert(work.length > 2 * iterations.length, `${work.length} events of ${iterations.length} iterations`);
  // The largest piece is one draw of the batch, or what is allocated for a layer, beside the step that it ends.
  assert(Math.max(...work) < 6 * MIN_STEP, `${Math.max(...work)}`);
  // The same work is counted again, to a comparison.
  const again = wasm.workDone();
  finish(synthesize(model, batch));
  assertAlmostEquals(wasm.workDone() - again, all, 1);
  model.dispose();
  wasm.release(mark);
});

Deno.test("synthesize: gives its memory back when it is closed inside an iteration", () => {
  const mark = wasm.mark(), model = smallModel(wasm, { images: blobs(600) }), images = range(16);
  const before = wasm.mark(), events = synthesize(model, { seed: 3, images, seedImages: smallSeeds(model, images) });
  assertEquals(events.next().value, PROGRESS);
  assert(wasm.mark() > before);
  events.return(undefined as never);
  assertEquals(wasm.mark(), before);
  wasm.release(mark);
});
