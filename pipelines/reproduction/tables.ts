/** The tables of the paper, with its values beside those measured here. */
import type { Plan } from "../../core/plan.ts";
import { shapeText } from "../../core/shape.ts";
import type { MetricScore } from "../assessment/metric_score.ts";
import { fixed, significant } from "../report/numbers.ts";
import type { Figure } from "../report/report.ts";
import { DIGIT_SCORES, FACE_SCORES, TEST_LIKELIHOODS } from "./quoted.ts";
import type { Reproduction } from "./reproduction.ts";

/** Tables 1 and 2: the parameters of the profile. */
export function parameters({ profile, sizes }: Plan, number: string): Figure {
  const list = (name: "overlap" | "iterations" | "window") => profile.layers.map((layer) => layer[name]).join(", ");
  const lists = (name: "h" | "lambda" | "rho") =>
    profile.layers.map((layer) => `{${layer[name].map(short).join(", ")}}`).join(", ");
  return {
    kind: "table",
    number,
    caption: "Parameters; lists have l = 0, the finest layer, first.",
    columns: ["parameter", "value"],
    rows: [
      ["L, pyramid depth", profile.layers.length],
      ["image sizes", sizes.toReversed().map(shapeText).join(" → ")],
      ["n, patch size", profile.patch],
      ["overlap", list("overlap")],
      ["K, iterations", list("iterations")],
      ["neighbor-window-size", list("window")],
      ["h", lists("h")],
      ["lambda", lists("lambda")],
      ["rho", lists("rho")],
      [
        "offsets",
        profile.layers.map((layer) => `{${layer.offsets.map(([x, y]) => `[${x},${y}]`).join(", ")}}`).join(", "),
      ],
    ],
  };
}

/** Writes powers of two as the paper does: 2^-5. */
function short(value: number): string {
  const power = Math.log2(value);
  if (value <= 0 || Math.abs(power * 1000 - Math.round(power * 1000)) > 1e-6) return String(value);
  return `2^${Math.round(power * 1000) / 1000}`;
}

/** Table 3: the log-likelihood of the test images under other models and as measured here. */
export function testLikelihoods({ experiment, test, scores }: Reproduction, number: string): Figure {
  const { data: { origin } } = experiment, [ours] = scores.test;
  return {
    kind: "table",
    number,
    caption:
      `Average log-likelihood of test images, of MNIST where it is quoted; nearer to zero is better. Other models use one function for all digits, the patch likelihood one for each digit. Here, with its 95 % interval: ${test.images.count} test images of ${origin}.`,
    columns: ["model", "LL of test images"],
    rows: [
      ...TEST_LIKELIHOODS.map(([model, value]) => [model, { value, quoted: true }]),
      ["the paper's patch likelihood, as implemented here", withInterval(ours, 2)],
    ],
  };
}

/** Tables 4 and 5: the three scores of synthesized images, with the paper's profile and the present one, and of test images. */
export function scores({ experiment, name, scores, finished, test, present }: Reproduction, number: string): Figure {
  const row = (title: string, [likelihood, originality, spread]: readonly MetricScore[]) => [
    title,
    withInterval(likelihood, 2),
    withInterval(originality, 3),
    withInterval(spread, 3),
  ];
  const [, , { settings: { perplexity }, warnings }] = scores.generated;
  const few = warnings.some((text) => text.includes("does not rank systems"))
    ? " With so few images of a class the spread does not rank systems."
    : "";
  return {
    kind: "table",
    number,
    caption:
      `Log-likelihood (higher: more plausible), originality (near 1: new, near 0: copied) and spread at perplexity ${
        significant(Number(perplexity))
      } (near 0: as evenly as the training images), with 95 % intervals where the values carry them; scores of classes are averaged. Values quoted from the paper are marked.${few}`,
    columns: ["images", "LL", "originality", "spread"],
    rows: [
      row(
        `synthesized here with ${experiment.plan.profile.name}, the paper's method (${finished.length})`,
        scores.generated,
      ),
      row(`synthesized here with ${present.profile}, beyond the paper (${present.finished.length})`, present.scores),
      row(`test images (${test.images.count})`, scores.test),
      ...(name === "digits" ? DIGIT_SCORES : FACE_SCORES).map(({ model, likelihood, originality, spread }) => [
        model,
        { value: likelihood, quoted: true },
        { value: originality, quoted: true },
        { value: spread, quoted: true },
      ]),
    ],
  };
}

function withInterval({ score, interval: [low, high], tooFew }: MetricScore, decimals: number) {
  if (!Number.isFinite(score)) return "too few";
  if (Number.isNaN(low)) return { value: fixed(score, decimals), note: tooFew ? "too few to rank" : "no interval" };
  return { value: fixed(score, decimals), note: `${fixed(low, decimals)} to ${fixed(high, decimals)}` };
}
