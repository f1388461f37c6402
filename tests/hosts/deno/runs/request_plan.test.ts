import { assertEquals, assertThrows } from "@std/assert";
import { digits, faces, texture } from "../../../../datasets/profiles/mod.ts";
import { planOf } from "../../../../hosts/deno/runs/request_plan.ts";
import { builtins } from "../../../../plugins/mod.ts";
import type { RunRequest } from "../../../../hosts/deno/runs/run_request.ts";

Deno.test("planOf: layers that make nothing, because images come from noise, take no settings", () => {
  const digitsOf = (request: Partial<RunRequest>) =>
    planOf(digits, { from: "noise", ...request } as RunRequest, builtins);
  const refused: readonly (readonly [string, Partial<RunRequest>])[] = [
    ["--prior", { prior: "gmm" }],
    ["--context", { contexts: ["none"] }],
    ["--z-step", { zStep: "map" }],
    ["--set prior.neighbours", { set: ["prior.neighbours=7"] }],
    ["--set square.weight", { set: ["noise.tries=2", "square.weight=0.5"] }],
    ["--set layers.1.window", { set: ["layers.1.window=2"] }],
    ["--set layers.0.iterations", { set: ["layers.0.iterations=3"] }],
  ];
  for (const [flag, request] of refused) {
    const sentence = `Cannot use ${flag} with images from noise: no layer follows in profile digits (noise.layer 0)`;
    assertThrows(() => digitsOf(request), Error, sentence);
    planOf(digits, { ...request, set: request.set?.slice(-1) } as RunRequest, builtins); // layers draw
  }
  // By these images are measured, and this makes layers follow.
  assertEquals(digitsOf({ set: ["layers.0.overlap=1"] }).compared.overlap, 1);
  assertEquals(digitsOf({ set: ["noise.layer=1"], zStep: "map" }).layers.length, 1);
});

Deno.test("planOf: the layers that follow images from noise take settings, and coarser ones do not", () => {
  const facesOf = (...set: string[]) => planOf(faces, { set } as RunRequest, builtins), count = facesOf().layers.length;
  assertEquals(facesOf(`layers.${count - 1}.iterations=2`).layers.at(-1)!.iterations.length, 2);
  assertThrows(
    () => facesOf(`layers.${count}.window=2`),
    Error,
    `Cannot use --set layers.${count}.window with images from noise: only layers below ${count} follow in profile faces`,
  );
  assertEquals(planOf(texture, { zStep: "map" } as RunRequest, builtins).layers.length, 2);
});
