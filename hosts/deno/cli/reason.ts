/**
 * The reason that an error gives, in words: without the code and the call that the runtime adds to what the system says, as in
 * `No such file or directory (os error 2): readfile '/x'`.
 */
export function reason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/\s*\(os error \d+\)(?:: \w+(?: (?:-> )?'[^']*')*)?/g, "");
}
