import { assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { cosine, noiseLevels, SCHEDULES } from "../../core/schedule.ts";

Deno.test("cosine: Math.cos to the last bits, from 0 to pi / 2", () => {
  for (let angle = 0; angle < Math.PI / 2; angle += 0.001) assertAlmostEquals(cosine(angle), Math.cos(angle), 1e-15);
});

Deno.test("noiseLevels: the published noise of each schedule", () => {
  const steps = 20;
  const alphasOf = (schedule: typeof SCHEDULES[number]) => noiseLevels({ schedule, steps }).map((one) => one.alphaBar);
  alphasOf("cosine").forEach((alphaBar, i) => {
    assertAlmostEquals(alphaBar, Math.cos(Math.PI * (1 - i / steps) / 2.016) ** 2, 1e-14);
  });
  // Karras, Aittala, Aila and Laine: sigma from 80 to 0.002.
  alphasOf("edm").forEach((alphaBar, i) => {
    const sigma = (80 ** (1 / 7) + i / (steps - 1) * (0.002 ** (1 / 7) - 80 ** (1 / 7))) ** 7;
    assertAlmostEquals(Math.sqrt((1 - alphaBar) / alphaBar) / sigma, 1, 1e-9);
  });
  // Even in log sigma, from 80 to 0.03.
  alphasOf("log").forEach((alphaBar, i) => {
    const sigma = 80 * (0.03 / 80) ** (i / (steps - 1));
    assertAlmostEquals(Math.sqrt((1 - alphaBar) / alphaBar) / sigma, 1, 1e-9);
  });
  // Ho, Jain and Abbeel: the product of all 1 - beta is 4.04e-5, the first one 1 - 0.0001.
  const linear = noiseLevels({ schedule: "linear", steps: 1000 });
  assertAlmostEquals(linear[0].alphaBar, 4.0358e-5, 1e-9);
  assertEquals(linear[999].alphaBar, 1 - 0.0001);
});

Deno.test("noiseLevels: the noise falls in every schedule, with any number of steps", () => {
  for (const schedule of SCHEDULES) {
    for (const steps of [1, 2, 3, 20, 1000]) {
      const alphas = noiseLevels({ schedule, steps }).map(({ alphaBar }) => alphaBar);
      assertEquals(alphas, [...new Set(alphas)].sort((a, b) => a - b));
      assertEquals(alphas.filter((alphaBar) => !(alphaBar > 0 && alphaBar < 1)), []);
    }
  }
});

Deno.test("noiseLevels: windows in the order of the steps, the whole image by default", () => {
  const levels = noiseLevels({ schedule: "cosine", steps: 3, windows: [7, 5, 3] });
  assertEquals(levels.map(({ step, window }) => [step, window]), [[0, 7], [1, 5], [2, 3]]);
  assertEquals(noiseLevels({ schedule: "edm", steps: 1 })[0].window >= 2 * 4096 - 1, true);
});

Deno.test("noiseLevels: one sentence for settings that are none", () => {
  const right = { schedule: "cosine", steps: 2 } as const;
  const wrong: [object, string][] = [
    [{ schedule: "sine" }, "expected the schedule cosine or edm or linear or log, got sine"],
    [{ steps: 0 }, "expected 1 to 1000 steps, got 0"],
    [{ steps: 1001 }, "expected 1 to 1000 steps, got 1001"],
    [{ steps: 1.5 }, "expected 1 to 1000 steps, got 1.5"],
    [{ steps: NaN }, "expected 1 to 1000 steps, got NaN"],
    [{ solver: "euler" }, "expected the solver ddim or 2m, got euler"],
    [{ eta: -1 }, "expected eta in 0 to 1, got -1"],
    [{ eta: NaN }, "expected eta in 0 to 1, got NaN"],
    [{ windows: [3] }, 'expected 2 windows, one for each step, or "windows": "auto", got 1'],
    [{ windows: [3, 4] }, "expected windows of an odd side in 1 to 8191, got 4"],
    [{ windows: [-1, 3] }, "expected windows of an odd side in 1 to 8191, got -1"],
    [{ windows: [3, 1.5] }, "expected windows of an odd side in 1 to 8191, got 1.5"],
  ];
  for (const [change, sentence] of wrong) {
    assertThrows(() => noiseLevels({ ...right, ...change }), Error, `Cannot plan a diffusion: ${sentence}`);
  }
});
