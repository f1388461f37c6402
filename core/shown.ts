/** Shows values in errors. */

/** The most characters of a value that are shown. */
const LONGEST = 60;

/** A wrong value as an error shows it: in one line of at most 60 characters. It can be anything. */
export function shown(value: unknown): string {
  return oneLine(textOf(value), LONGEST);
}

/** A text from elsewhere, such as a name in a file, as a part of a sentence: in one line of at most `longest` characters. */
export function oneLine(text: string, longest = 300): string {
  const line = text.replace(/[\p{C}\u2028\u2029]+/gu, " ");
  return line.length > longest ? `${line.slice(0, longest - 3)}...` : line;
}

function textOf(value: unknown): string {
  try {
    if (value instanceof Promise) return "a promise";
    if (ArrayBuffer.isView(value)) return `${value.constructor.name} of ${value.byteLength} bytes`;
    // Quotes and escapes of a long text cost as much as the text.
    if (typeof value === "string") return JSON.stringify(value.slice(0, LONGEST));
    return (typeof value === "object" ? JSON.stringify(value) : undefined) ?? String(value);
  } catch {
    return "an object that cannot be shown"; // it contains itself, or throws when it is read
  }
}
