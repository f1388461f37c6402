/** A profile for restoration: the same patches and places as for synthesis, other weights. */
import type { Profile, ProfileLayer } from "../../core/profile.ts";

/** The inverse problems, by what measured the image: H, a mask, or the identity with noise. */
export const tasks = ["superres", "inpaint", "denoise"] as const;
export type RestorationTask = typeof tasks[number];

/** How images were spoiled. */
export interface Degradation {
  readonly task: RestorationTask;
  /** superres: how many times smaller the measured image is, a power of 2. */
  readonly factor?: number;
  /** inpaint: the name or file of the mask. */
  readonly mask?: string;
  /** denoise: standard deviation of the noise, white being 1. */
  readonly noise?: number;
}

/** The weights of a task. Lists have a value for each iteration. */
interface Weights {
  readonly neighbours: number;
  readonly rho: readonly number[];
  /** lambda / rho. */
  readonly faithful: number;
}

/**
 * Synthesis draws from 100 examples whose LR distance hardly counts; a restored image is to be likely, not new.
 *
 * Settled on 40 to 60 MNIST training images that were held out, in mean mode, as PSNR: super-resolution 24.9 dB with the
 * synthesis weights, 28.8 with these; denoising 26.1 with the rho of super-resolution times 1000, 28.4 with these.
 * To measure again: `deno task restore --profile digits --task denoise --z-step mean --set layers.0.rho.3=100`, and so on.
 */
function weightsOf({ task, noise = 0 }: Degradation): Weights {
  // The LR image was measured without noise: X must come down to it.
  if (task === "superres") return { neighbours: 30, rho: [0.01, 0.1, 1, 10], faithful: 200 };
  if (task === "inpaint") return { neighbours: 30, rho: [0.01, 0.1, 1, 10], faithful: 0.1 };
  // Noisy patches are weighed less than their likelihood, 1 / noise^2, says: few examples would be left. The last X-step takes
  // the patches' word. Many examples: the noise averages out.
  return { neighbours: 300, rho: [0.1, 0.1, 0.2, 5].map((part) => part / (noise * noise)), faithful: 0.1 };
}

/** h for each pixel of a patch, as LR distances grow with its area: 0.1 for the digits' 6x6. */
const H = 0.1 / 36;

/**
 * A profile's restoration. Super-resolution by 2^k passes the k finest layers only. Every iteration has a grid of its own and
 * neighbouring patches share half of their side: a restored pixel is the better, the more patches agree on it.
 */
export function restorationProfile(profile: Profile, spoiled: Degradation): Profile {
  const [name, options = {}] = typeof profile.prior === "string" ? [profile.prior] : profile.prior;
  const weights = weightsOf(spoiled), { neighbours } = weights;
  const layers = spoiled.factor === undefined ? profile.layers : profile.layers.slice(0, Math.log2(spoiled.factor));
  return {
    ...profile,
    prior: "neighbours" in options ? [name, { ...options, neighbours }] : profile.prior,
    layers: layers.map((layer) => restorationLayer(layer, weights, profile.patch)),
  } as Profile;
}

function restorationLayer(layer: ProfileLayer, { rho, faithful }: Weights, patch: number): ProfileLayer {
  const overlap = Math.max(layer.overlap, Math.floor(patch / 2)), shift = Math.min(1, patch - overlap - 1);
  return {
    overlap,
    window: Math.max(layer.window, 2),
    iterations: rho.length,
    h: rho.map(() => H * patch * patch),
    rho,
    lambda: rho.map((rho) => faithful * rho),
    offsets: [[0, 0], [shift, 0], [0, shift], [shift, shift]],
  };
}
