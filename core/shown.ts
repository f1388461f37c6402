/** Shows values in errors. */

/** The most characters of a value that are shown. */
const LONGEST = 60;

/** A wrong value as an error shows it: in one line of at most 60 characters. It can be anything. */
export function shown(value: unknown): string {
  const text = textOf(value).replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 3)}...` : text;
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
