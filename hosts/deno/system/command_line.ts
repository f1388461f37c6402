/** Writes command lines that can be run again. */
import { oneLine } from "./printable.ts";

/**
 * A word of a command line, quoted where a shell would read it otherwise: in double quotes on Windows, where cmd knows no others and no
 * file has one in its name, else in single quotes. Characters that are not printed as they are, such as line feeds, are written as the
 * bytes that bash and zsh read in `$'...'`.
 */
export function quoted(word: string, isWindows = Deno.build.os === "windows"): string {
  if (isWindows) {
    // Programs take a backslash before a quote for the quote's.
    return /^[\w./\\@+=:-]+$/.test(word) ? word : `"${word.replace(/\\+$/, "$&$&")}"`;
  }
  if (oneLine(word) !== word) return `$'${Array.from(word, escaped).join("")}'`;
  return /^[\w./@%+=:,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A character between `$'` and `'`. */
function escaped(character: string): string {
  if (character === "'" || character === "\\") return `\\${character}`;
  if (oneLine(character) === character) return character;
  return Array.from(new TextEncoder().encode(character), (byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
}

/**
 * The command line that runs a command with these arguments.
 *
 * @param call "deno task" and the name of the command, in one literal: `build:command` finds those in the sources, and puts
 * the calls of its package in their place
 */
export function commandLine(call: string, args: readonly string[]): string {
  return [call, ...args.map((word) => quoted(word))].join(" ");
}
