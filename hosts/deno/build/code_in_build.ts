/** Puts the hash of the handler's code into builds of it, so that its content addresses change with the code. */
import { CODE } from "../../../core/code.ts";
import { handlerHash } from "../system/handler_hash.ts";

/**
 * Replaces the placeholder in the text of a built module by the hash of the handler's code.
 *
 * @throws {Error} if the text does not have it once
 */
export async function withCodeHash(text: string): Promise<string> {
  const parts = text.split(CODE);
  if (parts.length !== 2) throw new Error(`Cannot name the code of a build: expected "${CODE}" once`);
  return parts.join(await handlerHash());
}
