/** A small pack as the worker describes it to the page, and choices that fit it. */
import { type Choices, DEFAULTS } from "../../../../pipelines/page/choices.ts";
import type { OpenedPack } from "../../../../hosts/web/worker/protocol.ts";
import { openSynthesizer } from "../../../../pipelines/synthesis/synthesizer.ts";
import { builtins } from "../../../../plugins/mod.ts";
import { newKernels, smallPack } from "../../../datasets/formats/packs.ts";

/** A pack of 16x16 images with seed images of 4x4. `options` are those of `smallPack`. */
export function openedPack(options = {}): OpenedPack {
  const pack = smallPack(options), { classes } = openSynthesizer(newKernels(), pack, builtins);
  return {
    profile: pack.profile,
    origin: pack.origin,
    fingerprint: "",
    kernels: "",
    classes,
    train: { count: 24, labels: pack.train.labels },
    examples: [],
    exampleShape: { height: 16, width: 16, channels: 1 },
    shape: { height: 16, width: 16, channels: 1 },
    seeds: { ...pack.seeds, shape: { height: 4, width: 4, channels: 1 } },
  };
}
/** Choices that fit the pack with labels. */
export const choices: Choices = {
  ...DEFAULTS,
  class: 5,
  tile: 1,
  frame: { layer: 1, iteration: 0 },
  pixel: { y: 7, x: 7 },
};
