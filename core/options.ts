/** The values of a plugin's options, checked against its table, and what errors say of a wrong one. */
import type { AnyPlugin, Option, Values } from "./plugin.ts";
import { nameOf } from "./plugin_error.ts";
import { shown } from "./shown.ts";
import { suggestion } from "./suggestion.ts";

/**
 * The values of a plugin's options: the defaults with `given` on top, frozen.
 *
 * @throws Error where there is no such option, or it does not take the value.
 */
export function optionValues(plugin: AnyPlugin, given: Readonly<Record<string, unknown>>): Values {
  const what = nameOf(plugin);
  const values: Record<string, number | boolean | string> = {};
  for (const [name, option] of Object.entries(plugin.options as Record<string, Option>)) values[name] = option.default;
  for (const [name, value] of Object.entries(given)) {
    const option = Object.hasOwn(plugin.options, name) && (plugin.options as Record<string, Option>)[name];
    if (!option) {
      throw new Error(`${what} has no option ${shown(name)}${suggestion(name, Object.keys(plugin.options))}`);
    }
    values[name] = checkedOption(option, value, `Cannot set "${name}" on ${what}`);
  }
  return Object.freeze(values) as Values;
}

/**
 * Checks that an option takes a value, and returns it.
 *
 * @param cannot Begins the sentence of an error.
 * @throws Error where it does not: one sentence with what was expected and what was found.
 */
export function checkedOption(option: Option, value: unknown, cannot: string): number | boolean | string {
  const got = shown(value);
  if (typeof option.default === "number") {
    const words = Object.entries(option.words ?? {}), word = words.find(([word]) => word === value);
    if (word) return word[1];
    const low = option.min ?? -Infinity, high = option.max ?? Infinity;
    const fits = typeof value === "number" && Number.isFinite(value) && value >= low && value <= high;
    if (fits && (!option.integer || Number.isInteger(value))) return value;
    const kind = option.integer ? "an integer" : "a number";
    const range = [option.min === undefined ? "" : `>= ${low}`, option.max === undefined ? "" : `<= ${high}`];
    const numbers = [kind, range.filter(Boolean).join(" and ")].join(" ").trim();
    throw new Error(`${cannot}: expected ${[numbers, ...words.map(([word]) => `"${word}"`)].join(" or ")}, got ${got}`);
  }
  if (typeof option.default === "boolean") {
    if (typeof value === "boolean") return value;
    throw new Error(`${cannot}: expected true or false, got ${got}`);
  }
  if (typeof value === "string" && (!option.choices || option.choices.includes(value))) return value;
  throw new Error(`${cannot}: expected ${option.choices?.join(" or ") ?? "a text"}, got ${got}`);
}

/** The values of options as a profile would write them: with words where options have them. */
export function writtenValues({ options }: { readonly options: Readonly<Record<string, Option>> }, values: Values) {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const word = Object.entries(options[name]?.words ?? {}).find(([, number]) => number === value);
      return [name, word ? word[0] : value];
    }),
  );
}

/** Whether a value is an object with entries by name, not a list. */
export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
