/** Where the results of an experiment go. */
import type { Profile } from "../../../core/profile.ts";
import { outFolder } from "../folders/result_names.ts";

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
