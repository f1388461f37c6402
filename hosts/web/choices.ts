/** All that a person chose on the page, as plain data, and as the part of an address behind its `#`. */
import type { ZStep } from "../../core/types.ts";

/** What is laid side by side: images of other numbers, priors, or contexts. */
export type View = "samples" | "priors" | "contexts";

/** All that decides what the page shows. */
export interface Choices {
  /** Name of a pack that comes with the page, or the fingerprint of one that was opened from a file. */
  readonly pack: string;
  /** By default the pack's first class. */
  readonly class?: number | "all";
  /** The random seed. */
  readonly seed: number;
  /** The seed image: a number among the pack's of this class, or the bytes of one drawn by hand. */
  readonly seedImage: number | Uint8Array;
  /** As the flags of `synth`: by default the profile's. */
  readonly prior?: string;
  readonly contexts?: readonly string[];
  readonly zStep?: ZStep;
  /** `name=value` each. */
  readonly set: readonly string[];
  readonly view: View;
  /** Which of the images that lie side by side is looked at. */
  readonly tile: number;
  /** Which iteration of which layer is looked at (-1: what the layer begins with); by default the last one of all. */
  readonly frame?: { readonly layer: number; readonly iteration: number };
  /** Which pixel of it. */
  readonly pixel?: { readonly y: number; readonly x: number };
}

/** What the page starts with. */
export const FIRST: Choices = { pack: "digits", seed: 1, seedImage: 0, set: [], view: "samples", tile: 0 };

const VIEWS: readonly View[] = ["samples", "priors", "contexts"];
const Z_STEPS: readonly ZStep[] = ["sample", "map", "mean"];
const KEYS = [
  "pack",
  "class",
  "seed",
  "from",
  "drawn",
  "prior",
  "context",
  "zStep",
  "set",
  "view",
  "tile",
  "frame",
  "pixel",
];
/** The longest address that is read: browsers and messengers cut longer ones. */
const LONGEST = 16_000;
/** The most values of a seed image in an address. */
const MOST_DRAWN = 4096;

/** Choices as the text behind an address's `#`; what is as in `FIRST` is left out. */
export function writeChoices(choices: Choices): string {
  const { seedImage, frame, pixel } = choices, text = new URLSearchParams();
  text.set("pack", choices.pack);
  if (choices.class !== undefined) text.set("class", String(choices.class));
  if (choices.seed !== FIRST.seed) text.set("seed", String(choices.seed));
  if (typeof seedImage !== "number") text.set("drawn", toBase64(seedImage));
  else if (seedImage !== FIRST.seedImage) text.set("from", String(seedImage));
  if (choices.prior !== undefined) text.set("prior", choices.prior);
  if (choices.contexts?.length === 0) text.set("context", "none");
  for (const name of choices.contexts ?? []) text.append("context", name);
  if (choices.zStep !== undefined) text.set("zStep", choices.zStep);
  for (const setting of choices.set) text.append("set", setting);
  if (choices.view !== FIRST.view) text.set("view", choices.view);
  if (choices.tile !== FIRST.tile) text.set("tile", String(choices.tile));
  if (frame) text.set("frame", `${frame.layer}.${frame.iteration + 1}`);
  if (pixel) text.set("pixel", `${pixel.y}.${pixel.x}`);
  return text.toString();
}

/**
 * Reads what `writeChoices` wrote. Never throws: what cannot be read is as in `FIRST`, and `problems` has a sentence for
 * each such part. What only the pack can tell (whether it has such a class) is for whoever opens it.
 */
export function readChoices(text: string): { choices: Choices; problems: string[] } {
  const problems: string[] = [];
  if (text.length > LONGEST) {
    return { choices: FIRST, problems: [`The link is too long to be read: ${text.length} of ${LONGEST} characters.`] };
  }
  const given = new URLSearchParams(text);
  const one = <T>(key: string, wanted: string, read: (value: string) => T | undefined): T | undefined => {
    const values = given.getAll(key);
    if (values.length === 0) return undefined;
    const value = values.length === 1 ? read(values[0]) : undefined;
    if (value === undefined) {
      problems.push(`Cannot use ${key}=${short(values.join(" and "))} of the link: expected ${wanted}.`);
    }
    return value;
  };
  for (const key of new Set(given.keys())) {
    if (!KEYS.includes(key)) problems.push(`The link says ${short(key)}, which this page does not know.`);
  }
  const number = (most: number) => (value: string) => {
    return /^\d{1,16}$/.test(value) && Number(value) <= most ? Number(value) : undefined;
  };
  const pair = (value: string) => {
    const found = /^(\d{1,5})\.(\d{1,5})$/.exec(value);
    return found ? [Number(found[1]), Number(found[2])] as const : undefined;
  };
  const name = (value: string) => /^[\w.:-]{1,80}$/.test(value) ? value : undefined;
  const among = <T extends string>(names: readonly T[]) => (value: string) => names.find((valid) => valid === value);

  const drawn = one("drawn", "a drawn seed image", fromBase64);
  const from = one("from", "the number of a seed image", number(1e6));
  const contexts = given.getAll("context"), set = given.getAll("set");
  const whole = contexts.every((context) => name(context)) && (contexts.length < 2 || !contexts.includes("none"));
  if (!whole) {
    problems.push(`Cannot use context=${short(contexts.join(" and "))} of the link: expected names, or none.`);
  }
  const settings = set.filter((setting) => /^[\w.-]+=./.test(setting));
  for (const setting of set) {
    if (!settings.includes(setting)) {
      problems.push(`Cannot use set=${short(setting)} of the link: expected name=value.`);
    }
  }
  const frame = one("frame", "layer.iteration", pair), pixel = one("pixel", "row.column", pair);
  const choices: Choices = {
    pack: one("pack", "the name of a pack", name) ?? FIRST.pack,
    class: one("class", "a class, or all", (value) => value === "all" ? value : number(255)(value)),
    seed: one("seed", "an integer >= 0", number(Number.MAX_SAFE_INTEGER)) ?? FIRST.seed,
    seedImage: drawn ?? from ?? FIRST.seedImage,
    prior: one("prior", "the name of a prior", name),
    contexts: contexts.length === 0 || !whole ? undefined : contexts[0] === "none" ? [] : contexts,
    zStep: one("zStep", Z_STEPS.join(" or "), among(Z_STEPS)),
    set: settings,
    view: one("view", VIEWS.join(" or "), among(VIEWS)) ?? FIRST.view,
    tile: one("tile", "a small number", number(99)) ?? FIRST.tile,
    frame: frame && { layer: frame[0], iteration: frame[1] - 1 },
    pixel: pixel && { y: pixel[0], x: pixel[1] },
  };
  return { choices, problems };
}

function short(text: string): string {
  return text.length > 40 ? `${text.slice(0, 37)}...` : text;
}

/** Bytes in the alphabet of base64 that addresses hold unchanged. */
function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromBase64(text: string): Uint8Array | undefined {
  if (!/^[\w-]+$/.test(text)) return undefined;
  try {
    const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return bytes.length > MOST_DRAWN ? undefined : Uint8Array.from(bytes, (byte) => byte.charCodeAt(0));
  } catch {
    return undefined;
  }
}
