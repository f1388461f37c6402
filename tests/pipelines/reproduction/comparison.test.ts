import { assert, assertEquals } from "@std/assert";
import { comparedVariants, findingsOf } from "../../../pipelines/reproduction/comparison.ts";
import { digits } from "../../../datasets/profiles/mod.ts";
import { builtins } from "../../../plugins/mod.ts";

Deno.test("comparedVariants: every prior with and without context, every context and z-step of the profile's own, each once", () => {
  const all = comparedVariants(digits, [], builtins),
    text = all.map(({ prior, contexts, zStep }) => `${prior} ${contexts} ${zStep}`);
  assertEquals(new Set(text).size, text.length);
  for (const { kind, name } of builtins.plugins) {
    if (kind === "prior") assert(text.includes(`${name} none sample`) && text.includes(`${name} square sample`), name);
    if (kind === "context") assert(text.includes(`local-nn ${name} sample`), name);
  }
  for (const more of ["square + horizontal sample", "square map", "square mean"]) {
    assert(text.includes(`local-nn ${more}`));
  }
  assertEquals(all[0].profile.prior, digits.prior, "the profile's own prior keeps its options");
  const some = comparedVariants(digits, ["gmm"], builtins);
  assertEquals(some.map(({ prior, contexts }) => [prior, contexts]), [["gmm", "square"], ["gmm", "none"]]);
});

Deno.test("findingsOf: what the paper expects, where both priors were compared", () => {
  const row = (prior: string, likelihood: number, sharpness: number, contexts = "none") => {
    return { prior, contexts, zStep: "sample" as const, scores: { likelihood, sharpness } };
  };
  const local = row("local-nn", -70, 0.9), invariant = row("spatially-invariant", -90, 1), gmm = row("gmm", -80, 0.95);
  assertEquals(findingsOf([local, row("gmm", 0, 0, "square")]), []);
  assertEquals(findingsOf([local, invariant, gmm]), [
    "Without context the spatially invariant prior has LL -90.00, the local one -70.00: as the paper expects.",
    "Without context the GMM prior has sharpness 0.950, the local one 0.900: not smoother, which the paper does not expect.",
  ]);
});
