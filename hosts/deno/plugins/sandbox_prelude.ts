/**
 * Leaves a plugin in a sandbox what `sandbox_lists.ts` names, before the first line of it runs. Permissions cover files, the net, the
 * environment and programs, but not the web cache, the temporary files of databases, the standard streams, signals and threads.
 */
import { confineImports } from "./sandbox_imports.ts";
import { CONSOLE, DENO, GLOBALS, NAVIGATOR, PROCESS } from "./sandbox_lists.ts";

type Members = Record<string, unknown>;

// The runtime calls its own functions by these. Whoever replaced one would be given the functions, with their arguments.
for (const name of ["call", "apply", "bind"]) {
  Object.defineProperty(Function.prototype, name, { writable: false, configurable: false });
}
confineImports();
const scope = globalThis as unknown as Record<string, object>;
const chosen: Members = {
  console: copied("console", CONSOLE),
  Deno: copied("Deno", DENO),
  navigator: copied("navigator", NAVIGATOR),
  process: copied("process", PROCESS, { env: {}, argv: [], noDeprecation: true }),
};
for (const name of Object.getOwnPropertyNames(scope)) {
  if (name in chosen) Object.defineProperty(scope, name, { value: chosen[name] });
  else if (!GLOBALS.includes(name)) delete scope[name]; // throws where it cannot be deleted
}

/** Copies the members of a global that a list names, beside some of its own. The other ones throw a sentence. */
function copied(global: string, members: readonly string[], copy: Members = {}): Members {
  const source = scope[global] as Members;
  for (const name of members) {
    const value = source[name];
    copy[name] = typeof value === "function" ? value.bind(source) : value;
  }
  for (const name of Object.getOwnPropertyNames(source)) {
    if (Object.hasOwn(copy, name)) continue;
    const refuse = () => {
      throw new Error(`Cannot use ${global}.${name} in a sandbox`);
    };
    const isFunction = typeof Object.getOwnPropertyDescriptor(source, name)!.value === "function";
    // One that can also be called with `new`.
    Object.defineProperty(
      copy,
      name,
      isFunction
        ? {
          value: function () {
            refuse();
          },
        }
        : { get: refuse },
    );
  }
  return copy;
}
