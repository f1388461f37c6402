import { element } from "./element.ts";

/** Milliseconds for which a saved file stays in memory: browsers read it after the click. */
const SAVING = 10_000;

/** Saves a file among the visitor's downloads. */
export function saveFile(blob: Blob, name: string): void {
  const href = URL.createObjectURL(blob);
  element("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), SAVING);
}
