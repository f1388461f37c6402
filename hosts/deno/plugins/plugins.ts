/** The plugins of a run: those that are built in, and those that were loaded. */
import type { Registry } from "../../../core/registry.ts";
import { builtins } from "../../../plugins/mod.ts";

/** A module of plugins. */
export interface PluginSource {
  /** As the user named it. */
  readonly specifier: string;
  /** The address that it is imported by. */
  readonly url: string;
}

/** All plugins of a run. */
export interface Plugins {
  /** The built-in plugins and those that were loaded. */
  readonly registry: Registry;
  /** Where the loaded plugins came from; workers load them from there again. */
  readonly sources: readonly PluginSource[];
  /** Whether the modules are never imported by the main process, only by workers without permissions. */
  readonly sandbox: boolean;
}

/** The built-in plugins only. */
export const BUILTIN: Plugins = { registry: builtins, sources: [], sandbox: false };
