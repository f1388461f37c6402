/** Compares every prior, context and z-step on the same seed images by the same metrics. */
import { type Profile, withContexts, withPrior } from "../../core/profile.ts";
import type { Registry } from "../../core/registry.ts";
import type { ZStep } from "../../core/types.ts";
import type { LabelledImages } from "../../datasets/data_set.ts";
import { chosenBy } from "../../datasets/groups.ts";
import { ENOUGH_FOR_SPREAD } from "../../plugins/metrics/spread.ts";
import { runMetrics } from "../assessment/run_metrics.ts";
import type { GroupImage } from "../synthesis/synthesis_tasks.ts";
import type { Experiment, SeededImage } from "./experiment.ts";
import { collectImages } from "./reproduction.ts";

/** A profile to compare, and what it differs in. */
export interface Variant {
  /** Name of the prior. */
  readonly prior: string;
  /** Names of the contexts, joined by " + "; "none" without any. */
  readonly contexts: string;
  readonly zStep: ZStep;
  readonly profile: Profile;
}

/** How a variant did: a row of the table. */
export interface ComparedVariant extends Omit<Variant, "profile"> {
  /** Scores by the name of the metric. */
  readonly scores: Readonly<Record<string, number>>;
  /** The least and the greatest value of an image, by the name of the metric. */
  readonly ranges: Readonly<Record<string, readonly [least: number, greatest: number]>>;
  /** Wall-clock milliseconds per image; undefined for the test images. */
  readonly milliseconds?: number;
}

/** The rows of a comparison. The first one is that of the test images whose seed images were used. */
export interface Comparison {
  readonly rows: readonly ComparedVariant[];
  /** The first images of each row, bytes of the profile's size. */
  readonly pictures: readonly (readonly Uint8Array[])[];
}

/** The metrics that variants are compared by, and the spread where every class has enough images for it. */
const COMPARED_METRICS: readonly string[] = [
  "likelihood",
  "originality",
  "judge",
  "closest-correlation",
  "contrast",
  "sharpness",
  "symmetry",
  "novelty",
];
/** Images kept of each row. */
const SHOWN = 12;

/**
 * Lists the variants: every prior with the profile's contexts and without any; with the profile's own prior also every
 * context, square and horizontal together, and every z-step. No variant is listed twice.
 *
 * @param wanted names of the priors to compare; all if it is empty
 */
export function comparedVariants(profile: Profile, wanted: readonly string[], registry: Registry): Variant[] {
  const named = (kind: string) => registry.plugins.filter((plugin) => plugin.kind === kind).map(({ name }) => name);
  const nameOf = (choice: unknown) => String(Array.isArray(choice) ? choice[0] : choice), own = nameOf(profile.prior);
  const variant = (prior: string, contexts: Profile["contexts"], zStep: ZStep): Variant => ({
    prior,
    contexts: contexts.map(nameOf).join(" + ") || "none",
    zStep,
    profile: { ...withChoices(prior === own ? profile : withPrior(profile, prior, registry), contexts), zStep },
  });
  // Contexts that the profile lacks come with no options, and replace those of single layers too.
  const withChoices = (given: Profile, contexts: Profile["contexts"]) => {
    return contexts === profile.contexts ? given : withContexts(given, contexts.map(nameOf));
  };
  const priors = named("prior").filter((name) => wanted.length === 0 || wanted.includes(name));
  const contextual = named("context").map((name) => profile.contexts.find((choice) => nameOf(choice) === name) ?? name);
  const all = [
    ...priors.flatMap((prior) => [variant(prior, profile.contexts, "sample"), variant(prior, [], "sample")]),
    ...contextual.map((context) => variant(own, [context], "sample")),
    variant(own, ["square", "horizontal"].map((name) => contextual[named("context").indexOf(name)]), "sample"),
    variant(own, profile.contexts, "map"),
    variant(own, profile.contexts, "mean"),
  ].filter(({ prior }) => priors.includes(prior));
  const key = ({ profile }: Variant) => JSON.stringify([profile.prior, profile.contexts, profile.zStep]);
  return all.filter((one, i) => all.findIndex((other) => key(other) === key(one)) === i);
}

/** Chooses the first `count` test images, of one class if it is given; image i is made from the i-th of them. */
export function seededImages(
  { labels, data: { test } }: Experiment,
  count: number,
  only: number | undefined,
): SeededImage[] {
  const all = Array.from({ length: test.images.count }, (_, index) => {
    return { test: index, label: labels[0] === undefined ? undefined : test.labels![index] };
  });
  const chosen = all.filter(({ label }) => only === undefined || label === only).slice(0, count);
  return chosen.map((image, number) => ({ ...image, number }));
}

/** Synthesizes and measures the images of every variant, after the test images themselves. */
export async function compareVariants(
  experiment: Experiment,
  variants: readonly Variant[],
  images: readonly SeededImage[],
): Promise<Comparison> {
  const { runner } = experiment, bar = runner.progress(`Comparing ${variants.length} variants`);
  const tests = images.map(({ test }) => experiment.testImage(test));
  const rows: ComparedVariant[] = [
    { prior: "test images", contexts: "", zStep: "sample", ...await scoresOf(experiment, tests, images) },
  ];
  const pictures = [tests.slice(0, SHOWN)];
  for (const [done, { profile, ...variant }] of variants.entries()) {
    const finished: GroupImage[] = [], started = runner.now();
    const { fit } = await experiment.under(profile).synthesizeTests(
      images,
      (made) => void finished.push(...made),
      (part) => bar.update((done + part) / variants.length),
    );
    const milliseconds = (runner.now() - started - fit) / images.length;
    const pixels = finished.sort((a, b) => a.number - b.number).map((image) => image.pixels);
    rows.push({ ...variant, ...await scoresOf(experiment, pixels, images), milliseconds });
    pictures.push(pixels.slice(0, SHOWN));
  }
  bar.end();
  return { rows, pictures };
}

async function scoresOf(
  experiment: Experiment,
  pixels: readonly Uint8Array[],
  images: readonly SeededImage[],
): Promise<Pick<ComparedVariant, "scores" | "ranges">> {
  const { runner, plan, data, labels } = experiment;
  const known = images[0]?.label === undefined ? undefined : Uint8Array.from(images, ({ label }) => label!);
  const generated: LabelledImages = { images: collectImages(experiment, pixels), labels: known };
  const classes = labels.filter((label) => label === undefined || known!.includes(label));
  const isEnough = classes.every((label) => chosenBy(known, label, images.length).length >= ENOUGH_FOR_SPREAD);
  const metrics = [...COMPARED_METRICS, ...isEnough ? ["spread"] : []].map((name) => ({ name, options: {} }));
  const heldOut = data.test.images.count > 0 ? data.test : undefined;
  const found = await runMetrics(runner, { plan, generated, training: data.train, heldOut, classes }, metrics);
  return {
    scores: Object.fromEntries(found.map(({ metric, score }) => [metric, score])),
    ranges: Object.fromEntries(found.map(({ metric, range }) => [metric, range])),
  };
}

/** Says in sentences what the paper expects of the priors, and whether the scores agree. */
export function findingsOf(rows: readonly Omit<ComparedVariant, "ranges">[]): string[] {
  const scoresWithoutContext = (prior: string) => {
    return rows.find((row) => row.prior === prior && row.contexts === "none" && row.zStep === "sample")?.scores;
  };
  const local = scoresWithoutContext("local-nn"), invariant = scoresWithoutContext("spatially-invariant");
  const gmm = scoresWithoutContext("gmm"), found: string[] = [];
  const fixed = (value: number) => value.toFixed(Math.abs(value) < 10 ? 3 : 2);
  if (local && invariant) {
    const [a, b] = [invariant.likelihood, local.likelihood];
    const seen = a < b ? "as the paper expects" : "which the paper does not expect";
    found.push(`Without context the spatially invariant prior has LL ${fixed(a)}, the local one ${fixed(b)}: ${seen}.`);
  }
  if (local && gmm) {
    const [a, b] = [gmm.sharpness, local.sharpness];
    const seen = a < b ? "smoother, as the paper expects" : "not smoother, which the paper does not expect";
    found.push(`Without context the GMM prior has sharpness ${fixed(a)}, the local one ${fixed(b)}: ${seen}.`);
  }
  return found;
}
