/** The set of plugins that a profile may name. */
import { checkPlugin } from "./check_plugin.ts";
import { isObject, optionValues } from "./options.ts";
import { shown } from "./shown.ts";
import { suggestion } from "./suggestion.ts";
import type { AnyPlugin, Kinds, Options, Plugin, Values, WrittenValues } from "./plugin.ts";
import { nameOf } from "./plugin_error.ts";

/** How a profile names one of the plugins `P` of a kind: by name, or by name and options. */
export type PluginChoice<P extends AnyPlugin = AnyPlugin, K = keyof Kinds> = P extends
  { kind: K; name: infer N; options: infer O extends Options } ? N | readonly [name: N, options: WrittenValues<O>]
  : never;

/** A plugin and the values of its options. */
export interface Chosen<K extends keyof Kinds> {
  /** The plugin. */
  readonly plugin: Plugin<K>;
  /** The value of each of its options. */
  readonly values: Values;
}

/** A set of plugins, found by kind and name. */
export interface Registry {
  /** All plugins, in the order in which they were registered. */
  readonly plugins: readonly AnyPlugin[];
  /** Makes a registry with more plugins. Throws as `registry`. */
  with(...more: AnyPlugin[]): Registry;
  /** Finds the plugin of a kind and name. Throws a sentence that lists the valid names. */
  find<K extends keyof Kinds>(kind: K, name: string): Plugin<K>;
}

/**
 * Makes a registry of plugins. It is a value that never changes: `with` makes another one.
 *
 * @example One of the built-in priors, and no other plugins
 * ```ts
 * import { builtins, registry } from "@patchloom/patchloom";
 *
 * const plugins = registry(builtins.find("prior", "local-nn"));
 * console.log(plugins.plugins.length); // 1
 * ```
 *
 * @throws Error where a plugin is malformed, or has the kind and name of another.
 */
export function registry(...plugins: AnyPlugin[]): Registry {
  const byName = new Map<string, AnyPlugin>();
  for (const plugin of plugins) {
    const cannot = `Cannot register ${nameOf(plugin)}`;
    checkPlugin(plugin, cannot);
    const key = `${plugin.kind} ${plugin.name}`;
    if (byName.has(key)) {
      throw new Error(`${cannot}: there is already one of that name, expected another name`);
    }
    byName.set(key, plugin);
  }
  return {
    plugins,
    with: (...more) => registry(...plugins, ...more),
    find<K extends keyof Kinds>(kind: K, name: string) {
      const found = byName.get(`${kind} ${name}`);
      if (found) return found as unknown as Plugin<K>;
      const names = plugins.filter((plugin) => plugin.kind === kind).map((plugin) => plugin.name);
      throw new Error(`There is no ${kind} ${shown(name)}${suggestion(name, names)}`);
    },
  };
}

/**
 * Finds the plugin that a profile names, and fills in its options. Returns undefined for what is neither a name nor a pair of name
 * and options.
 *
 * @throws Error where there is no such plugin or option, or an option does not take its value.
 */
export function choosePlugin<K extends keyof Kinds>(
  kind: K,
  choice: unknown,
  plugins: Registry,
): Chosen<K> | undefined {
  const [name, options, ...more] = typeof choice === "string" ? [choice, {}] : Array.isArray(choice) ? choice : [];
  if (typeof name !== "string" || !isObject(options) || more.length > 0) return undefined;
  const plugin = plugins.find(kind, name);
  return { plugin, values: optionValues(plugin as unknown as AnyPlugin, options as Record<string, unknown>) };
}
