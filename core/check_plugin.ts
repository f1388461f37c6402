/** Checks at run time what the types say at compile time: that a value is a plugin. */
import type { AnyPlugin } from "./plugin.ts";
import { checkedOption } from "./options.ts";
import { shown } from "./shown.ts";

/** The kinds of plugins. */
export const KINDS = ["prior", "context", "metric", "denoiser"] as const;
/** Names that are unambiguous in profiles, flags and addresses. */
const NAME = /^(?=.{1,64}$)[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
/** Words that flags such as `--context` and `--metric` take in place of names. */
const WORDS: readonly string[] = ["all", "none"];
/** What a plugin's name has to be, for errors. */
export const NAME_RULE = `a name of lower case words joined by hyphens, such as "local-nn", but not "${
  WORDS.join('" or "')
}"`;
const OPTION_NAME = /^[A-Za-z_$][\w$]{0,63}$/;
/** A text of a plugin for lists and errors: one line, without characters that control a terminal. */
const LINE = /^\P{Cc}{0,1000}$/u;
const ENTRIES = ["default", "about", "min", "max", "integer", "choices", "words", "off"];

/** Whether a value is meant as a plugin, right or wrong. */
export function isLikePlugin(value: unknown): value is object {
  return typeof value === "object" && value !== null && "create" in value && ("kind" in value || "api" in value);
}

/**
 * Checks that a value is a plugin.
 *
 * @param cannot Begins the sentence of an error.
 * @throws Error where it is none: one sentence with what was expected and what was found.
 */
export function checkPlugin(value: unknown, cannot: string): asserts value is AnyPlugin {
  const wrong = (expected: string, got: unknown): never => {
    throw new Error(`${cannot}: expected ${expected}, got ${shown(got)}`);
  };
  const isObject = typeof value === "object" && value !== null;
  if (!isObject || !("api" in value || "kind" in value || "create" in value)) {
    const got = isObject ? `an object with ${Object.keys(value).slice(0, 3).join(", ") || "no entries"}` : shown(value);
    throw new Error(
      `${cannot}: expected a plugin, an object with api, kind, name, about, options and create, got ${got}`,
    );
  }
  const { api, kind, name, about, options, tune, create } = value as Record<string, unknown>;
  if (api !== 1) wrong("api 1", api);
  if (!(KINDS as readonly unknown[]).includes(kind)) wrong(`kind ${KINDS.map((one) => `"${one}"`).join(" or ")}`, kind);
  if (!isPluginName(name)) wrong(NAME_RULE, name);
  if (!isLine(about)) wrong("`about` to be a text of one line", about);
  if (typeof create !== "function") wrong("`create` to be a function", create);
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    wrong("`options` to be a table, {} where there are none", options);
  }
  for (const [option, entries] of Object.entries(options as object)) checkOption(option, entries, cannot);
  const names = Object.keys(options as object);
  if (tune !== undefined && !(Array.isArray(tune) && tune.every((one) => isTuned(one, names)))) {
    wrong("`tune` to be a list of { option, low, high, layers }, with options of the plugin", tune);
  }
}

/** Whether a value can be the name of a plugin. */
export function isPluginName(value: unknown): value is string {
  return typeof value === "string" && NAME.test(value) && !WORDS.includes(value);
}

function isTuned(value: unknown, options: readonly string[]): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { option, low, high, layers = [] } = value as Record<string, unknown>;
  const isRange = Number.isFinite(low) && Number.isFinite(high) && Number(low) < Number(high);
  const areLayers = Array.isArray(layers) && layers.length <= 2 &&
    layers.every((one) => Number.isInteger(one) && one >= 0);
  return options.includes(String(option)) && isRange && areLayers;
}

function isLine(text: unknown): text is string {
  return typeof text === "string" && LINE.test(text);
}

function checkOption(name: string, option: unknown, cannot: string): void {
  const at = `option "${name}"`;
  const wrong = (expected: string, got: unknown): never => {
    throw new Error(`${cannot}: expected ${expected}, got ${shown(got)}`);
  };
  if (!OPTION_NAME.test(name)) wrong("names of options without spaces, dots and signs", name);
  if (typeof option !== "object" || option === null) wrong(`${at} to be an object with default and about`, option);
  const entries = option as Record<string, unknown>;
  const { default: usual, about, min, max, integer, choices, words, off } = entries;
  const unknown = Object.keys(entries).find((key) => !ENTRIES.includes(key));
  if (unknown !== undefined) wrong(`${at} to have no entries but ${ENTRIES.join(", ")}`, unknown);
  if (typeof usual === "string" ? !isLine(usual) : !["number", "boolean"].includes(typeof usual)) {
    wrong(`${at} to have a default that is a number, true, false or a text`, usual);
  }
  if (!isLine(about)) wrong(`${at} to say in \`about\` what it does, in one line`, about);
  for (const [key, end] of [["min", min], ["max", max]] as const) {
    if (end !== undefined && (typeof end !== "number" || Number.isNaN(end))) {
      wrong(`${at} to have a number as ${key}`, end);
    }
  }
  if (integer !== undefined && typeof integer !== "boolean") wrong(`${at} to have true or false as integer`, integer);
  if (choices !== undefined && !(Array.isArray(choices) && choices.every(isLine))) {
    wrong(`${at} to have a list of texts as choices`, choices);
  }
  const isWord = ([word, number]: [string, unknown]) =>
    isLine(word) && Number.isFinite(number) && typeof usual === "number";
  if (words !== undefined && !(typeof words === "object" && words !== null && Object.entries(words).every(isWord))) {
    wrong(`${at} to have a table of finite numbers as words`, words);
  }
  if (off !== undefined) checkedOption(entries as never, off, `${cannot}: its ${at} does not take its own \`off\``);
  if (Object.values(words ?? {}).includes(usual)) return; // what a word stands for may lie out of range
  checkedOption(entries as never, usual, `${cannot}: its ${at} does not take its own default`);
}
