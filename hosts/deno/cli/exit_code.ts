/** How a program of the command line ends. */
import { UsageError } from "./flags.ts";

/** Runs a command; its exit code. What it throws is told in one sentence on stderr, or with --debug as it is. */
export async function exitCode(args: string[], command: (args: string[]) => Promise<number>): Promise<number> {
  try {
    return await command(args);
  } catch (error) {
    // The messages of the runtime and of plugins, which are quoted in ours, may go over several lines or steer a terminal.
    const sentence = (error instanceof Error ? error.message : String(error)).replace(/\s*\p{Cc}+\s*/gu, " ");
    console.error(args.includes("--debug") ? error : sentence);
    return error instanceof UsageError ? 2 : 1;
  }
}
