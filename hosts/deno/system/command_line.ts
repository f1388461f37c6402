/** Writes command lines that can be run again. */

/** A word of a command line, quoted where a shell would read it otherwise. */
export function quoted(word: string): string {
  return /^[\w./@%+=:,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * The command line that runs a command with these arguments.
 *
 * @param call "deno task" and the name of the command, in one literal: `build:command` finds those in the sources, and puts
 * the calls of its package in their place
 */
export function commandLine(call: string, args: readonly string[]): string {
  return [call, ...args.map(quoted)].join(" ");
}
