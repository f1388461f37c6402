import { assert, assertEquals } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import { digits, digitsPaper, faces, facesPaper, profiles } from "../../../datasets/profiles/mod.ts";
import { tasks } from "../../../pipelines/restoration/degradation.ts";
import { restorationProfile } from "../../../pipelines/restoration/restoration_profile.ts";
import { builtins } from "../../../plugins/mod.ts";

Deno.test("restorationProfile: a plan for every profile and task; the profile stays as it is", () => {
  for (const profile of Object.values(profiles)) {
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
    [finest, ...others] = digits.layers;
  const { layers } = restorationProfile({ ...digits, layers: [{ ...finest, ...own }, ...others] }, { task: "inpaint" });
  assertEquals([layers[0].prior, layers[0].contexts], [["local-nn", { neighbours: 30 }], ["mirror"]]);
  assertEquals(["prior" in layers[1], "contexts" in layers[1]], [false, false]);
});

Deno.test("restorationProfile: other priors keep their options", () => {
  for (const prior of ["tangent-plane", ["local-nn", {}]] as const) {
    assertEquals(restorationProfile({ ...digits, prior: prior as never }, { task: "inpaint" }).prior, prior as never);
  }
});

Deno.test("restorationProfile: digits are restored with the paper's profile, also from a file; changed ones with their own", () => {
  const degradation = { task: "inpaint" } as const, paper = restorationProfile(digitsPaper, degradation);
  assertEquals(restorationProfile(digits, degradation), paper);
  assertEquals(restorationProfile(JSON.parse(JSON.stringify(digits)), degradation), paper);
  const changed = restorationProfile({ ...digits, patch: 4 }, degradation);
  assertEquals([changed.name, changed.prior], ["digits", ["local-nn", { neighbours: 30, hubPenalty: 1.6 }]]);
  assertEquals(changed.layers.map(({ projection }) => projection), [undefined, undefined, undefined]);
});

Deno.test("restorationProfile: faces are restored with the paper's profile, also from a file; changed ones with their own", () => {
  const degradation = { task: "denoise", noise: 0.1 } as const, read = JSON.parse(JSON.stringify(faces));
  const paper = restorationProfile(facesPaper, degradation);
  assertEquals(restorationProfile(faces, degradation), paper);
  assertEquals(restorationProfile(read, degradation), paper);
  const changed = restorationProfile({ ...read, about: "mine" }, degradation);
  assertEquals(changed.layers.map(({ prior }) => prior![0]), Array(4).fill("detail"));
  // Of what is not the paper's, patches stay; orders, merge weights and redraws do not.
  assertEquals(changed.layers.map(({ patch }) => patch), faces.layers.map(({ patch }) => patch));
  for (const name of ["order", "feather", "minOriginality"]) {
    assertEquals(changed.layers.filter((layer) => name in layer), []);
  }
  plan(changed, builtins);
});
