/** What lies side by side on the page: from choices to requests. */
import type { AnyPlugin } from "../../core/plugin.ts";
import { optionValues } from "../../core/options.ts";
import type { Registry } from "../../core/registry.ts";
import { lengthOf } from "../../core/shape.ts";
import { seedNumbers } from "../../datasets/groups.ts";
import type { SynthesisRequest } from "../../pipelines/synthesis/request.ts";
import type { Choices } from "./choices.ts";
import type { Opened } from "./protocol.ts";

/** How many samples of one seed image lie side by side. */
export const SAMPLES = 4;

/** One image of one of the requests. */
export interface Tile {
  readonly title: string;
  readonly about?: string;
  /** -1: of none, as long as nobody chooses it. */
  readonly synthesisRequest: number;
  /** Which of the request's images. */
  readonly image: number;
}

/** What differs from column to column. */
type Column = Pick<Tile, "title" | "about"> & Partial<SynthesisRequest> & {
  /** Made only where it is chosen. */
  readonly slow?: boolean;
};

/** The requests that choices lead to; the choices fit the pack. */
export function tilesOf(
  choices: Choices,
  pack: Opened,
  plugins: Registry,
): { synthesisRequests: SynthesisRequest[]; tiles: Tile[] } {
  const synthesisRequest = { ...requestOf(choices, pack), seedImages: seedImageOf(choices, pack) };
  const alone = (columns: readonly Column[]) => {
    const synthesisRequests: SynthesisRequest[] = [];
    const tiles = columns.map(({ title, about, slow, ...changed }, i): Tile => {
      if (slow && choices.tile !== i) return { title, about, synthesisRequest: -1, image: 0 };
      return {
        title,
        about,
        synthesisRequest: synthesisRequests.push({ ...synthesisRequest, ...changed }) - 1,
        image: 0,
      };
    });
    return { synthesisRequests, tiles };
  };
  if (choices.view === "priors") {
    const own = choices.prior ?? nameOf(pack.profile.prior);
    return alone(
      ofKind(plugins, "prior").map((plugin) => ({
        title: plugin.name,
        about: plugin.about,
        slow: isSlow(plugin),
        prior: plugin.name === nameOf(pack.profile.prior) ? undefined : plugin.name,
        set: plugin.name === own ? synthesisRequest.set : withoutOptions(synthesisRequest.set, "prior", plugin.options),
      })),
    );
  }
  if (choices.view === "contexts") {
    const layers = synthesisRequest.set?.filter((setting) => /^(prior|layers)\./.test(setting));
    const names = pack.profile.contexts.map(nameOf).join(" + ") || "none";
    return alone([
      { title: names, about: "the profile's own", contexts: undefined, set: layers },
      ...names === "none" ? [] : [{ title: "none", about: "no context", contexts: [], set: layers }],
      ...ofKind(plugins, "context").filter(({ name }) => name !== names).map((plugin) => ({
        title: plugin.name,
        about: plugin.about,
        contexts: [plugin.name],
        set: layers,
      })),
    ]);
  }
  const images = Array.from({ length: SAMPLES }, (_, i) => i), [one] = [synthesisRequest.seedImages];
  const seedImages = new Float32Array(SAMPLES * one.length);
  for (const i of images) seedImages.set(one, i * one.length);
  return {
    synthesisRequests: [{ ...synthesisRequest, images, seedImages }],
    tiles: images.map((image) => ({ title: `Sample ${image + 1}`, synthesisRequest: 0, image })),
  };
}

/** The class that choices mean: the first where they name none; undefined where the pack has no classes. */
export function classOf(choices: Choices, pack: Opened): number | "all" | undefined {
  if (pack.classes.length === 0) return undefined;
  return choices.class ?? (pack.profile.classwise ? pack.classes[0] : "all");
}

/** A seed image as floats: the pack's own number of its class, or the drawn bytes. */
export function seedImageOf({ seedImage, ...choices }: Choices, { seeds, ...pack }: Opened): Float32Array {
  if (typeof seedImage !== "number") return Float32Array.from(seedImage, (byte) => byte / 255);
  const label = classOf({ seedImage, ...choices }, { seeds, ...pack });
  const group = { label: typeof label === "number" ? label : undefined, images: [seedImage] };
  const [number] = seedNumbers(group, 1, {
    count: seeds.count,
    labels: group.label === undefined ? undefined : seeds.labels,
  });
  const length = lengthOf(seeds.shape);
  return seeds.images.subarray(number * length, (number + 1) * length);
}

/** Everything but the seed image, for image 0. */
function requestOf(choices: Choices, pack: Opened): SynthesisRequest {
  const { seed, prior, contexts, zStep, set } = choices;
  return { class: classOf(choices, pack), seed, images: [0], prior, contexts, zStep, set };
}

/** Settings without those of `owner.option` where there is no such option. */
function withoutOptions(set: readonly string[] | undefined, owner: string, options: object): string[] | undefined {
  return set?.filter((setting) => {
    const [of, option] = setting.split("=")[0].split(".");
    return of !== owner || Object.hasOwn(options, option);
  });
}

function ofKind(plugins: Registry, kind: "prior" | "context"): AnyPlugin[] {
  return plugins.plugins.filter((plugin) => plugin.kind === kind);
}

/** Whether a prior takes long to fit: those that do fit in parts. */
function isSlow(plugin: AnyPlugin): boolean {
  return "parts" in plugin.create(optionValues(plugin, {}));
}

function nameOf(choice: unknown): string {
  return Array.isArray(choice) ? choice[0] : String(choice);
}
