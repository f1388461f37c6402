/** The choices that decide what the page shows: plain data, and the part of the page's address after `#`. */
import type { ZStep } from "../../core/types.ts";
import { Z_STEPS } from "../../core/profile.ts";
import { toBase64 } from "../../datasets/formats/base64.ts";

/** What distinguishes the images side by side: their numbers, their priors, or their contexts. */
export type View = "samples" | "priors" | "contexts";

/** All that decides what the page shows. */
export interface Choices {
  /** The name of a pack that comes with the page, or the fingerprint of one that was opened from a file. */
  readonly pack: string;
  /** By default the pack's first class; "all" if its profile is not class-wise. */
  readonly class?: number | "all";
  /** The random seed, an integer >= 0. */
  readonly seed: number;
  /**
   * The seed image: its number among the pack's seed images of the class, or the bytes of one that was drawn by hand. "noise": there
   * is none, images come from pure noise.
   */
  readonly seedImage: number | Uint8Array | "noise";
  /** Prior, contexts and z-step as in a `SynthesisRequest`; by default those of the profile. */
  readonly prior?: string;
  readonly contexts?: readonly string[];
  readonly zStep?: ZStep;
  /** Changed values of the profile, `name=value` each. */
  readonly set: readonly string[];
  readonly view: View;
  /** The selected one of the images side by side. */
  readonly tile: number;
  /** The selected iteration of a layer (-1: the image with which the layer begins); by default the last iteration of layer 0. */
  readonly frame?: { readonly layer: number; readonly iteration: number };
  /** The selected pixel of that frame; by default its middle. */
  readonly pixel?: { readonly y: number; readonly x: number };
}

/** The values that are left out of an address. */
export const DEFAULTS: Choices = { pack: "digits", seed: 1, seedImage: 0, set: [], view: "samples", tile: 0 };

/** The names in an address. */
const VIEWS: readonly View[] = ["samples", "priors", "contexts"];
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
/** The longest text that is read, in characters: browsers and messengers cut longer addresses. */
const LONGEST = 16_000;
/** The most bytes of a seed image in an address. */
const MAX_DRAWN = 4096;

/** Writes choices as the part of an address after `#`. Leaves out what equals `DEFAULTS`. */
export function writeChoices(choices: Choices): string {
  const { seedImage, frame, pixel } = choices, text = new URLSearchParams();
  text.set("pack", choices.pack);
  if (choices.class !== undefined) text.set("class", String(choices.class));
  if (choices.seed !== DEFAULTS.seed) text.set("seed", String(choices.seed));
  if (seedImage instanceof Uint8Array) text.set("drawn", toAddress(seedImage));
  else if (seedImage !== DEFAULTS.seedImage) text.set("from", String(seedImage));
  if (choices.prior !== undefined) text.set("prior", choices.prior);
  if (choices.contexts?.length === 0) text.set("context", "none");
  for (const name of choices.contexts ?? []) text.append("context", name);
  if (choices.zStep !== undefined) text.set("zStep", choices.zStep);
  for (const setting of choices.set) text.append("set", setting);
  if (choices.view !== DEFAULTS.view) text.set("view", choices.view);
  if (choices.tile !== DEFAULTS.tile) text.set("tile", String(choices.tile));
  if (frame) text.set("frame", `${frame.layer}.${frame.iteration + 1}`);
  if (pixel) text.set("pixel", `${pixel.y}.${pixel.x}`);
  return text.toString();
}

/**
 * Reads what `writeChoices` wrote. Never throws: parts that cannot be read get their value of `DEFAULTS`, and `problems` has a
 * sentence for each of them. `usableChoices` checks the rest, such as the class, once the pack is open.
 */
export function readChoices(text: string): { choices: Choices; problems: string[] } {
  const problems: string[] = [];
  if (text.length > LONGEST) {
    const sentence = `The link is too long: expected at most ${LONGEST} characters, got ${text.length}.`;
    return { choices: DEFAULTS, problems: [sentence] };
  }
  const given = new URLSearchParams(text);
  const refuse = (part: string, expected: string) => {
    problems.push(`Cannot use ${part} of the link: expected ${expected}.`);
  };
  const single = <T>(key: string, expected: string, read: (value: string) => T | undefined): T | undefined => {
    const values = given.getAll(key);
    if (values.length === 0) return undefined;
    const value = values.length === 1 ? read(values[0]) : undefined;
    if (value === undefined) refuse(`${key}=${short(values.join(" and "))}`, expected);
    return value;
  };
  for (const key of new Set(given.keys())) {
    if (!KEYS.includes(key)) problems.push(`Cannot use ${short(key)} of the link: there is no such choice.`);
  }
  const contexts = readContexts(given.getAll("context"));
  if (contexts === "unreadable") {
    refuse(`context=${short(given.getAll("context").join(" and "))}`, "names, or none");
  }
  const set = given.getAll("set"), isSetting = (setting: string) => /^[\w.-]+=./.test(setting);
  for (const setting of set) if (!isSetting(setting)) refuse(`set=${short(setting)}`, "name=value");
  const drawn = single("drawn", "a drawn seed image", fromAddress);
  const from = single("from", "the number of a seed image, or noise", (value) => {
    return value === "noise" ? value : integer(1e6)(value);
  });
  const frame = single("frame", "layer.iteration", readPair), pixel = single("pixel", "row.column", readPair);
  const choices: Choices = {
    pack: single("pack", "the name of a pack", readName) ?? DEFAULTS.pack,
    class: single("class", "a class, or all", (value) => value === "all" ? value : integer(255)(value)),
    seed: single("seed", "an integer >= 0", integer(Number.MAX_SAFE_INTEGER)) ?? DEFAULTS.seed,
    seedImage: drawn ?? from ?? DEFAULTS.seedImage,
    prior: single("prior", "the name of a prior", readName),
    contexts: contexts === "unreadable" ? undefined : contexts,
    zStep: single("zStep", Z_STEPS.join(" or "), among(Z_STEPS)),
    set: set.filter(isSetting),
    view: single("view", VIEWS.join(" or "), among(VIEWS)) ?? DEFAULTS.view,
    tile: single("tile", "a small number", integer(99)) ?? DEFAULTS.tile,
    frame: frame && { layer: frame[0], iteration: frame[1] - 1 },
    pixel: pixel && { y: pixel[0], x: pixel[1] },
  };
  return { choices, problems };
}

/** Reads an integer from 0 to `most`. */
function integer(most: number): (value: string) => number | undefined {
  return (value) => /^\d{1,16}$/.test(value) && Number(value) <= most ? Number(value) : undefined;
}

/** Reads two integers with a dot between them. */
function readPair(value: string): readonly [number, number] | undefined {
  const found = /^(\d{1,5})\.(\d{1,5})$/.exec(value);
  return found ? [Number(found[1]), Number(found[2])] : undefined;
}

/** Reads a name of a pack or a plugin, or a fingerprint. */
function readName(value: string): string | undefined {
  return /^[\w.:-]{1,80}$/.test(value) ? value : undefined;
}

/** Reads one of some words. */
function among<T extends string>(words: readonly T[]): (value: string) => T | undefined {
  return (value) => words.find((word) => word === value);
}

/** Reads the names of contexts; "none" alone is an empty list. */
function readContexts(names: readonly string[]): readonly string[] | undefined | "unreadable" {
  if (names.length === 0) return undefined;
  if (!names.every((name) => readName(name)) || (names.length > 1 && names.includes("none"))) return "unreadable";
  return names[0] === "none" ? [] : names;
}

/** Shortens text for a sentence. */
function short(text: string): string {
  return text.length > 40 ? `${text.slice(0, 37)}...` : text;
}

/** Writes bytes in the base64 alphabet that addresses need not escape. */
function toAddress(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Reads what `toAddress` wrote. */
function fromAddress(text: string): Uint8Array | undefined {
  if (!/^[\w-]+$/.test(text)) return undefined;
  try {
    const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return bytes.length > MAX_DRAWN ? undefined : Uint8Array.from(bytes, (byte) => byte.charCodeAt(0));
  } catch {
    return undefined;
  }
}
