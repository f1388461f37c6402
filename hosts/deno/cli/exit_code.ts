/** Turns what a command throws into a sentence and an exit code. */
import { UsageError } from "./flags.ts";

/**
 * Runs a command and returns its exit code: 2 for a `UsageError`, 1 for any other error. What it throws is printed on stderr in one
 * sentence, or with --debug as it is.
 */
export async function exitCode(args: string[], command: (args: string[]) => Promise<number>): Promise<number> {
  try {
    return await command(args);
  } catch (error) {
    // Our messages quote those of the runtime and of plugins, which may have several lines or control a terminal.
    const sentence = (error instanceof Error ? error.message : String(error)).replace(/\s*\p{Cc}+\s*/gu, " ");
    console.error(args.includes("--debug") ? error : sentence);
    return error instanceof UsageError ? 2 : 1;
  }
}
