import { type Registry, registry } from "../core/registry.ts";
import { localNn } from "../priors/local_nn.ts";
import { horizontal } from "./contexts/horizontal.ts";
import { square } from "./contexts/square.ts";

const plugins = [localNn, square, horizontal] as const;

/** The plugins that come with Patchloom. */
export const builtins: Registry = registry(...plugins);

/** Any of them: a `Profile<Builtin>` that misspells a name or an option does not compile. */
export type Builtin = typeof plugins[number];

export { horizontal, localNn, square };
export { rankLikelihood } from "./metrics/rank_likelihood.ts";
