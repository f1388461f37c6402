/** The score of a metric over all classes, with all that is reported beside it. */
import { counted } from "../../core/counted.ts";
import type { AnyPlugin } from "../../core/plugin.ts";
import { classText } from "../../datasets/groups.ts";
import { type ClassResult, FEW, type Score, score } from "./scores.ts";

/** The score of one metric and the results of the classes that it was computed from. */
export interface MetricScore extends Score {
  /** Name of the metric. */
  readonly metric: string;
  /** The metric's own description. */
  readonly about: string;
  /** Results by class, in the order of the classes; classes without images are left out. */
  readonly results: readonly ClassResult[];
  /** For each class the indices of its generated images: value i of a class belongs to image `images[class][i]`. */
  readonly images: readonly Uint32Array[];
  /** Settings that the values depend on. */
  readonly settings: Readonly<Record<string, number | string>>;
  /** Sentences about what limits the score. */
  readonly warnings: readonly string[];
  /** The reason if the score has no meaning: a sentence. Reports show it in place of the score. */
  readonly tooFew?: string;
}

/**
 * Scores the results of one metric. `images[i]` are the indices of the generated images of `results[i]`.
 *
 * @param classNames the names of the classes by label; by default their numbers
 */
export function metricScore(
  { name, about }: Pick<AnyPlugin, "name" | "about">,
  results: readonly ClassResult[],
  images: readonly Uint32Array[],
  classNames?: readonly string[],
): MetricScore {
  const nameOf = (label: number) => classText(classNames, label);
  const scored = score(results), tooFew = tooFewOf(results, scored, nameOf);
  return {
    ...scored,
    metric: name,
    about,
    results,
    images,
    settings: settingsOf(results),
    warnings: warningsOf(results, nameOf),
    ...tooFew !== undefined && { tooFew, interval: [NaN, NaN] as const },
  };
}

/** Returns the text that names a class. */
type NameOf = (label: number) => string;

/** Why a score means nothing: the metric's reason for the first class with too few images, or that there is no value. */
function tooFewOf(results: readonly ClassResult[], { score }: Score, nameOf: NameOf): string | undefined {
  const first = results.find(({ result }) => result.tooFew !== undefined);
  if (first) {
    return first.label === undefined ? first.result.tooFew : `class ${nameOf(first.label)}: ${first.result.tooFew}`;
  }
  if (!Number.isNaN(score)) return undefined;
  return results.flatMap(({ result }) => result.warnings)[0] ?? "no image has a value";
}

/** Combines the settings of all classes: the mean of a number, the first of a text. */
function settingsOf(groups: readonly ClassResult[]): Record<string, number | string> {
  const all = groups.map(({ result }) => result.settings);
  return Object.fromEntries(
    Object.entries(all[0] ?? {}).map(([name, first]) => {
      if (typeof first === "string") return [name, first];
      return [name, all.reduce((sum, settings) => sum + Number(settings[name]), 0) / all.length];
    }),
  );
}

/** A text with its numbers replaced: texts that differ in their numbers alone become equal. */
function withoutNumbers(text: string): string {
  return text.replace(/\d[\d.]*/g, "#");
}

/**
 * Lists the warnings of several scores, each once, after the names of its metrics. Where warnings differ in their numbers alone,
 * only the first is listed.
 */
export function warningLines(scores: readonly Pick<MetricScore, "metric" | "warnings">[]): string[] {
  const firsts = new Map<string, { first: string; metrics: string[] }>();
  for (const { metric, warnings } of scores) {
    for (const warning of warnings) {
      const key = withoutNumbers(warning), { first, metrics } = firsts.get(key) ?? { first: warning, metrics: [] };
      firsts.set(key, { first, metrics: [...metrics, metric] });
    }
  }
  return [...firsts.values()].map(({ first, metrics }) => `${metrics.join(", ")}: ${first}`);
}

/** Says that images share seed images, on which intervals depend. */
function repeatedSeeds(groups: readonly ClassResult[]): string[] {
  const known = groups.flatMap(({ seedImages = [] }) => [...seedImages].filter((seed) => !Number.isNaN(seed)));
  const seeds = new Set(known).size;
  if (seeds === known.length || groups.some(({ result }) => result.of === "training")) return [];
  const own = groups.every(({ result }) => result.standardError === undefined);
  const how = own ? "the interval counts seed images" : "the interval takes them as independent, and is too narrow";
  return [`${known.length} images come from ${counted(seeds, "seed image")}: ${how}`];
}

/** Lists every warning once, with its classes. Where warnings differ in their numbers alone, only the first is listed. */
function warningsOf(groups: readonly ClassResult[], nameOf: NameOf): string[] {
  const firsts = new Map<string, { first: string; labels: number[] }>();
  for (const { label, result: { warnings } } of groups) {
    for (const warning of warnings) {
      const key = withoutNumbers(warning), { first, labels } = firsts.get(key) ?? { first: warning, labels: [] };
      firsts.set(key, { first, labels: label === undefined ? labels : [...labels, label] });
    }
  }
  const count = groups.reduce((sum, { result }) => sum + result.values.length, 0);
  const few = count < FEW ? [`fewer than ${FEW} values (${count}): the score is a guess`] : [];
  return [
    ...few,
    ...repeatedSeeds(groups),
    ...[...firsts.values()].map(({ first, labels }) => {
      if (labels.length < 2) return labels.length === 0 ? first : `class ${nameOf(labels[0])}: ${first}`;
      const which = labels.length === groups.length ? "each class" : `classes ${labels.map(nameOf).join(", ")}`;
      return `${which}, such as ${nameOf(labels[0])}: ${first}`;
    }),
  ];
}
