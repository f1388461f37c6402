/** Cleans what is printed to a terminal. */
import { reason } from "./reason.ts";

/**
 * Characters by which a text could move the cursor, clear the screen, set the title or reorder what is read: the C0 and C1 controls
 * but the line feed, and the marks that change the direction of text.
 */
// deno-lint-ignore no-control-regex
const HOSTILE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * A text as it may be printed: control characters are written as `\u001b`, line feeds stay. All that commands print passes
 * through here, because names, paths and texts of files may hold anything. JSON stays the same JSON.
 */
export function printable(text: string): string {
  return text.replace(HOSTILE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** A text of a file as a part of a line: as `printable`, and without line feeds. */
export function inLine(text: string): string {
  return printable(text.replace(/\s*\n\s*/g, " "));
}

/** Characters of a line of text that comes from elsewhere, at most. */
const LONGEST_LINE = 1000;

/** A text from elsewhere as one line: as `inLine`, and cut off where it is too long. */
export function shortLine(text: string): string {
  const line = inLine(text.slice(0, 2 * LONGEST_LINE));
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}...` : line;
}

/** Characters of an error, at most. */
const LONGEST_ERROR = 4000;

/** An error as a line: as `inLine`, and cut in the middle where it is too long. What it quotes may be a line of any length. */
export function errorLine(text: string): string {
  const end = LONGEST_ERROR / 4, start = LONGEST_ERROR - end;
  return inLine(text.length > LONGEST_ERROR ? `${text.slice(0, start)} ... ${text.slice(-end)}` : text);
}

/** A text as exactly one line: as `printable`, and a line feed is written as `\u000a`, so that no name can add a line. */
export function oneLine(text: string): string {
  return printable(text).replaceAll("\n", "\\u000a");
}

/** Prints lines of a result to the standard output. */
export function print(...lines: readonly string[]): void {
  toStandardOutput(lines.map(oneLine).join("\n"));
}

/** Prints a text. Where the disk is full, the error names the standard output: `--out` may lie on another disk. */
function toStandardOutput(text: string): void {
  try {
    console.log(text);
  } catch (cause) {
    if ((cause as { readonly code?: unknown }).code !== "ENOSPC") throw cause;
    throw new Error(`Cannot write to the standard output: ${reason(cause)}`, { cause });
  }
}

/** Prints a value as JSON to the standard output: in one line, or indented. */
export function printJson(value: unknown, indent?: number): void {
  toStandardOutput(printable(JSON.stringify(value, null, indent)));
}

/** Prints a line of progress or a message to the standard error. */
export function printMessage(text: string): void {
  console.error(oneLine(text));
}

/** Makes a function that prints news of a command to the standard error, unless the command is quiet. */
export function messagePrinter(quiet: boolean): (text: string) => void {
  return (text) => {
    if (!quiet) printMessage(text);
  };
}
