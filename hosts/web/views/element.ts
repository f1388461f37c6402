/** Makes and finds elements of the page. */

/** Makes an element with properties, attributes (`role`, `for`, and names with a hyphen) and children. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Readonly<Record<string, unknown>> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes("-") || name === "role" || name === "for") made.setAttribute(name, String(value));
    else Object.assign(made, { [name]: value });
  }
  made.append(...children);
  return made;
}

/** The element of the page with an id, which must exist. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

/** Makes a list of names to choose one from. */
export function select(
  names: readonly string[],
  chosen: unknown,
  properties: Readonly<Record<string, unknown>>,
  change: (name: string) => void,
): HTMLSelectElement {
  const options = names.map((name) => element("option", { selected: name === chosen }, name));
  const made = element("select", properties, ...options);
  made.addEventListener("change", () => change(made.value));
  return made;
}

/** One button of a group of radio buttons. */
export interface Choice {
  readonly value: string;
  readonly label: (Node | string)[];
  /** Its accessible name, if the label is a picture. */
  readonly name?: string;
  readonly title?: string;
}

/** Replaces the content of a fieldset, except its legend, by a group of radio buttons. Keeps the focus in the group. */
export function radios(
  fieldset: HTMLElement,
  group: string,
  choices: readonly Choice[],
  chosen: string,
  change: (value: string) => void,
): void {
  const focused = fieldset.contains(document.activeElement);
  fieldset.replaceChildren(
    ...fieldset.querySelectorAll(":scope > legend"),
    ...choices.map(({ value, label, name, title }) => {
      const input = element("input", { type: "radio", name: group, value, checked: value === chosen });
      if (name) input.setAttribute("aria-label", name);
      input.addEventListener("change", () => change(value));
      return element("label", { className: "choice", ...title ? { title } : {} }, input, element("span", {}, ...label));
    }),
  );
  if (focused) fieldset.querySelector<HTMLInputElement>("input:checked")?.focus();
}
