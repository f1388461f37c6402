/** The hash of this program's code, which records of results name. */
import { CODE } from "../../../core/code.ts";
import { handlerHash } from "../system/handler_hash.ts";

const found = new Map<"code", Promise<string | undefined>>();

/**
 * The hash of the code that images, their measures and their tables depend on: that in the content addresses of a server. A package has
 * it from its build, since it does not hold all files of the tree. Undefined if the code cannot be read.
 */
export function programCode(): Promise<string | undefined> {
  const known = found.get("code");
  if (known) return known;
  const code = isHash(CODE) ? Promise.resolve(CODE) : handlerHash().catch(() => undefined);
  found.set("code", code);
  return code;
}

function isHash(text: string): boolean {
  return /^[0-9a-f]{16}$/.test(text);
}
