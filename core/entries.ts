/**
 * Tables of entries: what an object of plain data may hold, stated once. A table gives the object's type (`Written`), its keys,
 * its defaults, its checks (`filled`), and its JSON Schema (`profileSchema`).
 */
import { isObject } from "./options.ts";
import { shown } from "./shown.ts";
import { suggestion } from "./suggestion.ts";
import type { AnyPlugin, Kinds } from "./plugin.ts";
import { choosePlugin, type Chosen, type PluginChoice, type Registry } from "./registry.ts";

/** What a value may be. `expected` replaces what an error says was expected. */
export type EntryShape =
  & { readonly expected?: string }
  & (
    | { readonly type: "text" }
    | { readonly type: "boolean" }
    | { readonly type: "choice"; readonly choices: readonly (string | number)[] }
    | { readonly type: "integer"; readonly min: number; readonly max: number; readonly parity?: "even" | "odd" }
    /** A finite number: >= `min` or > `above`, and <= `max`. */
    | { readonly type: "number"; readonly min?: number; readonly above?: number; readonly max?: number }
    | { readonly type: "pair"; readonly of: EntryShape }
    /** A list; `length` names the entry beside it that says how many values it has. */
    | { readonly type: "list"; readonly of: EntryShape; readonly length?: string }
    /** The second shape for lists, the first one for anything else. */
    | { readonly type: "either"; readonly of: readonly [EntryShape, EntryShape] }
    /** A plugin: its name, or its name and options. */
    | { readonly type: "plugin"; readonly kind: keyof Kinds }
    | { readonly type: "object"; readonly entries: Table }
    /** A list of at least one object. `filled` leaves the objects to its caller, since they depend on each other. */
    | { readonly type: "objects"; readonly entries: Table }
  );

/** An entry of a table. It must be there, unless it is `optional` or has a `default`. */
export type Entry = EntryShape & {
  /** One line for people: the unit, and the visible effect. */
  readonly about: string;
  /** The value where the entry is left out. */
  readonly default?: number | boolean | string;
  /** Whether the entry may be left out though it has no default. */
  readonly optional?: true;
  /** The range in which `tune` varies the entry where a profile has it; `everywhere`: in all layers alike. */
  readonly tune?: { readonly low: number; readonly high: number; readonly everywhere?: true };
};

/** Entries by name. Errors and documents list them in this order, those that may be left out last. */
export type Table = { readonly [key: string]: Entry };

/** An entry that may be left out. */
export type OptionalEntry = { readonly default: unknown } | { readonly optional: true };

/** The type of a value as an object writes it, with plugins of `P`. */
export type EntryValue<S, P extends AnyPlugin = AnyPlugin> = S extends { type: "text" } ? string
  : S extends { type: "boolean" } ? boolean
  : S extends { type: "integer" | "number" } ? number
  : S extends { type: "choice"; choices: readonly (infer C)[] } ? C
  : S extends { type: "pair"; of: infer I } ? readonly [EntryValue<I, P>, EntryValue<I, P>]
  : S extends { type: "list"; of: infer I } ? readonly EntryValue<I, P>[]
  : S extends { type: "either"; of: readonly [infer A, infer B] } ? EntryValue<A, P> | EntryValue<B, P>
  : S extends { type: "plugin"; kind: infer K } ? PluginChoice<P, K>
  : S extends { type: "object"; entries: infer T } ? Written<T, P>
  : S extends { type: "objects"; entries: infer T } ? readonly Written<T, P>[]
  : never;

/** The type of the objects that a table describes, as people write them. */
export type Written<T, P extends AnyPlugin = AnyPlugin> =
  & { readonly [K in keyof T as T[K] extends OptionalEntry ? never : K]: EntryValue<T[K], P> }
  & { readonly [K in keyof T as T[K] extends OptionalEntry ? K : never]?: EntryValue<T[K], P> };

/** The type of a checked value: plugins are found. */
export type FilledValue<S> = S extends { type: "plugin"; kind: infer K extends keyof Kinds } ? Chosen<K>
  : S extends { type: "list"; of: infer I } ? readonly FilledValue<I>[]
  : S extends { type: "object"; entries: infer T } ? Filled<T>
  : EntryValue<S>;

/** The type of checked objects: with defaults, and with plugins found. */
export type Filled<T> =
  & { readonly [K in keyof T as T[K] extends { optional: true } ? never : K]: FilledValue<T[K]> }
  & { readonly [K in keyof T as T[K] extends { optional: true } ? K : never]?: FilledValue<T[K]> };

/** Whether an entry may be left out. */
export function isOptional(entry: Entry): boolean {
  return entry.optional === true || entry.default !== undefined;
}

/** The names of a table's entries: those that must be there, then those that may be left out. */
export function keysOf(table: Table): { readonly needed: string[]; readonly optional: string[] } {
  const keys = Object.keys(table);
  return {
    needed: keys.filter((key) => !isOptional(table[key])),
    optional: keys.filter((key) => isOptional(table[key])),
  };
}

/** What checks need beside a table. */
export interface Surroundings {
  readonly plugins: Registry;
  /** The path of the object in the profile, such as "layers.0"; "" for the profile. */
  readonly at: string;
  /** A lower maximum for the integers of an entry than the table's. Entries that may be left out are checked first. */
  max?(key: string, checked: Readonly<Record<string, unknown>>): number | undefined;
}

/**
 * Checks an object against its table. Returns a copy with defaults, and with plugins found.
 *
 * @throws Error with one sentence: the entry, what was expected and what was found.
 */
export function filled<T extends Table>(table: T, object: object, around: Surroundings): Filled<T> {
  const { needed, optional } = keysOf(table);
  const { at } = around;
  checkKeys(object, needed, optional, at || "the profile");
  const given = object as Record<string, unknown>;
  const checked: Record<string, unknown> = {};
  for (const key of [...optional, ...needed]) {
    const entry = table[key];
    const name = at ? `${at}.${key}` : key;
    if (given[key] === undefined && isOptional(entry)) {
      if (entry.default !== undefined) checked[key] = entry.default;
      continue;
    }
    const length = entry.type === "list" && entry.length ? checked[entry.length] as number : undefined;
    const limits = { max: around.max?.(key, checked), length };
    checked[key] = checkedValue(entry, given[key], name, around, limits);
  }
  return checked as Filled<T>;
}

function checkKeys(object: object, needed: readonly string[], optional: readonly string[], where: string): void {
  const valid = [...needed, ...optional];
  for (const key of Object.keys(object)) {
    if (!valid.includes(key)) throw new Error(`${where} has an unknown entry ${shown(key)}${suggestion(key, valid)}`);
  }
  for (const key of needed) {
    if (!Object.hasOwn(object, key)) throw new Error(`${where} lacks the entry "${key}"`);
  }
}

/** What the entries beside a value say about it. */
interface Limits {
  readonly max?: number;
  readonly length?: number;
}

/** Checks a value, which errors call `name`. Returns it, or a copy. */
function checkedValue(shape: EntryShape, value: unknown, name: string, around: Surroundings, limits: Limits): unknown {
  const inside = (item: EntryShape, value: unknown, name: string) => checkedValue(item, value, name, around, limits);
  const fits = (is: boolean, expected: string) => is ? value : fail(name, shape.expected ?? expected, value);
  switch (shape.type) {
    case "text":
      fits(typeof value === "string", "a text");
      // What a page or a terminal prints in the order of its letters, and what an address can hold.
      return fits(
        (value as string).isWellFormed() && !/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(value as string),
        "a text of printable characters",
      );
    case "boolean":
      return fits(typeof value === "boolean", "true or false");
    case "choice":
      return fits((shape.choices as readonly unknown[]).includes(value), shape.choices.join(" or "));
    case "integer": {
      const { min, parity } = shape;
      const max = Math.min(shape.max, limits.max ?? Infinity);
      fits(Number.isInteger(value) && Number(value) >= min && Number(value) <= max, `an integer from ${min} to ${max}`);
      return fits(!parity || (Number(value) % 2 === 0) === (parity === "even"), `an ${parity} number`);
    }
    case "number":
      return fits(isNumberOf(shape, value), numberText(shape));
    case "pair":
      fits(Array.isArray(value) && value.length === 2, "a pair");
      return Array.from(value as unknown[], (item, i) => inside(shape.of, item, `${name}.${i}`));
    case "list": {
      const { length = (value as unknown[] | null)?.length } = limits;
      const expected = limits.length === undefined ? "a list" : `a list of ${length} (one for each iteration)`;
      fits(Array.isArray(value) && value.length === length, expected);
      // An error shows the plugin itself, so that it needs no number: one of `layers.0.contexts` is called `layers.0.context`.
      const nameOf = (k: number) => shape.of.type === "plugin" ? name.replace(/\w+$/, shape.of.kind) : `${name}.${k}`;
      return Array.from(value as unknown[], (item, k) => inside(shape.of, item, nameOf(k)));
    }
    case "either":
      return inside(shape.of[Array.isArray(value) ? 1 : 0], value, name);
    case "plugin":
      return choosePlugin(shape.kind, value, around.plugins) ?? fits(false, "a name or a pair of name and options");
    case "object":
      fits(isObject(value), "an object");
      return filled(shape.entries, value as object, { plugins: around.plugins, at: name });
    case "objects":
      return fits(Array.isArray(value) && value.length > 0, "a list of one or more objects");
  }
}

type NumberShape = EntryShape & { readonly type: "number" };

function isNumberOf({ min = -Infinity, above = -Infinity, max = Infinity }: NumberShape, value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= min && value > above && value <= max;
}

function numberText({ min, above, max }: NumberShape): string {
  if (max !== undefined) return `a number from ${min} to ${max}`;
  return `a finite number ${above === undefined ? `>= ${min}` : `> ${above}`}`;
}

/** Throws the error of a wrong value of a profile. */
export function fail(name: string, expected: string, got: unknown): never {
  throw new Error(`Cannot use ${name} of the profile: expected ${expected}, got ${shown(got)}`);
}
