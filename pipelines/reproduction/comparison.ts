/** Compares priors, contexts and z-steps on the same seed images by the same metrics. */
import type { Profile } from "../../core/profile.ts";
import { withContexts, withPrior } from "../../core/profile_changes.ts";
import type { Registry } from "../../core/registry.ts";
import type { ZStep } from "../../core/types.ts";
import type { MetricScore } from "../assessment/metric_score.ts";
import { independentDifference, isDifference, pairedDifference } from "../assessment/paired.ts";
import { known, originalityLimit } from "../privacy/copies.ts";
import type { GroupImage } from "../run/synthesized_image.ts";
import type { Experiment, SeededImage } from "./experiment.ts";
import { enoughForSpread, measureImages, measuringWork } from "./measure_images.ts";
import { COMPARED_METRICS, type ProfileScores } from "./score_columns.ts";

/** A profile to compare, and what it differs in. */
interface Variant {
  /** Name of the prior. */
  readonly prior: string;
  /** Names of the contexts, joined by " + "; "none" without any. */
  readonly contexts: string;
  readonly zStep: ZStep;
  readonly profile: Profile;
}

/** How a variant did: a row of the table. */
export interface ComparedVariant extends Omit<Variant, "profile">, ProfileScores {}

/** How several profiles did on the same seed images. */
export interface Measured<Row extends ProfileScores = ProfileScores> {
  /** A row for each profile. Before them is that of the test images whose seed images were used. */
  readonly rows: readonly Row[];
  /** The scores of each row with their values. */
  readonly measured: readonly (readonly MetricScore[])[];
  /** The first images of each row, bytes of the profile's size. */
  readonly pictures: readonly (readonly Uint8Array[])[];
}

/** The rows of a comparison. The first one is that of the test images whose seed images were used. */
export type Comparison = Measured<ComparedVariant>;

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

/**
 * Chooses the first `count` test images, of one class if it is given; image i is made from the i-th of them. `inTurn`: the classes
 * take turns, as they do in `synth`.
 */
export function seededImages(
  { labels, data: { test } }: Experiment,
  count: number,
  only: number | undefined,
  inTurn = false,
): SeededImage[] {
  const all = Array.from({ length: test.images.count }, (_, index) => {
    return { test: index, label: labels[0] === undefined ? undefined : test.labels![index] };
  });
  const ofClass = all.filter(({ label }) => only === undefined || label === only), before = new Map<unknown, number>();
  const turns = ofClass.map(({ label }) => {
    const turn = before.get(label) ?? 0;
    before.set(label, turn + 1);
    return turn;
  });
  const order = ofClass.map((_, i) => i);
  if (inTurn) order.sort((a, b) => turns[a] - turns[b] || ofClass[a].label! - ofClass[b].label!);
  const chosen = order.slice(0, count).map((i) => ofClass[i]);
  return chosen.map((image, number) => ({ ...image, number }));
}

/** Synthesizes and measures the images of every variant, after the test images themselves. */
export async function compareVariants(
  experiment: Experiment,
  variants: readonly Variant[],
  images: readonly SeededImage[],
): Promise<Comparison> {
  const tests: Omit<Variant, "profile"> = { prior: "test images", contexts: "", zStep: "sample" };
  return await measureVariants(experiment, { title: "Comparing", tests, variants }, images);
}

/** Profiles to measure, each with its names in the table. */
interface NamedVariants<Names extends object> {
  /** What is done: the first word of the title of the progress. */
  readonly title: string;
  /** The names of the row of the test images. */
  readonly tests: Names;
  readonly variants: readonly (Names & { readonly profile: Profile })[];
}

/** Does the same as `measureProfiles`, with progress, and puts the names of each variant before its scores. */
export async function measureVariants<Names extends object>(
  experiment: Experiment,
  { title, tests, variants }: NamedVariants<Names>,
  images: readonly SeededImage[],
  compared?: readonly string[],
): Promise<Measured<Names & ProfileScores>> {
  const bar = experiment.runner.progress(`${title} ${variants.length} variants`);
  const profiles = variants.map(({ profile }) => profile);
  const { rows, ...rest } = await measureProfiles(experiment, profiles, images, bar.update, compared).finally(bar.end);
  const names = [tests, ...variants.map(({ profile: _, ...name }) => name as unknown as Names)];
  return { rows: rows.map((row, i) => ({ ...names[i], ...row })), ...rest };
}

/**
 * Synthesizes and measures the same images under every profile, after the test images themselves.
 *
 * @param progress is called with the part of the work that is done, 0..1
 * @param compared the names of the metrics
 */
export async function measureProfiles(
  experiment: Experiment,
  profiles: readonly Profile[],
  images: readonly SeededImage[],
  progress: (done: number) => void,
  compared: readonly string[] = COMPARED_METRICS,
): Promise<Measured> {
  const metrics = [...new Set([...compared, ...enoughForSpread(images) ? ["spread"] : []])];
  const measured: MetricScore[][] = [];
  const sourceOf = ({ from = "test" }: Profile) => from;
  const row = async (pixels: readonly Uint8Array[], profile?: Profile): Promise<ProfileScores> => {
    const isFromNoise = profile !== undefined && sourceOf(profile) === "noise";
    measured.push(await measureImages(experiment, pixels, images, metrics, isFromNoise));
    const isPaired = profile !== undefined && sourceOf(profile) === sourceOf(profiles[0]);
    return scoresOf(measured, isPaired ? pairedDifference : independentDifference);
  };
  const tests = images.map(({ test }) => experiment.testImage(test));
  const rows: ProfileScores[] = [await row(tests)], pictures = [tests.slice(0, SHOWN)];
  const measuring = PER_NANOSECOND * measuringWork(experiment, tests, images, metrics);
  const experiments: Experiment[] = [];
  for (const profile of profiles) experiments.push(await experiment.under(profile));
  const shares = sharesOf(experiments.map((one) => one.workOf(images)), measuring);
  let done = 0;
  for (const [i, one] of experiments.entries()) {
    const finished: GroupImage[] = [];
    const { milliseconds, processor } = await one.synthesizeTests(
      images,
      (image) => void finished.push(image),
      (part) => progress(done + part * shares[i].synthesis),
    );
    const perImage = {
      milliseconds: milliseconds / images.length,
      ...processor !== undefined && { processor: processor / images.length },
    };
    const pixels = finished.sort((a, b) => a.number - b.number).map((image) => image.pixels);
    rows.push({ ...await row(pixels, profiles[i]), ...perImage });
    done += shares[i].synthesis + shares[i].measuring;
    progress(done);
    pictures.push(pixels.slice(0, SHOWN));
  }
  return { rows, measured, pictures };
}

/** The scores of the last of several rows; `differenceOf` compares it with row 1. */
function scoresOf(
  measured: readonly (readonly MetricScore[])[],
  differenceOf: typeof pairedDifference,
): ProfileScores {
  const found = measured.at(-1)!, [, first] = measured;
  const ofEach = <T>(value: (one: MetricScore, m: number) => T) => {
    return Object.fromEntries(found.map((one, m) => [one.metric, value(one, m)]));
  };
  return {
    scores: ofEach(({ score }) => score),
    ranges: ofEach(({ range }) => range),
    intervals: ofEach(({ interval }) => interval),
    copies: copiesOf(measured[0], found),
    ...measured.length > 2 && { differences: ofEach((one, m) => differenceOf(one, first[m])) },
  };
}

/**
 * Counts the copies by distance among images that were measured, as `assess --privacy` does, but beside test images of the same class.
 *
 * @param tests the scores of the test images
 */
function copiesOf(tests: readonly MetricScore[], measured: readonly MetricScore[]): number {
  const classesOf = (all: readonly MetricScore[]) => all.find(({ metric }) => metric === "originality")?.results ?? [];
  return classesOf(measured).reduce((copies, { label, result }) => {
    const ofClass = classesOf(tests).find((one) => one.label === label);
    const { limit } = originalityLimit(known(Float64Array.from(ofClass?.result.values ?? [])));
    return copies + result.values.filter((value) => value < limit).length;
  }, 0);
}

/** Comparisons of a nanosecond: see `WorkCounter`. */
const PER_NANOSECOND = 10;

/**
 * Returns the parts of all work that synthesizing the images of each profile and measuring them are.
 *
 * @param works the work of synthesizing; undefined, if it is not known, counts as the mean of the others
 */
function sharesOf(works: readonly ReturnType<Experiment["workOf"]>[], measuring: number) {
  const sums = works.map((work) => work && work.fit + work.draws), known = sums.filter((sum) => sum !== undefined);
  const mean = known.length > 0 ? known.reduce((all, sum) => all + sum) / known.length : 1;
  const syntheses = sums.map((sum) => sum ?? mean);
  const all = syntheses.reduce((all, sum) => all + sum, 0) + works.length * measuring;
  return syntheses.map((synthesis) => ({ synthesis: synthesis / all, measuring: measuring / all }));
}

/** Says in sentences what the paper expects of the priors, and whether the scores carry it. */
export function findingsOf({ rows, measured }: Pick<Comparison, "rows" | "measured">): string[] {
  const withoutContext = (prior: string) => {
    const row = rows.findIndex((row) => row.prior === prior && row.contexts === "none" && row.zStep === "sample");
    return (metric: string) => measured[row]?.find((one) => one.metric === metric);
  };
  const local = withoutContext("local-nn"), found: string[] = [];
  const expected = (
    [prior, metric, name, less]: readonly [prior: string, metric: string, name: string, less: string],
  ) => {
    const one = withoutContext(prior)(metric),
      other = local(metric),
      title = prior === "gmm" ? "GMM" : "spatially invariant";
    if (!one || !other) return;
    const scores = `Without context the ${title} prior has ${name} ${fixed(one.score)}, the local one ${
      fixed(other.score)
    }`;
    found.push(`${scores}: ${verdict(pairedDifference(one, other), one.count, less)}.`);
  };
  expected(["spatially-invariant", "likelihood", "LL", "less"]);
  expected(["gmm", "sharpness", "sharpness", "smoother"]);
  return found;
}

const fixed = (value: number) => value.toFixed(Math.abs(value) < 10 ? 3 : 2);

/** Says whether a difference is below 0, as the paper expects; `less` names it. */
function verdict(difference: readonly [number, number], count: number, less: string): string {
  const [low, high] = difference;
  if (Number.isNaN(low)) return `${count} images are too few to compare them`;
  const interval = `difference ${fixed(low)} to ${fixed(high)} with 95 %`;
  if (!isDifference(difference)) return `${count} images show no difference (${interval})`;
  return high < 0
    ? `${less}, as the paper expects (${interval})`
    : `not ${less}, which the paper does not expect (${interval})`;
}
