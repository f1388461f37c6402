/** Which denoisers, and which of their options, are compared with each other and with the paper's method. */
import { optionValues } from "../../core/options.ts";
import { DEFAULT_DENOISER, type Profile } from "../../core/profile.ts";
import { partsOf, withPrior } from "../../core/profile_changes.ts";
import type { Registry } from "../../core/registry.ts";
import type { Experiment, SeededImage } from "./experiment.ts";
import { type Measured, measureVariants } from "./comparison.ts";
import { COMPARED_METRICS, type ProfileScores } from "./score_columns.ts";

/** A way to make images, and what it differs in. */
export interface DenoiserVariant {
  /** Name of the denoiser; of rows from seed images the name of the profile. */
  readonly denoiser: string;
  /** What differs from the profile's own settings. */
  readonly options: string;
  readonly profile: Profile;
}

/** How a variant did: a row of the table. */
export interface ComparedDenoiser extends Omit<DenoiserVariant, "profile">, ProfileScores {}

/** What a variant is called where one is chosen: the denoiser and what differs, such as "local-score, draw one". */
export function variantName({ denoiser, options }: Pick<DenoiserVariant, "denoiser" | "options">): string {
  return options === "" ? denoiser : `${denoiser}, ${options}`;
}

/** Options of the default denoiser, `local-score`, that are compared, one at a time. */
const LOCAL_SCORE: readonly (readonly [text: string, options: Readonly<Record<string, unknown>>])[] = [
  ["temperature 1, mirror 0", { temperature: 1, mirror: 0 }],
  ["response patch", { response: "patch" }],
  ["draw one", { draw: "one" }],
  ["neighbourWindow 2, mirror 0", { neighbourWindow: 2, mirror: 0 }],
  ["subset 0.1", { subset: 0.1 }],
];

/** Options of the other denoisers that are compared. */
const OTHERS: Readonly<Record<string, typeof LOCAL_SCORE>> = {
  "pca-locality": [["tau 0.1", { tau: 0.1 }], ["tau 0.3", { tau: 0.3 }]],
};

/**
 * Lists the variants: the profile's own denoiser, one option of it changed at a time, windows of the whole image, the other denoisers,
 * and from seed images the profile and the paper's, with its own prior and with others. No image is made again, however near it comes
 * to a training image.
 *
 * @param wanted names of the denoisers
 * @param papers the profile of the paper's method for the same images, if there is one
 * @param priors names of further priors of the paper's method; without `papers` there is none
 */
export function comparedDenoisers(
  profile: Profile,
  wanted: readonly string[],
  registry: Registry,
  papers?: Profile,
  priors: readonly string[] = [],
): DenoiserVariant[] {
  const { noise = {} } = profile, given = partsOf(noise.denoiser ?? DEFAULT_DENOISER);
  const noLimits = { minOriginality: 0, maxStructure: 1, minTypicality: 0, minMutualInformation: 0, minLikelihood: 0 };
  const ungated = { ...noise, ...noLimits };
  const variant = (denoiser: string, options: string, changes: Profile["noise"]): DenoiserVariant => {
    return { denoiser, options, profile: { ...profile, from: "noise", noise: { ...ungated, ...changes } } };
  };
  const ofScore: Readonly<Record<string, unknown>> = given.name === DEFAULT_DENOISER ? { ...given.options } : {};
  const score = (options: object) => ({ denoiser: [DEFAULT_DENOISER, { ...ofScore, ...options }] }) as Profile["noise"];
  const plugin = registry.find("denoiser", DEFAULT_DENOISER), own = JSON.stringify(optionValues(plugin, ofScore));
  const changing = LOCAL_SCORE.filter(([, options]) => {
    return JSON.stringify(optionValues(plugin, { ...ofScore, ...options })) !== own;
  });
  const { windows: _, ...whole } = variant("", "", score({})).profile.noise!;
  const scores = [
    variant(DEFAULT_DENOISER, "as in the profile", score({})),
    ...changing.map(([text, options]) => variant(DEFAULT_DENOISER, text, score(options))),
    { ...variant(DEFAULT_DENOISER, "whole images", {}), profile: withWhole(profile, whole) },
  ];
  const others = registry.plugins.filter(({ kind, name }) => kind === "denoiser" && name !== DEFAULT_DENOISER);
  const all = [
    ...scores,
    ...others.flatMap(({ name }) => [
      variant(name, "", { denoiser: name } as Profile["noise"]),
      ...(OTHERS[name] ?? []).map(([text, options]) => {
        return variant(name, text, { denoiser: [name, options] } as Profile["noise"]);
      }),
    ]),
  ].filter(({ denoiser }) => wanted.includes(denoiser));
  const seeded = (one: Profile, prior = ""): DenoiserVariant => {
    return { denoiser: one.name, options: `${prior}seeds of test images`, profile: { ...one, from: "test" } };
  };
  const ofPaper = papers ? [papers] : [],
    further = priors.filter((name) => ofPaper.every((one) => name !== partsOf(one.prior).name));
  return [
    ...all,
    ...ofPaper.map((one) => seeded(one)),
    ...ofPaper.flatMap((one) => further.map((name) => seeded(withPrior(one, name, registry), `${name}, `))),
    ...profile.from === "noise" ? [] : [seeded(profile)],
  ];
}

/** A profile whose windows cover the whole image from each pixel: the exact posterior of the training images. */
function withWhole(profile: Profile, noise: NonNullable<Profile["noise"]>): Profile {
  const side = typeof profile.size === "number" ? profile.size : Math.max(...profile.size), { steps = 20 } = noise;
  return { ...profile, from: "noise", noise: { ...noise, windows: new Array(steps).fill(2 * side + 1) } };
}

/** What denoisers are compared by, beside the measures of priors: how well they cover the training images. */
const SET_METRICS = ["spread", "precision", "recall"];

/** Whether images are of several classes, so that it can be asked which one they look like. */
function hasClasses(images: readonly SeededImage[]): boolean {
  return images.some(({ label }) => label !== undefined);
}

/** Synthesizes and measures the images of every variant, after the test images themselves. */
export async function compareDenoisers(
  experiment: Experiment,
  variants: readonly DenoiserVariant[],
  images: readonly SeededImage[],
): Promise<Measured<ComparedDenoiser>> {
  const counts = [...Map.groupBy(images, ({ label }) => label).values()].map(({ length }) => length);
  // The spread is of pairs of images.
  const ofSets = counts.every((count) => count > 1) ? SET_METRICS : SET_METRICS.filter((name) => name !== "spread");
  const metrics = [...COMPARED_METRICS, ...ofSets, ...hasClasses(images) ? ["label-accuracy"] : []];
  const tests = { denoiser: "test images", options: "" };
  return await measureVariants(experiment, { title: "Comparing", tests, variants }, images, metrics);
}
