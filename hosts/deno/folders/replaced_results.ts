/** Results of an earlier run that a new one replaces. */
import { counted } from "../../../core/counted.ts";
import type { FolderRecord } from "./folder_record.ts";

/**
 * Names the results of an earlier run that will be replaced; undefined if there are none.
 *
 * @param record the record of the earlier run
 * @param lost the files of that run that will be removed
 * @throws {Error} if they are results of another command, unless `force`: a mistyped folder may hold hours of work
 */
export function replacedResults(
  record: FolderRecord | undefined,
  lost: readonly string[],
  { command, force }: { readonly command: string; readonly force?: boolean },
): string | undefined {
  if (!record || lost.length === 0) return undefined;
  const { finished } = record as { readonly finished?: unknown };
  const results = typeof finished === "number" ? counted(finished, "image") : counted(lost.length, "file");
  if (force || record.command === command) return `${results} of an earlier run of ${record.command}`;
  throw new Error(`it holds ${results} of ${record.command}: choose another folder, or add --force to replace them`);
}
