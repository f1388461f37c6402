import type { Profile } from "../../core/profile.ts";
import { digitsPaper } from "./digits_paper.ts";

const [finest, ...coarser] = digitsPaper.layers;

/**
 * Handwritten digits, more various and more likely than with the paper's values (`digits-paper`), which it shares but for four.
 */
export const digits: Profile = {
  ...digitsPaper,
  name: "digits",
  about: "handwritten digits, 32x32, each class from its own training images",
  prior: ["local-nn", { neighbours: 350, hubPenalty: 1.6 }],
  seedNoise: 0.04,
  seedModel: "parzen",
  layers: [{ ...finest, projection: 4 }, ...coarser],
};
