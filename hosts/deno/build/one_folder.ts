/** Reads the words of builds that take one folder. */
import { UsageError } from "../commands/flags/flags.ts";

/** Returns the folder that a build is called with, or else the usual one. Throws a `UsageError` where there are more words. */
export function oneFolder(words: readonly string[], name: string, usual: string): string {
  const [folder = usual, ...more] = words;
  if (more.length > 0) throw new UsageError(`${name} takes one folder, got also "${more[0]}"`);
  return folder;
}
