import { assertThrows } from "@std/assert";
import { guardTraining } from "../../core/training_guard.ts";
import { localScore } from "../../plugins/denoisers/local_score.ts";
import { wasm } from "../kernels_under_test.ts";

Deno.test("guardTraining: each byte of a third-party plugin's training images counts, also the last ones", () => {
  const mark = wasm.mark(), length = 7, at = wasm.allocate(length), foreign = { ...localScore, from: "./mine.ts" };
  for (let i = 0; i < length; i++) {
    const check = guardTraining(wasm, foreign, [[at, length]]);
    check();
    wasm.u8(at, length)[i]++;
    assertThrows(check, Error, "changed the training images");
  }
  wasm.release(mark);
});
