/** Shared by the suites: how checks are named, run and fail, and the checks of any plugin's form and options. */
import { isPluginName, NAME_RULE } from "../check_plugin.ts";
import { borrowing, type Kernels, loadKernels } from "../kernels.ts";
import type { AnyPlugin, Kinds, Option, Options, Values } from "../plugin.ts";
import { nameOf, said, thrownBy } from "../plugin_error.ts";
import { referenceKernels } from "../reference.ts";
import { optionValues, writtenValues } from "../options.ts";
import { shown } from "../shown.ts";

/** One check: a title, and a function that throws one sentence where the plugin fails it. */
export type Check = readonly [title: string, check: () => void | Promise<void>];

/** A check whose title does not name the plugin yet. All checks of these suites are synchronous. */
export type SyncCheck = readonly [title: string, check: () => void];

/** Options of every suite. */
export interface CheckOptions {
  /** Plugin options that do not change the output on the suite's small images: name -> reason. */
  readonly unchanged?: Readonly<Record<string, string>>;
}

/** Options of the suites that run kernels: those of priors, metrics and denoisers. */
export interface KernelCheckOptions extends CheckOptions {
  /** The compiled `kernels.wasm`. If given, each check runs on it, too, and must give the same as the TypeScript twin. */
  readonly module?: WebAssembly.Module;
}

/** A plugin of one kind, whatever its options. */
export type PluginOf<K extends keyof Kinds> = Extract<AnyPlugin, { kind: K }>;

/** A check that runs on kernels. Kernel memory that it allocates is released after it. */
export type KernelCheck = readonly [title: string, check: (kernels: Kernels) => void];

/** Throws one sentence (plugin, what was expected, what it got) unless `holds`. */
export function expect(holds: boolean, plugin: AnyPlugin, wanted: string, found: string): asserts holds {
  if (!holds) throw new Error(`${nameOf(plugin)}: expected ${wanted}, got ${found}`);
}

/** Puts the plugin's name before each title, and before any error that the plugin itself throws. */
export function* titled(plugin: AnyPlugin, checks: Iterable<SyncCheck>): Iterable<Check> {
  for (const [title, check] of checks) {
    const named = () => {
      try {
        check();
      } catch (cause) {
        const text = said(thrownBy(cause));
        const name = nameOf(plugin);
        if (text.startsWith(`${name}: expected`)) throw cause;
        throw new Error(`${name}: expected no error where it ${title}, got: ${text}`, { cause });
      }
    };
    yield [`${nameOf(plugin)} ${title}`, named] as const;
  }
}

/** Runs checks on the TypeScript twin of the kernels and, if there is a module, on the WebAssembly. */
export function* onKernels(checks: readonly KernelCheck[], module?: WebAssembly.Module): Iterable<SyncCheck> {
  for (const [name, run] of runners(module)) {
    for (const [title, check] of checks) yield [module ? `${title} (${name})` : title, () => run(check)];
  }
}

/** Runs a job on kernels of its own, then releases the memory that the job allocated. */
export type Runner = <T>(job: (kernels: Kernels) => T) => T;

/** The twin and, if there is a module, the WebAssembly. Each has one memory, created for its first job. */
export function runners(module?: WebAssembly.Module): [name: string, run: Runner][] {
  const runner = (make: () => Kernels): Runner => {
    let kernels: Kernels | undefined;
    return (job) => {
      const own = kernels ??= make();
      return borrowing(own, () => job(own));
    };
  };
  const twin: [string, Runner] = ["twin", runner(() => referenceKernels())];
  return module ? [twin, ["wasm", runner(() => loadKernels(module))]] : [twin];
}

/** Checks that an output is the same on the twin and on the WebAssembly, if there is a module. */
export function* sameOnBoth(
  plugin: AnyPlugin,
  module: WebAssembly.Module | undefined,
  output: (kernels: Kernels) => string,
): Iterable<SyncCheck> {
  if (!module) return;
  yield ["gives the same on the twin and on the WebAssembly kernels", () => {
    const [twin, wasm] = runners(module).map(([, run]) => run(output));
    expect(twin === wasm, plugin, "the same on the twin and on the WebAssembly kernels", difference(twin, wasm));
  }];
}

/** The place where two texts begin to differ, for an error. */
export function difference(a: string, b: string): string {
  let from = 0;
  while (from < a.length && a[from] === b[from]) from++;
  const part = (text: string) => text.slice(Math.max(from - 20, 0), from + 20);
  return `...${part(a)}... and ...${part(b)}...`;
}

/** A result's plain data as text that keeps every bit of its numbers, NaN and Infinity included. */
export function textOf(value: unknown): string {
  return JSON.stringify(value, (_, inner) => {
    return ArrayBuffer.isView(inner) ? Array.from(inner as Float64Array, String).join(" ") : inner;
  });
}

/** Whether a value is a text of one line that is not blank. */
function isLine(text: unknown): boolean {
  return typeof text === "string" && text.trim() !== "" && !text.includes("\n");
}

/** Throws unless there is a reason, in one line, why a check does not apply. */
export function expectReason(plugin: AnyPlugin, what: string, reason: string): void {
  expect(isLine(reason), plugin, `a reason, in one line, why ${what}`, shown(reason));
}

/** Throws unless a text for people is one line. */
export function expectLine(plugin: AnyPlugin, what: string, text: unknown): void {
  expect(isLine(text), plugin, `${what} to be one line of text`, shown(text));
}

/** Checks how a plugin describes itself: api, kind, name, lines for people, options. */
export function* formChecks(plugin: AnyPlugin, kind: keyof Kinds): Iterable<SyncCheck> {
  yield [`is a ${kind} of api 1`, () => {
    expect(plugin.api === 1, plugin, "api 1", String(plugin.api));
    expect(plugin.kind === kind, plugin, `kind "${kind}"`, shown(plugin.kind));
    const table = typeof plugin.options === "object" && plugin.options !== null;
    expect(table, plugin, "a table of options, {} where there are none", shown(plugin.options));
  }];
  yield ["has a name of lower case words joined by hyphens", () => {
    expect(isPluginName(plugin.name), plugin, NAME_RULE, shown(plugin.name));
  }];
  yield ["says in one line what it is and what each option does", () => {
    expectLine(plugin, "`about`", plugin.about);
    for (const [name, { about }] of optionsOf(plugin)) expectLine(plugin, `\`about\` of option "${name}"`, about);
  }];
  yield ["accepts its own defaults", () => {
    const defaults = Object.fromEntries(optionsOf(plugin).map(([name, option]) => [name, option.default]));
    // Defaults that lie out of range have a word.
    plugin.create(optionValues(plugin, writtenValues(plugin, defaults)) as never);
  }];
}

/**
 * Checks that every option changes the output, or is listed in `unchanged` and does not change it.
 *
 * @param output runs the plugin with these option values and returns its output as text
 */
export function* optionChecks(
  plugin: AnyPlugin,
  output: (values: Values) => string,
  { unchanged = {} }: CheckOptions,
): Iterable<SyncCheck> {
  yield ["lists as unchanged only options that it has, with a reason", () => {
    const names = optionsOf(plugin).map(([name]) => name);
    for (const [name, reason] of Object.entries(unchanged)) {
      expect(names.includes(name), plugin, `only its options in \`unchanged\` (${names.join(", ")})`, `"${name}"`);
      expectReason(plugin, `option "${name}" changes nothing`, reason);
    }
  }];
  for (const [name, option] of optionsOf(plugin)) {
    const listed = Object.hasOwn(unchanged, name);
    const title = listed ? `changes nothing with option "${name}": ${unchanged[name]}` : `listens to option "${name}"`;
    yield [title, () => {
      const before = output(optionValues(plugin, {}));
      const tried = alternatives(option);
      const changing = tried.find((value) => outputWith(plugin, output, name, value) !== before);
      if (listed) {
        const found = `another output for ${shown(changing)}`;
        expect(changing === undefined, plugin, `option "${name}" to change nothing, as \`unchanged\` lists it`, found);
      } else {
        const found = `the same output for ${[option.default, ...tried].map(shown).join(", ")}`;
        expect(changing !== undefined, plugin, `option "${name}" to change the output`, found);
      }
    }];
  }
}

function outputWith(plugin: AnyPlugin, output: (values: Values) => string, name: string, value: unknown): string {
  try {
    return output(optionValues(plugin, { [name]: value }));
  } catch (cause) {
    const wanted = `option "${name}" to work as ${shown(value)}`;
    throw new Error(`${nameOf(plugin)}: expected ${wanted}, got: ${said(thrownBy(cause))}`, { cause });
  }
}

/** The plugin's options by name. */
export function optionsOf(plugin: AnyPlugin): [name: string, option: Option][] {
  return Object.entries(plugin.options as Options ?? {});
}

/** Other values of an option: those near the default first, the ends of its range, which may be slow, last. */
export function alternatives(option: Option): Option["default"][] {
  const { default: own, min = -Infinity, max = Infinity, integer, choices } = option;
  if (typeof own === "boolean") return [!own];
  if (typeof own === "string") return (choices ?? [`${own}x`, ""]).filter((choice) => choice !== own);
  const near = [own * 2, own / 2, own + 1, own - 1, 2, 1, own * 10, own / 10, 0].filter((value) => {
    return value >= min && value <= max;
  });
  const all = [...near, min, max].filter(Number.isFinite).map((value) => integer ? Math.round(value) : value);
  return [...new Set(all)].filter((value) => value !== own && value >= min && value <= max);
}
