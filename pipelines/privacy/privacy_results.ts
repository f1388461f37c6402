/** Findings on privacy as JSON, and as a table of text. */
import { VERSION } from "../../core/version.ts";
import { valuesByImage } from "../assessment/values_by_image.ts";
import { counted } from "../../core/counted.ts";
import { csv } from "../report/csv.ts";
import { fixed } from "../report/numbers.ts";
import { textTable } from "../report/text_table.ts";
import type { LeaveOneOut } from "./leave_one_out.ts";
import type { Nearness } from "./copies.ts";
import type { Attack, Privacy } from "./privacy.ts";
import type { Estimate, Summary } from "./statistics.ts";

/** Describes findings as plain data: the content of privacy.json. `command` is the command that found them. */
export function privacyRecord(privacy: Privacy, command: string): object {
  const { plan, data, path, set, heldOut, attacks, nearness, authenticity, copyingScore, regions, objections } =
    privacy;
  const { images: _, shape: __, ...leaveOneOut } = privacy.leaveOneOut ?? {};
  return {
    patchloom: VERSION,
    command,
    profile: plan.profile.name,
    images: { path, count: set.images.count, files: set.files },
    data: { name: data.name, origin: data.origin, files: data.files },
    heldOut,
    verdict: objections.length === 0 ? "passes" : "fails",
    objections,
    attacks,
    nearness,
    authenticity,
    copyingScore,
    regions,
    ...privacy.leaveOneOut && { leaveOneOut },
    limits: "Attacks by these two measures only. No differential privacy, no guarantee for a single person.",
  };
}

/** Writes one row per image: its number, its file, how near it stands, and whether it is a copy. */
export function privacyCsv({ set, scores, nearness, data: { train } }: Privacy): string {
  const columns = valuesByImage(scores, set.images.count, train);
  const copies = new Set(nearness.flatMap((one) => one.copies));
  return csv({
    columns: ["image", "file", "copy", ...columns.map(({ name }) => name)],
    rows: Array.from({ length: set.images.count }, (_, i) => [
      i,
      typeof set.names === "string" ? set.names : set.names[i],
      copies.has(i) ? "yes" : "no",
      ...columns.map(({ values }) => values[i]),
    ]),
  });
}

/** The rows of the table of findings: the measure, its value for the images, its value for held-out images, and what that says. */
export function findings(privacy: Privacy): [what: string, assessed: string, heldOut: string, meaning: string][] {
  const { attacks, nearness, authenticity, copyingScore, regions, leaveOneOut } = privacy;
  return [
    ...attacks.flatMap(attackRows),
    ...nearness.flatMap(nearnessRows),
    ...regions.map(({ region, assessed, heldOut }): [string, string, string, string] => {
      return [`structure, ${region}`, meanText(assessed), meanText(heldOut), "mean, and the greatest"];
    }),
    ["authenticity", estimateText(authenticity.assessed), estimateText(authenticity.heldOut), "originality above 1"],
    ["C_T", fixed(copyingScore, 1), "0", "below 0: nearer to training images than held-out images are"],
    ...leaveOneOut ? leaveOneOutRows(leaveOneOut) : [],
  ];
}

/** The right column is the control. */
function leaveOneOutRows(found: LeaveOneOut): [string, string, string, string][] {
  const { changes, structure, without, withoutControl } = found;
  return [
    [
      "leave-one-out: structure",
      `${meanText(structure)} to ${meanText(without.structure)}`,
      `to ${meanText(withoutControl.structure)}`,
      `of ${counted(changes.length, "image")} with the training image most like each, and when that is forgotten; ` +
      "right: when another is",
    ],
    [
      "leave-one-out: fall",
      estimateText(without.fall),
      estimateText(withoutControl.fall),
      "of that structure; no more than right: nothing is owed to one training image",
    ],
    [
      "leave-one-out: kept",
      meanText(without.kept),
      meanText(withoutControl.kept),
      "structure shared with itself before",
    ],
    [
      "leave-one-out: change",
      meanText(without.change, 1),
      meanText(withoutControl.change, 1),
      "root mean square, in grey levels of 255",
    ],
  ];
}

function attackRows({ by, area, found }: Attack): [string, string, string, string][] {
  return [
    [`attack by ${by}: area`, estimateText(area), "0.500", "0.5: training images cannot be told from held-out ones"],
    [
      `attack by ${by}: found`,
      estimateText(found),
      fixed(found.falsePositives, 3),
      "training images found, and held-out images taken for such",
    ],
  ];
}

function nearnessRows(
  { by, assessed, heldOut, limit, copies, duplicates }: Nearness,
): [string, string, string, string][] {
  const isStructure = by !== "originality";
  const text = isStructure ? meanText : (one: Summary) => `${fixed(one.mean, 3)} (${fixed(one.least, 3)})`;
  return [
    [by, text(assessed), text(heldOut), isStructure ? "mean, and the greatest" : "mean, and the least"],
    [`copies by ${by}`, String(copies.length), String(duplicates), copiesText(isStructure, limit, duplicates)],
  ];
}

/** Where the limit lies, and that held-out images beyond it are duplicates. */
function copiesText(isStructure: boolean, limit: number, duplicates: number): string {
  const text = `${isStructure ? "above" : "below"} ${fixed(limit, 2)}`;
  return duplicates > 0 ? `${text}; held-out images that are among the training images do not count` : text;
}

function meanText({ mean, greatest }: Summary, digits = 3): string {
  return `${fixed(mean, digits)} (${fixed(greatest, digits)})`;
}

function estimateText({ value, interval: [low, high] }: Estimate): string {
  return `${fixed(value, 3)} (${fixed(low, 3)} .. ${fixed(high, 3)})`;
}

/** Writes the findings as a table of text, with the verdict below. */
export function privacyTable(privacy: Privacy): string[] {
  const head = ["finding", "assessed", "held-out", "what it says"];
  return [
    ...textTable(head, findings(privacy), head.length),
    "",
    `${counted(privacy.set.images.count, "image")}, ${counted(privacy.heldOut, "held-out image")}`,
    verdictText(privacy),
  ];
}

/** Says in a sentence whether the images pass, or why they do not. */
export function verdictText({ objections }: Pick<Privacy, "objections">): string {
  if (objections.length > 0) return `Verdict: fails. ${objections.join("; ")}`;
  return "Verdict: passes. No copies, and neither attack tells training images from held-out images";
}
