import type { Profile } from "../../core/profile.ts";
import type { Builtin } from "../../plugins/mod.ts";
import { digitsPaper } from "./digits_paper.ts";

const [finest, ...coarser] = digitsPaper.layers;

/**
 * Handwritten digits, more various and more likely than with the paper's values (`digits-paper`), which it shares but for four.
 */
export const digits = {
  ...digitsPaper,
  name: "digits",
  about: "handwritten digits, 32x32, each class from its own training images",
  prior: ["local-nn", { neighbours: 350, hubPenalty: 1.6 }],
  seedNoise: 0.04,
  layers: [{ ...finest, projection: 4 }, ...coarser],
} satisfies Profile<Builtin>;
