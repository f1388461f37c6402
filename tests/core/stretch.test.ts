import { assertEquals, assertThrows } from "@std/assert";
import { plan } from "../../core/plan.ts";
import { withSetting } from "../../core/profile_changes.ts";
import { stretched } from "../../core/stretch.ts";
import { digits } from "../../datasets/profiles/mod.ts";
import { builtins } from "../../plugins/mod.ts";

const layer = {
  iterations: 3,
  h: [8, 16, 64],
  lambda: [0, 1, 1],
  rho: [1, 100, 100],
  offsets: [[0, 0], [1, 0], [0, 1]],
};

Deno.test("stretched: schedules keep their ends and are geometric between them, or linear beside 0; offsets take turns", () => {
  assertEquals(stretched(layer, 5), {
    iterations: 5,
    h: [8, 11.3137, 16, 32, 64],
    lambda: [0, 0.5, 1, 1, 1],
    rho: [1, 10, 100, 100, 100],
    offsets: [[0, 0], [1, 0], [0, 1], [0, 0], [1, 0]],
  });
  assertEquals(stretched(layer, 2), {
    iterations: 2,
    h: [8, 64],
    lambda: [0, 1],
    rho: [1, 100],
    offsets: [[0, 0], [1, 0]],
  });
  assertEquals(stretched(layer, 1), { iterations: 1, h: [64], lambda: [1], rho: [100], offsets: [[0, 0]] });
  assertEquals(stretched(layer, 3), layer);
});

Deno.test("stretched: what is wrong stays for plan to refuse", () => {
  for (const wrong of [0, -1, 1.5, "8", null, 1e9]) {
    assertEquals(stretched(layer, wrong), { ...layer, iterations: wrong });
  }
  const short = { ...layer, h: [1], rho: "x", offsets: 5 };
  assertEquals(stretched(short, 2), { ...short, iterations: 2, lambda: [0, 1] });
  for (const odd of [undefined, null, 3, "x"]) assertEquals(stretched(odd, 2), odd);
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
