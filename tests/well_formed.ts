/** A small check of HTML and SVG: tags are closed in order, attributes are quoted, ids are unique. */
const VOID = new Set(["meta", "img", "br", "hr", "link", "input"]);
const TAG = /^<(\/?)([a-zA-Z][\w:-]*)((?:\s+[\w:-]+(?:="[^"<]*")?)*)\s*(\/?)>/;

/** One element: its name and its attributes as written. */
export interface Element {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
}

/** The elements in their order. Throws where the text is not well formed. Skips the content of <style>. */
export function elements(text: string): Element[] {
  const found: Element[] = [], open: string[] = [], ids = new Set<string>();
  let rest = text.replace(/^<!DOCTYPE html>/, "");
  while (true) {
    const start = rest.indexOf("<");
    const between = start < 0 ? rest : rest.slice(0, start);
    if (/&(?!(amp|lt|gt|quot|#39);)/.test(between)) throw new Error(`a bare & in: ${between}`);
    if (start < 0) break;
    rest = rest.slice(start);
    const match = TAG.exec(rest);
    if (!match) throw new Error(`not a tag: ${rest.slice(0, 80)}`);
    const [whole, close, name, attributes, self] = match;
    rest = rest.slice(whole.length);
    if (close) {
      const last = open.pop();
      if (last !== name) throw new Error(`</${name}> closes <${last}>`);
      continue;
    }
    const pairs = [...attributes.matchAll(/([\w:-]+)(?:="([^"]*)")?/g)];
    const element = { name, attributes: new Map(pairs.map(([, key, value]) => [key, value ?? ""])) };
    const id = element.attributes.get("id");
    if (id !== undefined && ids.has(id)) throw new Error(`the id ${id} twice`);
    if (id !== undefined) ids.add(id);
    found.push(element);
    if (name === "style") rest = rest.slice(rest.indexOf("</style>"));
    if (!self && !VOID.has(name)) open.push(name);
  }
  if (open.length > 0) throw new Error(`not closed: ${open.join(" ")}`);
  return found;
}
