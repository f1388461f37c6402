/** The hash of this program's code, which records of results name. */
import { PROGRAM_CODE } from "../../../core/code.ts";
import { programHash } from "../system/program_hash.ts";

const found = new Map<"code", Promise<string | undefined>>();

/**
 * The hash of the code that images, their measures and their tables depend on, with all that reads data and writes results. A package
 * has it from its build, since it does not hold all files of the tree. Undefined if the code cannot be read.
 */
export function programCode(): Promise<string | undefined> {
  const known = found.get("code");
  if (known) return known;
  const code = isHash(PROGRAM_CODE) ? Promise.resolve(PROGRAM_CODE) : programHash().catch(() => undefined);
  found.set("code", code);
  return code;
}

function isHash(text: string): boolean {
  return /^[0-9a-f]{16}$/.test(text);
}
