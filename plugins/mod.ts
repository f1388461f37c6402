import { type Registry, registry } from "../core/registry.ts";
import { localNn } from "../priors/local_nn.ts";
import { horizontal } from "./contexts/horizontal.ts";
import { square } from "./contexts/square.ts";

/** The plugins that come with Patchloom. */
export const builtins: Registry = registry(localNn, square, horizontal);

/** Any of them: a `Profile<Builtin>` that misspells a name or an option does not compile. */
export type Builtin = typeof localNn | typeof square | typeof horizontal;

export { horizontal, localNn, square };
