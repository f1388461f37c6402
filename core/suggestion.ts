/** What to append to "there is no ...": the nearest of the valid names, if it is near, and all of them. */

/** `; nearest: "x" (valid: x, y)`. A name with a slash is a path, and no name is near it. */
export function suggestion(name: string, names: readonly string[]): string {
  if (names.length === 0) return " (there are none)";
  const [one] = alike(name, names);
  return `${one === undefined ? "" : `; nearest: "${one}"`} (valid: ${names.join(", ")})`;
}

/** The names that may be meant, the most similar first. A name with a slash is a path. */
export function alike(name: string, names: readonly string[]): string[] {
  if (name === "" || name.length > LONGEST || name.includes("/")) return [];
  return bySimilarity(name, names).filter((valid) => isAlike(name.toLowerCase(), valid.toLowerCase()));
}

/** Whether a text is the beginning or the last part of a name, has its letters in another order, or two thirds of it agree. */
function isAlike(wanted: string, valid: string): boolean {
  if (valid.startsWith(wanted) || valid.endsWith(`.${wanted}`) || wanted.endsWith(`-${valid}`)) return true;
  const letters = (text: string) => [...text].sort().join("");
  if (letters(wanted) === letters(valid)) return true;
  return 3 * editDistance(wanted, valid) <= Math.max(wanted.length, valid.length);
}

/** So many characters of a name are compared: no valid one is longer. */
const LONGEST = 100;

/**
 * The names, those with the least edit distance first, in which upper and lower case are the same; equally near ones in their order.
 */
export function bySimilarity(name: string, names: readonly string[]): string[] {
  const wanted = name.slice(0, LONGEST).toLowerCase();
  const distances = new Map(names.map((valid) => [valid, editDistance(wanted, valid.toLowerCase())]));
  return names.toSorted((a, b) => distances.get(a)! - distances.get(b)!);
}

/** How many characters must be inserted, removed or replaced to make one text of another (Levenshtein's distance). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = row[j - 1] + Number(from[i - 1] !== to[j - 1]);
      next.push(Math.min(row[j] + 1, next[j - 1] + 1, replaced));
    }
    row = next;
  }
  return row[to.length];
}
