/** The plugins of a run: the built-in ones and the loaded ones. */
import type { Registry } from "../../../core/registry.ts";
import { builtins } from "../../../plugins/mod.ts";

/** A module of plugins. */
export interface PluginSource {
  /** As the user named it. */
  readonly specifier: string;
  /** The address that it is imported by. */
  readonly url: string;
  /** The folder of a local plugin; by default that of its file. */
  readonly folder?: string;
  /** The files of that folder that a sandbox may read: see `confined`. */
  readonly files?: readonly string[];
  /** What the texts of these files name on the net. */
  readonly packages?: readonly string[];
}

/** All plugins of a run. */
export interface Plugins {
  /** The built-in plugins and the loaded ones. */
  readonly registry: Registry;
  /** Where the loaded plugins came from. Workers load them from there again; this thread has stand-ins without their code. */
  readonly sources: readonly PluginSource[];
  /** Whether the workers that load plugins have no permissions. */
  readonly sandbox: boolean;
  /**
   * Checks that the files that the sums of the loaded plugins cover are as they were: workers read them again and again.
   *
   * @throws {Error} that names a file that was changed since the plugins were opened
   */
  checkFiles(): void;
}

/** The built-in plugins only. */
export const BUILTIN_PLUGINS: Plugins = { registry: builtins, sources: [], sandbox: false, checkFiles() {} };
