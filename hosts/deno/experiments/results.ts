/** Where the results of an experiment go, and how they are written. */
import type { Profile } from "../../../core/profile.ts";
import { toHtml } from "../../../pipelines/report/html.ts";
import type { OutFile, OutFolder } from "../folders/out_folder.ts";
import { outFolder } from "../folders/result_names.ts";
import { print, printJson } from "../system/printable.ts";

/** Where the training images are, and where results go. */
export interface ResultsRequest {
  /** The path of the training images; by default the data set of the profile. */
  readonly data?: string;
  /** One class only, by its number or name. */
  readonly class?: string;
  /** The folder of the results; by default one named by command and profile. */
  readonly out?: string;
  /** Whether files in it are replaced that Patchloom did not write. */
  readonly force: boolean;
  /** Whether the record is printed instead of the table. */
  readonly json: boolean;
  /** The command line, for the record and the report. */
  readonly command: string;
}

/** Returns the folder of the results. */
export function resultsFolder({ out }: Pick<ResultsRequest, "out">, command: string, { name }: Pick<Profile, "name">) {
  return out ?? outFolder(command, name, `${command}-`);
}

/** What an experiment found. */
export interface Found {
  /** What the folder's record says of the work: the profile, the kernels and more. */
  readonly work: object;
  /** The content of the file of figures, which has the name of the command. */
  readonly record: object;
  readonly report: Parameters<typeof toHtml>[0];
  /** Further files. */
  readonly files: readonly OutFile[];
  /** The lines of the table. */
  readonly table: readonly string[];
}

/** Writes what an experiment found, and prints its figures: as the table, or as JSON. */
export async function finishExperiment(
  command: string,
  out: OutFolder,
  { work, record, report, files, table }: Found,
  json: boolean,
): Promise<void> {
  await out.finish({ work }, [
    [`${command}.json`, JSON.stringify(record, null, 2) + "\n"],
    ["report.html", toHtml(report)],
    ...files,
  ]);
  if (json) printJson(record, 2);
  else print(...table);
}
