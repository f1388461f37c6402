/** Classes of images, as a request names them. */
import { suggestion } from "../../../core/suggestion.ts";
import { classText, classTexts, MAX_CLASSES } from "../../../datasets/groups.ts";
import { RequestError, wholeNumber } from "../system/request_error.ts";

/** Returns the label of a class that is named, or numbered where classes have no names. */
export function readClass(given: string, { classes }: { readonly classes?: readonly string[] }): number {
  if (!classes) return wholeNumber("class", given, 0, MAX_CLASSES - 1);
  const label = classes.indexOf(given);
  if (label < 0) throw new RequestError(`There is no class "${given}"${suggestion(given, classes)}`);
  return label;
}

/**
 * Reads a list of classes: names, or numbers and ranges of numbers where classes have no names. Returns their labels, ascending.
 *
 * @throws {RequestError} if it is none
 */
export function readClassList(given: string, { classes }: { readonly classes?: readonly string[] }): number[] {
  const parts = given.split(",").map((part) => part.trim());
  if (classes) {
    const names = classes.includes(given) ? [given] : parts; // a name may hold a comma
    return ascending(names.map((name) => readClass(name, { classes })));
  }
  return ascending(parts.flatMap((part) => {
    const [, first, last = first] = /^(\d{1,3})(?:-(\d{1,3}))?$/.exec(part) ?? [];
    const count = Number(last) - Number(first) + 1;
    if (count >= 1 && Number(last) < MAX_CLASSES) return Array.from({ length: count }, (_, i) => Number(first) + i);
    const expected = `integers from 0 to ${MAX_CLASSES - 1}, such as 3, 0-9 or 1,3,7-9, or all`;
    throw new RequestError(`Cannot use --class ${given}: expected ${expected}`);
  }));
}

function ascending(labels: readonly number[]): number[] {
  return [...new Set(labels)].sort((a, b) => a - b);
}

/**
 * Checks that there are images of a class.
 *
 * @param images the labels of the images, if they have labels, their name in errors, and the names of the classes
 * @throws {RequestError} if there are none
 */
export function checkClass(
  label: number,
  { labels, name, classes }: {
    readonly labels?: Uint8Array;
    readonly name: string;
    readonly classes?: readonly string[];
  },
): void {
  const cannot = `Cannot use --class ${classText(classes, label)}`;
  if (!labels) throw new RequestError(`${cannot}: the images of ${name} have no labels`);
  if (labels.includes(label)) return;
  const known = classTexts(classes, labels).join(", ");
  throw new RequestError(`${cannot}: ${name} has no images of that class (classes: ${known})`);
}
