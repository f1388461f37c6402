/** Says which plugins were loaded in vain. */
import type { Plan } from "../../../core/plan.ts";
import type { AnyPlugin } from "../../../core/plugin.ts";
import type { Plugins } from "./plugins.ts";

/** The flags by which a command uses a plugin of a kind; a kind that it has no flags for is left out. */
export type UsingFlags = Partial<Record<AnyPlugin["kind"], (name: string) => string>>;

/** Those of `synth`. */
export const SYNTH_USES: UsingFlags = {
  prior: (name) => `--prior ${name}`,
  context: (name) => `--context ${name}`,
  denoiser: (name) => `--from noise --set noise.denoiser=${name}`,
};

/** Those of `restore`, which takes its contexts from the profile. */
export const RESTORE_USES: UsingFlags = {
  prior: (name) => `--prior ${name}`,
  denoiser: (name) => `--denoiser ${name}`,
};

/** What makes images. */
type Making = Pick<Plan, "layers"> & { readonly noise?: Pick<NonNullable<Plan["noise"]>, "plugin"> };

/** Returns a sentence for each plugin that was loaded but is not used, with the flags that use it. */
export function unusedPlugins(
  { layers, noise }: Making,
  { registry }: Pick<Plugins, "registry">,
  uses: UsingFlags,
): string[] {
  const ofLayers = layers.flatMap(({ prior, contexts }) => [prior.plugin, ...contexts.map(({ plugin }) => plugin)]);
  const used = [...ofLayers, ...noise ? [noise.plugin] : []].map(({ name }) => name);
  const unused = registry.plugins.filter(({ from, kind, name }) => from && kind !== "metric" && !used.includes(name));
  return unused.map(({ kind, name }) => {
    const flags = uses[kind]?.(name);
    return `The ${kind} "${name}" is loaded but not used${flags === undefined ? "" : ` (add ${flags})`}`;
  });
}
