/** Says what is wrong with JSON that people wrote: the line, and the slip. */

/** White space, then a mark, a text, a number or a word. */
const TOKEN = /\s*(?:[{}[\],:]|"(?:[^"\\\n]|\\.)*"|[^\s{}[\],:"]+|")/y;
const VALUE = /^(?:"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$|(?:true|false|null)$)/;

/** Characters of a text, at most: profiles have a hundredth of it, and other files may have texts that are too long for the pattern. */
const LONGEST = 1e6;

/** An object or a list that is open, with the names of its entries. */
interface Open {
  readonly end: "}" | "]";
  readonly names: Set<string>;
}

/** What may come next: a value, the name of an entry, the colon behind it, or a comma or the end. */
type Next = "value" | "name" | "colon" | "comma";

const EXPECTED: Readonly<Record<Next, string>> = {
  value: "a value",
  name: "the name of an entry in quotes",
  colon: "a colon",
  comma: "a comma or an end",
};

/** Returns the first fault of a text that should be JSON, as a phrase with its line; undefined if none is found. */
export function jsonFault(text: string): string | undefined {
  const open: Open[] = [];
  let next: Next = "value", before = "";
  if (text.length > LONGEST) return undefined;
  for (const { token, line } of tokens(text)) {
    const [inner] = open.slice(-1), isEnd = inner !== undefined && token === inner.end;
    if (before === "," && isEnd) return `line ${line} has a comma after the last entry`;
    if (isEnd && (next === "comma" || before === "{" || before === "[")) {
      open.pop();
      next = "comma";
    } else if (next === "value" && (token === "{" || token === "[")) {
      open.push({ end: token === "{" ? "}" : "]", names: new Set() });
      next = token === "{" ? "name" : "value";
    } else if (next === "name" && isText(token)) {
      if (inner.names.has(token)) return `line ${line} has the entry ${token} again`;
      inner.names.add(token);
      next = "colon";
    } else if (next === "colon" && token === ":") next = "value";
    else if (next === "comma" && token === "," && inner) next = inner.end === "}" ? "name" : "value";
    else if (next === "value" && VALUE.test(token) && token !== '"') next = "comma";
    else if (token === '"') return `line ${line} has a text without its end`;
    else if (/^\/[/*]/.test(token)) return `line ${line} has a comment, which JSON has not`;
    else {return `line ${line} has ${token.slice(0, 20)} in place of ${
        inner || next !== "comma" ? EXPECTED[next] : "the end"
      }`;}
    before = token;
  }
  return open.length > 0 || next === "value" ? "it is cut off" : undefined;
}

function isText(token: string): boolean {
  return token.startsWith('"') && token.length > 1;
}

/** The tokens of a text, each with its line. */
function* tokens(text: string): Generator<{ readonly token: string; readonly line: number }> {
  let line = 1;
  for (let at = 0; at < text.length;) {
    TOKEN.lastIndex = at;
    const [whole] = TOKEN.exec(text) ?? [];
    if (whole === undefined) return; // white space at the end
    line += whole.split("\n").length - 1;
    yield { token: whole.trimStart(), line };
    at += whole.length;
  }
}
