/** Errors of third-party plugins name the plugin, where it was loaded from, and what it was doing. */
import { oneLine, shown } from "./shown.ts";
import type { AnyPlugin } from "./plugin.ts";
import { isSteps, PROGRESS, type Steps } from "./steps.ts";

/** What errors need to know of a plugin. */
type Named = Pick<AnyPlugin, "kind" | "name" | "from">;

/** An error of a third-party plugin. Its message names the plugin. Taken from `Error` before plugins are loaded, which could replace it. */
export class PluginError extends Error {
  /** The name that distinguishes it from other errors. */
  override readonly name = "PluginError";
}

const OwnError = Error;

/** The plugins that come with the program. They are told by their identity: names could be forged. */
const BUILT_IN = new WeakSet<object>();

/** Notes that plugins come with the program. Returns them. */
export function markBuiltIn<P extends readonly object[]>(plugins: P): P {
  for (const plugin of plugins) BUILT_IN.add(plugin);
  return plugins;
}

/** Whether a plugin did not come with the program. */
export function isThirdParty(plugin: Named): boolean {
  return plugin.from !== undefined || !BUILT_IN.has(plugin);
}

/** Makes an error about what a plugin did: a sentence that begins with its name. */
export function pluginError(plugin: Named, what: string, cause?: unknown): Error {
  const sentence = `${nameOf(plugin)} ${what}`, options = cause === undefined ? undefined : { cause };
  return isThirdParty(plugin) ? new PluginError(sentence, options) : new OwnError(sentence, options);
}

/** The error that a plugin itself threw, where an error that names the plugin was made of it; else the error as it is. */
export function thrownBy(error: unknown): unknown {
  let thrown = error;
  while (thrown instanceof PluginError && thrown.cause !== undefined) thrown = thrown.cause;
  return thrown;
}

/** Names a plugin: `prior "wobble" of ./wobble.ts`, or `prior "local-nn"` for one that came with the program. */
export function nameOf({ kind, name, from }: Named): string {
  return `${kind} "${name}"${from === undefined ? "" : ` of ${from}`}`;
}

/**
 * Does a part of a plugin's work. An error of a third-party plugin is thrown on as one sentence with the plugin's name and the
 * phase (`create`, `fit`, `draw at (x, y), layer l`, `mask`, `measure`), with the plugin's own error as the cause. Errors of
 * built-in plugins are thrown as they are.
 *
 * @throws what the work throws; and Error where a third-party plugin returns a promise, which nothing here waits for
 */
export function during<T>(plugin: Named, phase: string | (() => string), work: () => T): T {
  let result: T;
  try {
    result = work();
  } catch (cause) {
    if (!isThirdParty(plugin)) throw cause;
    throw failed(plugin, phase, said(cause) + placeIn(plugin, cause), cause);
  }
  if (isPromise(result) && isThirdParty(plugin)) {
    // Otherwise its rejection would end the worker later, without naming the plugin.
    Promise.prototype.then.call(result, undefined, () => {});
    throw failed(plugin, phase, "expected a result, got a promise");
  }
  return result;
}

function failed(plugin: Named, phase: string | (() => string), what: string, cause?: unknown): Error {
  const when = typeof phase === "string" ? phase : phase();
  return pluginError(plugin, `failed in ${when}: ${what}`, cause);
}

/**
 * Checks that what a plugin returned is an object with a function.
 *
 * @throws Error where it is none, as `during`
 */
export function requireFunction(plugin: Named, phase: string | (() => string), made: unknown, name: string): void {
  during(plugin, phase, () => {
    if (typeof (made as Readonly<Record<string, unknown>> | undefined | null)?.[name] === "function") return;
    throw new Error(`expected an object with the function ${name}, got ${shown(made)}`);
  });
}

/**
 * Checks that a number of what a plugin returned is a whole one from 0 on, if it is there.
 *
 * @throws Error where it is none, as `during`
 */
export function requireCount(plugin: Named, phase: string, made: object, name: string): void {
  during(plugin, phase, () => {
    const number = (made as Readonly<Record<string, unknown>>)[name];
    if (number === undefined || Number.isSafeInteger(number) && Number(number) >= 0) return;
    throw new Error(`expected ${name} to be an integer >= 0, got ${shown(number)}`);
  });
}

function isPromise(value: unknown): value is Promise<unknown> {
  try {
    return value instanceof Promise;
  } catch {
    return false; // a proxy whose traps throw
  }
}

/** Does the same as `during` for work that can pause. What it yields is not looked at. */
export function* duringSteps<Result>(
  plugin: Named,
  phase: () => string,
  work: () => Result | Generator<unknown, Result>,
): Steps<Result> {
  const begun = during(plugin, phase, work);
  if (!isSteps(begun)) return begun;
  const next = () => during(plugin, phase, () => begun.next());
  try {
    for (let step = next();; step = next()) {
      if (step.done) return step.value;
      yield PROGRESS;
    }
  } finally {
    begun.return(undefined as Result); // if the caller closes this generator
  }
}

/** The most characters of what a plugin threw: a sentence or two. A thrown text can be as large as the memory. */
const LONGEST = 300;

/** The message of a thrown value of any kind, in one line of at most 300 characters. */
export function said(error: unknown): string {
  return oneLine(messageOf(error).trim(), LONGEST).trim();
}

/** Says at which line of a plugin's file an error was thrown, as ` (line 31)`; empty where its stack does not show it. */
export function placeIn({ from }: Pick<Named, "from">, error: unknown): string {
  const file = from?.split(/[/\\]/).at(-1) ?? "";
  if (!/\.\w+$/.test(file)) return "";
  try {
    const stack = (error as Error).stack,
      frames = typeof stack === "string" ? stack.slice(0, LOOKED_AT).split("\n") : [];
    const frame = frames.find((frame) => frame.includes(`/${file}:`));
    const line = frame && /:(\d+)(?::\d+)?\)?\s*$/.exec(frame)?.[1];
    return line ? ` (line ${line})` : "";
  } catch {
    return ""; // a plugin's error, whose entries throw when they are read
  }
}

/** The most characters of a message that are looked at: those of the runtime have several lines with long addresses. */
const LOOKED_AT = 10_000;

/** The message of a thrown value, with its lines. A plugin can throw anything, also objects that throw when they are read. */
export function messageOf(error: unknown): string {
  try {
    const isError = error instanceof Error, text = isError ? error.message || error.name : error;
    if (typeof text === "string" && text !== "") return text.slice(0, LOOKED_AT);
    if (isError || text === "") return "an error without a message";
    return `it threw ${typeof text === "function" ? "a function" : shown(text)}, which is no error`;
  } catch {
    return "it threw an object that cannot be read";
  }
}
