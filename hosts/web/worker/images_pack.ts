/** Makes a pack of a visitor's pictures. */
import type { Kernels } from "../../../core/kernels.ts";
import { plan } from "../../../core/plan.ts";
import type { Profile } from "../../../core/profile.ts";
import type { DataSet } from "../../../datasets/data_set.ts";
import type { Pack } from "../../../datasets/formats/pack.ts";
import { makePack } from "../../../pipelines/synthesis/make_pack.ts";
import { morphHere } from "../../../pipelines/synthesis/morph_training.ts";
import { builtins } from "../../../plugins/mod.ts";

/** The most seed images of a class in a pack that the page makes. */
const MAX_SEED_IMAGES = 60;

/**
 * Makes a pack of pictures, or of the morphs of them that the profile asks for. These are made once: the pack's profile asks for none,
 * or they would be made again whenever it is opened.
 *
 * @throws {Error} as `makePack`, and if no pair of pictures can be morphed
 */
export function imagesPack(kernels: Kernels, profile: Profile, data: DataSet): Pack {
  const { morph: _, morphOf: __, ...unmorphed } = profile, learned = morphHere(kernels, data, plan(profile, builtins));
  return makePack(kernels, plan(unmorphed, builtins), learned, { seedImagesPerClass: MAX_SEED_IMAGES });
}
