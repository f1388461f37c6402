/** The hash of the code that answers requests: content addresses change with it. */
import { codeHash } from "./code_hash.ts";

/** All code of the handler. */
const HANDLER = ["core/", "priors/", "plugins/", "datasets/", "pipelines/", "hosts/edge/"];

/** The hash of the handler's code. */
export async function handlerHash(): Promise<string> {
  return await codeHash(HANDLER);
}
