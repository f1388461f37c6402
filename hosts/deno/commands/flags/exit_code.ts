/** Turns the error of a command into a sentence and an exit code. */
import { errorLine } from "../../system/printable.ts";
import { RequestError } from "../../system/request_error.ts";
import { sentence } from "../../system/reason.ts";

/**
 * Runs a command and returns its exit code: 2 for a `RequestError`, 1 for any other error. The error is printed to the standard
 * error as one sentence; with --debug as it is, with its stack trace.
 */
export async function exitCode(args: string[], command: (args: string[]) => Promise<number>): Promise<number> {
  try {
    return await command(args);
  } catch (error) {
    // Messages quote files, the runtime and plugins, whose texts may have several lines or control characters of terminals.
    console.error(args.includes("--debug") ? error : errorLine(sentence(error)));
    return error instanceof RequestError ? 2 : 1;
  }
}
