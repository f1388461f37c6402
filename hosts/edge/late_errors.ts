/** Errors that third-party plugins leave behind: a promise that is rejected, or a timer that throws, belongs to no request. */
import { isThirdParty, nameOf, said } from "../../core/plugin_error.ts";
import type { Registry } from "../../core/registry.ts";

/** How hosts report errors that nobody caught: browsers, Deno and workers by events, Node.js by those of `process`. */
interface Scope {
  readonly addEventListener?: (type: string, listener: (event: LateError) => void) => void;
  readonly process?: { readonly on?: (type: string, listener: (error: unknown) => void) => void };
}

type LateError = Event & { readonly error?: unknown; readonly reason?: unknown };

/** The third-party plugins of all handlers. */
const names = new Set<string>();

/**
 * Writes errors that nobody caught to the host's log, with the names of the plugins that may have caused them: those of all handlers.
 * Otherwise they would end the server. Does nothing while all plugins are built-in ones. A listener that was there before and prevents
 * the default comes first.
 */
export function logLateErrors({ plugins }: Registry): void {
  const isListening = names.size > 0;
  for (const plugin of plugins.filter(isThirdParty)) names.add(nameOf(plugin));
  if (isListening || names.size === 0) return; // one listener is enough for any number of handlers
  const log = (error: unknown) => {
    console.error(`Caught outside of all requests, probably of ${[...names].join(" or ")}: ${said(error)}`, error);
  };
  const { addEventListener, process } = globalThis as Scope;
  if (addEventListener) {
    const caught = (event: LateError) => {
      if (event.defaultPrevented) return;
      event.preventDefault();
      log(event.type === "error" ? event.error : event.reason);
    };
    for (const type of ["unhandledrejection", "error"]) addEventListener.call(globalThis, type, caught);
  } else {
    for (const type of ["unhandledRejection", "uncaughtException"]) process?.on?.(type, log);
  }
}
