/** Writes the files of `assess`: scores.json, images.csv, run.json and, with --report, report.html. */
import { join } from "node:path";
import type { Assessment } from "../../../pipelines/assessment/assessment.ts";
import { assessmentReport } from "../../../pipelines/assessment/assessment_report.ts";
import { assessmentRecord, imagesCsv } from "../../../pipelines/assessment/assessment_results.ts";
import type { Privacy } from "../../../pipelines/privacy/privacy.ts";
import { privacyReport } from "../../../pipelines/privacy/privacy_report.ts";
import { privacyCsv, privacyRecord } from "../../../pipelines/privacy/privacy_results.ts";
import { toHtml } from "../../../pipelines/report/html.ts";
import type { OutFolder } from "../folders/out_folder.ts";
import { kernelsSha256 } from "../system/kernels_file.ts";

/** Where and how to write. */
export interface Target {
  readonly folder: string;
  /** Whether to write report.html. */
  readonly report: boolean;
  /** The command that made the assessment, for the report. */
  readonly command: string;
}

/** Returns the names of the files, without run.json. */
export function assessmentFiles(report: boolean): string[] {
  return ["scores.json", "images.csv", ...report ? ["report.html"] : []];
}

/**
 * Writes the files and returns the content of scores.json.
 *
 * @throws {Error} if the folder cannot be written
 */
export async function writeAssessment(
  assessment: Assessment,
  { report, command }: Omit<Target, "folder">,
  out: OutFolder,
): Promise<object> {
  const record = assessmentRecord(assessment, command);
  await out.finish({ work: await workOf(assessment) }, [
    ["scores.json", JSON.stringify(record, null, 2) + "\n"],
    ["images.csv", imagesCsv(assessment)],
    ...report ? [["report.html", toHtml(await assessmentReport(assessment, command))] as const] : [],
  ]);
  return record;
}

/** What figures follow from beside the files: all values of the profile, which its name does not say, and the kernels. */
async function workOf({ plan: { profile } }: Pick<Assessment, "plan">): Promise<object> {
  return { profile, kernels: await kernelsSha256() };
}

/** Returns the names of the files on privacy, without run.json. */
export function privacyFiles(report: boolean): string[] {
  return ["privacy.json", "images.csv", ...report ? ["report.html"] : []];
}

/**
 * Writes what was found on privacy, and returns the content of privacy.json.
 *
 * @throws {Error} if the folder cannot be written
 */
export async function writePrivacy(
  privacy: Privacy,
  { report, command }: Omit<Target, "folder">,
  out: OutFolder,
): Promise<object> {
  const record = privacyRecord(privacy, command);
  await out.finish({ work: await workOf(privacy) }, [
    ["privacy.json", JSON.stringify(record, null, 2) + "\n"],
    ["images.csv", privacyCsv(privacy)],
    ...report ? [["report.html", toHtml(privacyReport(privacy, command))] as const] : [],
  ]);
  return record;
}

/** Returns the path of the file to open first. */
export function mainFile({ folder, report }: Target): string {
  return join(folder, report ? "report.html" : "scores.json");
}
