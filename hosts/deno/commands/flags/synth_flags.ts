/** The flags of `synth`: a worker of an engine reads those that a run recorded. */
import { backgroundFlag, forceFlag, pluginFlags, quietFlag, threadsFlag } from "./common_flags.ts";
import { engineFlags, packUrlFlag } from "./engine_flags.ts";
import type { Given } from "./flags.ts";
import { partsFlags } from "./parts_flags.ts";

/** The flags. */
export const SYNTH_FLAGS = {
  profile: {
    value: "NAME|FILE",
    about:
      "what to synthesize: digits, faces, colour-faces, objects, texture, sprites, digits-paper, faces-paper, a profile.json of your own, or a pack",
  },
  run: {
    value: "PATH|ADDRESS",
    about:
      "make the images of a run again: its run.json, its folder, or an address of the page; goes with flags that change no image, such as --data, --shard, --plugin and --out",
  },
  size: { value: "WIDTHxHEIGHT", about: "size of the images; textures may have any (the profile's)" },
  count: { value: "N", about: "how many images (16)" },
  seed: { value: "N", about: "random seed: the same seed gives the same bytes (1)" },
  class: {
    value: "LIST|all",
    about:
      "these classes in turn: 3 or 0-9 or 1,3,7-9 or cats,dogs; all: one model of all classes together (each class in turn)",
  },
  data: {
    value: "PATH",
    about: "training images: IDX files, a folder of pictures, a pack, or the picture of a texture",
  },
  from: {
    value: "test|model|quilt|noise|PATH",
    about:
      "seed images: from the test images, a model of the training images, blocks of an exemplar, pure noise, or pictures or IDX files (test; for textures quilt)",
  },
  prior: { value: "NAME", about: "another prior than the profile's" },
  context: {
    value: "NAME",
    many: true,
    about: "a context in place of the profile's; several times for more; none: no context",
  },
  "z-step": {
    value: "sample|map|mean",
    about: "estimator of the z-step: a random patch, the likeliest one, or the mean (the profile's)",
  },
  set: {
    value: "NAME=VALUE",
    many: true,
    about: "change a value of the profile: prior.neighbours=50, layers.0.window=1",
  },
  mirror: { about: "learn from the mirror images of the training images, too; run.json numbers them after the others" },
  warp: {
    value: "N",
    about:
      "learn from N deformed copies of each training image, too, for few images of handwriting; run.json numbers them last",
  },
  without: {
    value: "ID,...",
    many: true,
    about:
      "leave training images out, by number or file, as if they had never been there; the others keep their numbers",
  },
  tile: {
    value: "x|y|both",
    about: "textures only: make images that continue without a seam to the right (x), below (y), or both",
  },
  "min-originality": {
    value: "X",
    about: "draw an image again, at most 8 times in all, while its originality is below X; keep the most original",
  },
  dependencies: {
    about:
      "write which training images each image depends on, in all layers, so that forget makes only dependent images anew",
  },
  ...partsFlags,
  ...backgroundFlag,
  ...pluginFlags,
  ...threadsFlag("bytes"),
  ...engineFlags,
  ...packUrlFlag,
  out: { value: "DIR", about: "where the results go (out/PROFILE)" },
  ...forceFlag,
  json: { about: "print run.json to the standard output; with parts, a line of JSON after each of them" },
  ...quietFlag,
} as const;

/** Their values. */
export type SynthFlags = Given<typeof SYNTH_FLAGS>;
