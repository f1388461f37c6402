/** Derives the profile of a restoration: the patches and locations of synthesis with other weights. */
import type { Profile, ProfileLayer } from "../../core/profile.ts";
import { suggestion } from "../../core/suggestion.ts";
import { profileSize, resizedProfile } from "../../core/resized_profile.ts";
import { profiles } from "../../datasets/profiles/mod.ts";
import type { Degradation } from "./degradation.ts";

/** The weights of a task. Lists have one value per iteration. */
interface Weights {
  /** Examples that a patch is drawn from. */
  readonly neighbours: number;
  readonly rho: readonly number[];
  /** lambda / rho: the weight of the LR image relative to rho. */
  readonly dataWeight: number;
}

/**
 * Returns the weights of a task. Synthesis draws from 100 examples whose LR distance hardly counts; a restored image should be
 * likely, not new.
 *
 * Settled on 40 to 60 MNIST training images that were held out, in mean mode, as PSNR: super-resolution 24.9 dB with the
 * synthesis weights, 28.8 with these; denoising 26.1 with the rho of super-resolution times 1000, 28.4 with these.
 * To measure again: `deno task restore --profile digits-paper --task denoise --z-step mean --set layers.0.rho.3=100`, and so on.
 */
function weightsOf({ task, noise = 0 }: Degradation): Weights {
  // The LR image has no noise: H X must equal it.
  if (task === "superres") return { neighbours: 30, rho: [0.01, 0.1, 1, 10], dataWeight: 200 };
  if (task === "inpaint") return { neighbours: 30, rho: [0.01, 0.1, 1, 10], dataWeight: 0.1 };
  // The first iterations weigh noisy patches less than their likelihood, 1 / noise^2, which would leave few examples. The last
  // X-step trusts the patches. Many examples average the noise out.
  return { neighbours: 300, rho: [0.1, 0.1, 0.2, 5].map((part) => part / (noise * noise)), dataWeight: 0.1 };
}

/** h per pixel of a patch, because LR distances grow with its area: 0.1 for the 6x6 patches of digits. */
const H = 0.1 / 36;

/**
 * Returns the profile that restores what `degradation` says: that of `restoredAs` with other weights. Super-resolution by 2^k keeps the k finest layers only. Every
 * iteration has its own grid, and neighbouring patches share half of their side, because a pixel is restored better the more
 * patches cover it.
 */
export function restorationProfile(given: Profile, degradation: Degradation): Profile {
  // Seed images are given.
  const { from: _, ...profile } = restoredAs(given), weights = weightsOf(degradation), { neighbours } = weights;
  const { factor } = degradation, { layers: all } = profile;
  if (factor !== undefined && factor > 2 ** all.length) {
    const depth = `expected at most ${2 ** all.length}, as profile "${profile.name}" has ${all.length} layers`;
    throw new RangeError(`Cannot enlarge ${factor} times: ${depth}`);
  }
  const layers = factor === undefined ? all : all.slice(0, Math.log2(factor));
  return {
    ...profile,
    prior: withNeighbours(profile.prior, neighbours),
    layers: layers.map((layer) => restorationLayer(layer, weights, profile.patch)),
    relativeH: false,
    seedNoise: 0,
  };
}

/**
 * Returns the profile that `restoredAs` names, for images of the same size and channels, and with the same morphs; without that entry the profile itself.
 *
 * @throws {Error} if there is no built-in profile of that name
 */
export function restoredAs(profile: Profile): Profile {
  const { restoredAs: name, channels, dataset, morph, morphOf } = profile;
  if (name === undefined) return profile;
  if (!Object.hasOwn(profiles, name)) {
    const known = suggestion(name, Object.keys(profiles));
    throw new Error(
      `Cannot restore as "restoredAs" of profile "${profile.name}": there is no profile "${name}"${known}`,
    );
  }
  const other = profiles[name], size = profileSize(profile), { height, width } = profileSize(other);
  const isSame = size.height === height && size.width === width;
  return {
    ...isSame ? other : resizedProfile(other, size),
    dataset,
    ...channels && { channels },
    ...morph && { morph, ...morphOf && { morphOf } },
  };
}

/** Replaces the number of neighbours of a prior that has it among its options. */
function withNeighbours(prior: Profile["prior"], neighbours: number): Profile["prior"] {
  return typeof prior !== "string" && "neighbours" in prior[1] ? [prior[0], { ...prior[1], neighbours }] : prior;
}

function restorationLayer(
  layer: ProfileLayer,
  { rho, dataWeight, neighbours }: Weights,
  profilePatch: number,
): ProfileLayer {
  const { patch = profilePatch } = layer;
  const overlap = Math.max(layer.overlap, Math.floor(patch / 2)), shift = Math.min(1, patch - overlap - 1);
  return {
    overlap,
    window: Math.max(layer.window, 2),
    iterations: rho.length,
    h: rho.map(() => H * patch * patch),
    rho,
    lambda: rho.map((rho) => dataWeight * rho),
    offsets: [[0, 0], [shift, 0], [0, shift], [shift, shift]],
    ...layer.patch && { patch },
    ...layer.prior && { prior: withNeighbours(layer.prior, neighbours) },
    ...layer.contexts && { contexts: layer.contexts },
  };
}
