/** The nesting of JSON, which code that walks through it by recursion must limit: its stack is not as deep as a file is long. */

/** How deep lists and objects of a profile may be nested. No profile is nested deeper. */
export const DEEPEST = 32;

/** Returns how deep lists and objects of JSON are nested. Brackets in texts do not count. */
export function jsonDepth(json: string): number {
  let depth = 0, deepest = 0, isText = false;
  for (let i = 0; i < json.length; i++) {
    const character = json[i];
    if (isText && character === "\\") i++; // what is escaped
    else if (character === '"') isText = !isText;
    else if (!isText && (character === "[" || character === "{")) deepest = Math.max(deepest, ++depth);
    else if (!isText && (character === "]" || character === "}")) depth--;
  }
  return deepest;
}
