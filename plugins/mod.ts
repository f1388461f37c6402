import { registry } from "../core/registry.ts";
import { localNn } from "../priors/local_nn.ts";
import { horizontal } from "./contexts/horizontal.ts";
import { square } from "./contexts/square.ts";

/** The plugins that come with Patchloom. */
export const builtins = registry(localNn, square, horizontal);

export { horizontal, localNn, square };
