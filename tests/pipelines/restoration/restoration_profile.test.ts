import { assert, assertEquals, assertThrows } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import { resizedProfile } from "../../../core/resized_profile.ts";
import { digits, digitsPaper, faces, facesPaper, profiles } from "../../../datasets/profiles/mod.ts";
import { tasks } from "../../../pipelines/restoration/degradation.ts";
import { restorationProfile } from "../../../pipelines/restoration/restoration_profile.ts";
import { builtins } from "../../../plugins/mod.ts";

Deno.test("restorationProfile: a plan for every profile and task; the profile stays as it is", () => {
  for (const profile of Object.values(profiles).filter(({ aligned = true }) => aligned)) {
    const before = JSON.stringify(profile);
    for (const task of tasks) {
      const { layers, sizes } = plan(restorationProfile(profile, { task, noise: 0.1 }), builtins);
      assertEquals([layers.length, sizes.length], [profile.layers.length, profile.layers.length + 1]);
    }
    assertEquals(JSON.stringify(profile), before);
  }
});

Deno.test("restorationProfile: super-resolution passes the finest layers only", () => {
  for (const [factor, side] of [[2, 16], [4, 8], [8, 4]]) {
    const { sizes } = plan(restorationProfile(digits, { task: "superres", factor }), builtins);
    assertEquals([sizes[0].width, sizes.at(-1)!.width], [32, side]);
  }
});

Deno.test("restorationProfile: rho falls with the noise, as trust in the observations does", () => {
  const rho = (noise: number) => restorationProfile(digits, { task: "denoise", noise }).layers[0].rho;
  rho(0.2).forEach((value, k) => assert(Math.abs(value * 4 - rho(0.1)[k]) < 1e-9));
});

Deno.test("restorationProfile: a layer keeps its own prior and contexts, with the task's neighbours", () => {
  const own = { prior: ["local-nn", { neighbours: 7 }], contexts: ["mirror"] } as const,
    [finest, ...others] = digitsPaper.layers;
  const { layers } = restorationProfile({ ...digitsPaper, layers: [{ ...finest, ...own }, ...others] }, {
    task: "inpaint",
  });
  assertEquals([layers[0].prior, layers[0].contexts], [["local-nn", { neighbours: 30 }], ["mirror"]]);
  assertEquals(["prior" in layers[1], "contexts" in layers[1]], [false, false]);
});

Deno.test("restorationProfile: other priors keep their options", () => {
  for (const prior of ["tangent-plane", ["local-nn", {}]] as const) {
    assertEquals(
      restorationProfile({ ...digitsPaper, prior: prior as never }, { task: "inpaint" }).prior,
      prior as never,
    );
  }
});

Deno.test("restorationProfile: a profile is restored as the one that it names, also from a file and in another size", () => {
  const degradation = { task: "denoise", noise: 0.1 } as const;
  for (const [own, paper] of [[digits, digitsPaper], [faces, facesPaper]]) {
    const expected = restorationProfile(paper, degradation);
    assertEquals(restorationProfile(own, degradation), expected);
    assertEquals(restorationProfile(JSON.parse(JSON.stringify({ ...own, about: "mine" })), degradation), expected);
    const size = { height: paper === facesPaper ? 64 : 16, width: paper === facesPaper ? 64 : 16 };
    assertEquals(
      restorationProfile(resizedProfile(own, size), degradation),
      restorationProfile(resizedProfile(paper, size), degradation),
    );
  }
});

Deno.test("restorationProfile: without a name it is the profile's own layers, without what does not restore", () => {
  const { restoredAs: _, ...mine } = faces, own = restorationProfile(mine, { task: "inpaint" });
  assertEquals(own.layers.map(({ prior }) => prior![0]), Array(4).fill("detail"));
  assertEquals(own.layers.map(({ patch }) => patch), faces.layers.map(({ patch }) => patch));
  for (const name of ["order", "feather", "minOriginality", "projection"]) {
    assertEquals(own.layers.filter((layer) => name in layer), []);
  }
  plan(own, builtins);
});

Deno.test("restorationProfile: a name that is none, and a factor that the named profile's layers have not", () => {
  const restored = (restoredAs: string, factor = 2) => {
    return restorationProfile({ ...faces, restoredAs }, { task: "superres", factor });
  };
  assertThrows(() => restored("digit-paper"), Error, 'there is no profile "digit-paper"; nearest: "digits-paper"');
  assertThrows(() => restored("toString"), Error, 'there is no profile "toString"');
  assertThrows(() => restored("sprites", 16), RangeError, "Cannot enlarge 16 times: expected at most");
});
