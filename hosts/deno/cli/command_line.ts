/** Writes command lines that can be run again. */

/** A word of a command line, quoted where a shell would read it otherwise. */
export function quoted(word: string): string {
  return /^[\w./@%+=:,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * The command line that runs a command with these arguments.
 *
 * @param call the command, as `deno task NAME`: `build:command` finds such calls in the sources and puts the package's in their place
 */
export function commandLine(call: `deno task ${string}`, args: readonly string[]): string {
  return [call, ...args.map(quoted)].join(" ");
}
