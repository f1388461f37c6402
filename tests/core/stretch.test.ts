import { assertEquals, assertThrows } from "@std/assert";
import { plan } from "../../core/plan.ts";
import { type Profile, profileForFew } from "../../core/profile.ts";
import { withSetting, withSettings } from "../../core/profile_changes.ts";
import { stretched } from "../../core/stretch.ts";
import { digits, faces } from "../../datasets/profiles/mod.ts";
import { builtins } from "../../plugins/mod.ts";

const layer = {
  iterations: 3,
  h: [8, 16, 64],
  lambda: [0, 1, 1],
  rho: [1, 100, 100],
  offsets: [[0, 0], [1, 0], [0, 1]],
};

Deno.test("stretched: schedules keep their ends and are geometric between them, or linear beside 0; offsets take turns", () => {
  assertEquals(stretched(layer, "iterations", 5), {
    iterations: 5,
    h: [8, 11.3137, 16, 32, 64],
    lambda: [0, 0.5, 1, 1, 1],
    rho: [1, 10, 100, 100, 100],
    offsets: [[0, 0], [1, 0], [0, 1], [0, 0], [1, 0]],
  });
  assertEquals(stretched(layer, "iterations", 2), {
    iterations: 2,
    h: [8, 64],
    lambda: [0, 1],
    rho: [1, 100],
    offsets: [[0, 0], [1, 0]],
  });
  assertEquals(stretched(layer, "iterations", 1), {
    iterations: 1,
    h: [64],
    lambda: [1],
    rho: [100],
    offsets: [[0, 0]],
  });
  assertEquals(stretched(layer, "iterations", 3), layer);
});

Deno.test("stretched: what is wrong stays for plan to refuse", () => {
  for (const wrong of [0, -1, 1.5, "8", null, 1e9]) {
    assertEquals(stretched(layer, "iterations", wrong), { ...layer, iterations: wrong });
  }
  const short = { ...layer, h: [1], rho: "x", offsets: 5 };
  assertEquals(stretched(short, "iterations", 2), { ...short, iterations: 2, lambda: [0, 1] });
  for (const odd of [undefined, null, 3, "x"]) assertEquals(stretched(odd, "iterations", 2), odd);
});

Deno.test("withSetting: layers.0.iterations=8 gives a profile that plan takes", () => {
  for (const iterations of [1, 2, 4, 5, 8, 100]) {
    const { layers: [{ iterations: found }] } = plan(
      withSetting(digits, `layers.0.iterations=${iterations}`),
      builtins,
    );
    assertEquals(found.length, iterations);
    assertEquals(found.at(-1)!.rho, digits.layers[0].rho.at(-1));
  }
  assertThrows(() => plan(withSetting(digits, "layers.0.iterations=0"), builtins), Error, "layers.0.iterations");
  assertThrows(() => withSetting(digits, "layers.7.iterations=2"), Error, 'there is no "7"');
});

Deno.test("stretched: windows keep their ends and stay odd; the usual number of steps gives the same list", () => {
  const windows = [27, 19, 13, 9, 7, 5, 3];
  const of = (steps: number) => stretched({ steps: 7, windows }, "steps", steps);
  assertEquals(of(7), { steps: 7, windows });
  assertEquals(of(4), { steps: 4, windows: [27, 13, 7, 3] });
  assertEquals(of(8), { steps: 8, windows: [27, 19, 15, 11, 9, 7, 5, 3] });
  assertEquals(stretched({ windows: "auto" }, "steps", 3), { steps: 3, windows: "auto" });
  assertEquals(stretched({ windows }, "steps", 3), { steps: 3, windows }, "7 are not the usual 20");
});

Deno.test("withSetting: noise.steps gives windows that plan takes; the profile's own number gives its own", () => {
  const stepsOf = (profile: Profile, ...settings: string[]) => {
    return plan({ ...withSettings(profile, settings), from: "noise" }, builtins).noise!;
  };
  const own = digits.noise!.windows as readonly number[];
  for (const steps of [1, 5, 19, 20, 21, 100]) {
    const { windows } = stepsOf(digits, `noise.steps=${steps}`);
    assertEquals([windows.length, windows.at(-1)], [steps, own.at(-1)]);
    if (steps === 20) assertEquals(windows, own);
  }
  const few = profileForFew(withSetting(faces, "noise.steps=10"), 50)!;
  assertEquals(plan(few, builtins).noise!.windows.length, 10);
  assertEquals(stepsOf(digits, "noise.windows=5,3", "noise.steps=2").windows, [5, 3]);
  assertEquals(stepsOf(digits, "noise.steps=2", "noise.windows=5,3").windows, [5, 3]);
  assertThrows(() => stepsOf(digits, "noise.steps=0"), Error, "noise.steps");
  const wrong = { ...digits, noise: { ...digits.noise, steps: 5 } };
  assertThrows(() => stepsOf(wrong), Error, 'expected 5 windows, one for each step, or "windows": "auto", got 20');
});
