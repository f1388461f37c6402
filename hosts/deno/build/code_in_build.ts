/** Puts hashes of the code into builds, so that content addresses, and records of results, change with the code. */
import { CODE, PROGRAM_CODE } from "../../../core/code.ts";
import { handlerHash, programHash } from "../system/program_hash.ts";

/**
 * Replaces the placeholders in the text of a built module by the hashes of the handler's code and of the program's, if that is there.
 *
 * @throws {Error} if the text does not have the first once
 */
export async function withCodeHash(text: string): Promise<string> {
  const parts = text.split(CODE);
  if (parts.length !== 2) throw new Error(`Cannot name the code of a build: expected "${CODE}" once`);
  return parts.join(await handlerHash()).replace(PROGRAM_CODE, await programHash());
}
