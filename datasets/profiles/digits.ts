import type { Profile } from "../../core/profile.ts";
import { digitsPaper } from "./digits_paper.ts";

/** Handwritten digits: for now the values of the paper's table 1, which `digits-paper` keeps. */
export const digits: Profile = {
  ...digitsPaper,
  name: "digits",
  about: "handwritten digits, 32x32, each class from its own training images",
};
