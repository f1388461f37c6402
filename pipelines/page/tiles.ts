/** The images side by side on the page, and the requests that they come from. */
import { DEFAULT_DENOISER } from "../../core/profile.ts";
import { range } from "../../core/numbers.ts";
import { optionValues } from "../../core/options.ts";
import type { AnyPlugin } from "../../core/plugin.ts";
import type { Registry } from "../../core/registry.ts";
import { lengthOf } from "../../core/shape.ts";
import { seedNumbers } from "../../datasets/groups.ts";
import type { SynthesisRequest } from "../synthesis/request.ts";
import type { PagePack } from "./page_pack.ts";
import type { Choices } from "./choices.ts";

/** The number of samples of one seed image. */
export const SAMPLES = 4;

/** One of the images side by side. */
export interface Tile {
  readonly title: string;
  readonly about?: string;
  /** What its image begins with, in a few words, where that differs from tile to tile. */
  readonly note?: string;
  /** The index of its request; -1: it is not requested until it is selected. */
  readonly request: number;
  /** Its index among the request's images. */
  readonly image: number;
  /** Whether its image takes long: it is requested only if it is selected. */
  readonly slow?: boolean;
}

/** A tile with a request of its own, and the entries of that request that differ from those of the other tiles. */
type Variant = Pick<Tile, "title" | "about" | "note" | "slow"> & Partial<SynthesisRequest>;

/** Returns the requests and tiles of choices, which the pack can use: see `usableChoices`. */
export function tilesOf(
  choices: Choices,
  pack: PagePack,
  plugins: Registry,
): { requests: SynthesisRequest[]; tiles: Tile[] } {
  const own = requestOf(choices, pack);
  if (pack.profile.aligned === false) {
    return { requests: [own], tiles: [{ title: "Texture", request: 0, image: 0 }] };
  }
  const seeded = { ...own, from: sourceOf({ seedImage: 0 }, pack), seedImages: seedImageOf(choices, pack) };
  const request = choices.seedImage === "noise" ? own : seeded;
  const oneRequestEach = (variants: readonly Variant[]) => {
    const requests: SynthesisRequest[] = [];
    const tiles = variants.map(({ title, about, note, slow, ...changed }, i): Tile => {
      const waits = slow && choices.tile !== i;
      const request = waits ? -1 : requests.push({ ...seeded, ...changed }) - 1;
      return { title, about, note, request, image: 0, ...slow && { slow } };
    });
    return { requests, tiles };
  };
  if (choices.view === "priors") {
    const chosen = choices.prior ?? nameOf(pack.profile.prior);
    const priors = ofKind(plugins, "prior").map((plugin): Variant => ({
      title: plugin.name,
      about: plugin.about,
      note: "from the squares",
      slow: isSlow(plugin),
      prior: plugin.name === nameOf(pack.profile.prior) ? undefined : plugin.name,
      set: plugin.name === chosen ? request.set : withoutOptions(request.set, "prior", plugin.options),
    }));
    return oneRequestEach([...priors, ...denoiserVariants(choices, pack, plugins)]);
  }
  if (choices.view === "contexts") {
    const layers = request.set?.filter((setting) => /^(prior|layers)\./.test(setting));
    const names = pack.profile.contexts.map(nameOf).join(" + ") || "none";
    return oneRequestEach([
      { title: names, about: "the profile's contexts", contexts: undefined, set: layers },
      ...names === "none" ? [] : [{ title: "none", about: "no context", contexts: [], set: layers }],
      ...ofKind(plugins, "context").filter(({ name }) => name !== names).map((plugin) => ({
        title: plugin.name,
        about: plugin.about,
        contexts: [plugin.name],
        set: layers,
      })),
    ]);
  }
  const images = [...range(SAMPLES)];
  const samples = images.map((image) => ({ title: `Sample ${image + 1}`, request: 0, image }));
  if (choices.seedImage === "noise") return { requests: [{ ...request, images }], tiles: samples };
  const one = seeded.seedImages;
  const seedImages = new Float32Array(SAMPLES * one.length);
  for (const i of images) seedImages.set(one, i * one.length);
  return {
    requests: [{ ...request, images, seedImages }],
    tiles: samples,
  };
}

/**
 * Returns the index of the tile that shows what the samples do: among methods, the prior or denoiser of the choices or else of the
 * profile. Choices must fit the pack.
 */
export function ownTile(choices: Choices, pack: PagePack, plugins: Registry): number {
  if (choices.view !== "priors" || pack.profile.aligned === false) return 0;
  const { prior, set, seedImage } = choices, { profile } = pack;
  const denoiser = set.findLast((setting) => setting.startsWith(DENOISER_SETTING))?.slice(DENOISER_SETTING.length);
  const kind = seedImage === "noise" ? "denoiser" : "prior";
  const own = kind === "denoiser" ? denoiser ?? denoiserOf(profile) : prior ?? nameOf(profile.prior);
  const priors = ofKind(plugins, "prior"), first = kind === "denoiser" ? priors.length : 0;
  return first + Math.max(0, ofKind(plugins, kind).findIndex(({ name }) => name === own));
}

/** How the setting begins that names the denoiser. */
const DENOISER_SETTING = "noise.denoiser=";

/** The denoiser of a profile. */
function denoiserOf({ noise }: PagePack["profile"]): string {
  return noise?.denoiser === undefined ? DEFAULT_DENOISER : nameOf(noise.denoiser);
}

/** Tiles of denoisers, whose images come from noise with the same random seed. */
function denoiserVariants({ set }: Choices, { profile, shape }: PagePack, plugins: Registry): Variant[] {
  const own = denoiserOf(profile);
  const settings = set.filter((setting) => setting.startsWith("noise."));
  // The images of noise lie some layers above the finished ones.
  const values = lengthOf(shape) / 4 ** (profile.noise?.layer ?? 0);
  return ofKind(plugins, "denoiser").map(({ name, about }) => ({
    title: name,
    about,
    note: "from noise",
    slow: !FAST_DENOISERS.includes(name) || name === WIENER && values > WIENER_VALUES,
    from: "noise",
    prior: undefined,
    contexts: undefined,
    zStep: undefined,
    seedImages: undefined,
    set: name === own ? settings : [...settings, DENOISER_SETTING + name],
  }));
}

/** A denoiser whose time to fit grows with the third power of the values of an image, and the most for which it takes a few seconds. */
const WIENER = "wiener", WIENER_VALUES = 1024;
/** The denoisers that make a digit in less than a second; `pca-locality` takes some seconds to fit. */
const FAST_DENOISERS: readonly string[] = [DEFAULT_DENOISER, WIENER];

/** Where images come from by a request: undefined where that is what the profile says. */
export function sourceOf(
  { seedImage }: Pick<Choices, "seedImage">,
  { profile }: Pick<PagePack, "profile">,
): SynthesisRequest["from"] {
  if (seedImage === "noise") return "noise";
  return profile.from === "noise" ? "test" : undefined;
}

/** Returns the class that choices mean, see `Choices.class`; undefined if the pack has no classes. */
export function classOf(choices: Choices, pack: PagePack): number | "all" | undefined {
  if (pack.classes.length === 0) return undefined;
  return choices.class ?? (pack.profile.classwise ? pack.classes[0] : "all");
}

/**
 * Returns the seed image that choices mean, channels x height x width values in [0, 1]: one of the pack's, or the drawn one. From
 * noise it is the pack's first one, for what is shown beside them.
 */
export function seedImageOf({ seedImage: chosen, ...choices }: Choices, { seeds, ...pack }: PagePack): Float32Array {
  if (chosen instanceof Uint8Array) return Float32Array.from(chosen, (byte) => byte / 255);
  const seedImage = chosen === "noise" ? 0 : chosen;
  const label = classOf({ seedImage, ...choices }, { seeds, ...pack });
  const group = { label: typeof label === "number" ? label : undefined, images: [seedImage] };
  const [number] = seedNumbers(group, 1, {
    count: seeds.count,
    labels: group.label === undefined ? undefined : seeds.labels,
  });
  const length = lengthOf(seeds.shape);
  return seeds.images.subarray(number * length, (number + 1) * length);
}

/** The request of image 0, without its seed image. */
function requestOf(choices: Choices, pack: PagePack): SynthesisRequest {
  const { seed, prior, contexts, zStep, set } = choices, from = sourceOf(choices, pack);
  return { class: classOf(choices, pack), seed, images: [0], prior, contexts, zStep, set, from };
}

/** Leaves out those settings `owner.option` that name none of the options. */
function withoutOptions(set: readonly string[] | undefined, owner: string, options: object): string[] | undefined {
  return set?.filter((setting) => {
    const [plugin, option] = setting.split("=")[0].split(".");
    return plugin !== owner || Object.hasOwn(options, option);
  });
}

function ofKind(plugins: Registry, kind: "prior" | "context" | "denoiser"): AnyPlugin[] {
  return plugins.plugins.filter((plugin) => plugin.kind === kind);
}

/** Whether a prior takes long to fit: such priors fit in parts. */
function isSlow(plugin: AnyPlugin): boolean {
  return "parts" in plugin.create(optionValues(plugin, {}));
}

function nameOf(choice: unknown): string {
  return Array.isArray(choice) ? choice[0] : String(choice);
}
