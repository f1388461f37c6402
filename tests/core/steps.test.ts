/** Work in steps: the same results, in pieces that a host can pause between. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { drawnBefore } from "../../core/draw_work.ts";
import { finish, MIN_STEP, withoutSteps } from "../../core/steps.ts";
import type { IterationResult } from "../../core/batch.ts";
import { synthesize, synthesizeInSteps } from "../../core/synthesize.ts";
import { range } from "../../core/pyramid.ts";
import { wasm } from "../kernels_under_test.ts";
import { blobs, smallModel, smallSeeds, toEnd } from "../small_world.ts";

function* numbersAndObjects(log: string[] = []): Generator<number | { at: number }, string> {
  try {
    yield 1;
    yield { at: 1 };
    yield 2;
    yield { at: 2 };
    return "end";
  } finally {
    log.push("closed");
  }
}

Deno.test("finish and withoutSteps: the result, and what is no step", () => {
  assertEquals(finish(numbersAndObjects()), "end");
  assertEquals([...withoutSteps(numbersAndObjects())], [{ at: 1 }, { at: 2 }]);
  assertEquals(finish(withoutSteps(numbersAndObjects())), "end");
  const failing = function* (): Generator<number, never> {
    yield 1;
    throw new Error("no");
  };
  assertThrows(() => finish(failing()), Error, "no");
});

Deno.test("withoutSteps: closes the work with itself", () => {
  const log: string[] = [], steps = withoutSteps(numbersAndObjects(log));
  steps.next();
  steps.return("");
  assertEquals(log, ["closed"]);
});

Deno.test("synthesizeInSteps: the images of synthesize, and the work of every draw", () => {
  const mark = wasm.mark(), model = smallModel(wasm), images = range(16), seedImages = smallSeeds(model, images);
  const batch = { seed: 3, images, seedImages }, work: number[] = [], iterations: IterationResult[] = [];
  const steps = synthesizeInSteps(model, batch);
  let step = steps.next();
  for (; !step.done; step = steps.next()) {
    if (typeof step.value === "number") work.push(step.value);
    else iterations.push({ ...step.value, images: step.value.images.slice() });
  }
  const whole = toEnd(synthesize(model, batch));
  assertEquals({ ...step.value, steps: iterations }, whole);
  // What is left of an iteration when it ends, less than MIN_STEP, is not yielded.
  const drawn = model.layers.reduce((sum, { drawWork, locations }) => {
    return locations.flat().map(drawnBefore()).reduce((all, before) => all + 16 * drawWork[before], sum);
  }, 0);
  const largest = Math.max(...model.layers.map(({ drawWork }) => 16 * drawWork.nothing));
  const total = work.reduce((sum, one) => sum + one, 0);
  assert(total > drawn - iterations.length * (MIN_STEP + largest), `${total} of ${drawn}`);
  assert(Math.max(...work) < MIN_STEP + largest, `${Math.max(...work)}`);
  model.dispose();
  wasm.release(mark);
});

Deno.test("synthesizeInSteps: gives its memory back when it is closed inside an iteration", () => {
  const mark = wasm.mark(), model = smallModel(wasm, { images: blobs(600) }), images = range(16);
  const before = wasm.mark(),
    steps = synthesizeInSteps(model, { seed: 3, images, seedImages: smallSeeds(model, images) });
  assertEquals(typeof steps.next().value, "number");
  assert(wasm.mark() > before);
  steps.return(undefined as never);
  assertEquals(wasm.mark(), before);
  wasm.release(mark);
});
