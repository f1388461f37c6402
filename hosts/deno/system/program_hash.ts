/** Hashes of code: that which answers requests, with which content addresses change, and that of the whole program. */
import { codeHash } from "./code_hash.ts";

/** All code of the handler. */
const HANDLER = ["core/", "priors/", "plugins/", "datasets/", "pipelines/", "hosts/edge/"];

/**
 * All code of the command line, which also reads data and runs jobs, and the versions of its packages, which `deno.json` names in full.
 * `deno.lock` also has those of third-party plugins, and changes when one is loaded.
 */
export const PROGRAM_FILES: readonly string[] = [...HANDLER, "hosts/deno/", "deno.json"];

/** The hash of the handler's code. */
export async function handlerHash(): Promise<string> {
  return await codeHash(HANDLER);
}

/** The hash of the program's code. */
export async function programHash(): Promise<string> {
  return await codeHash(PROGRAM_FILES);
}
