/**
 * What the system says by its codes, in words that go on a sentence such as `Cannot read /x: ...`. The codes are the same on all
 * systems; the system's own words are not, and may be in any language.
 */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  EEXIST: "something else of that name is there",
  ENOTDIR: "a part of its path is a file, not a folder",
  EISDIR: "expected a file, got a folder",
  ELOOP: "it is a link that leads back to itself",
  ENAMETOOLONG: "its name is too long",
  EACCES: "this user has no permission",
  EPERM: "this user has no permission",
  EROFS: "the file system is read-only",
  ENOSPC: "no space is left on the disk",
  EDQUOT: "this user's share of the disk is full",
  EFBIG: "the file is too large for the file system",
  EIO: "the device failed",
  EBUSY: "another program uses it",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
};

/** How the runtime ends a message of the system: with the code's number, the call, and its paths. */
const CALL = /\s*\(os error \d+\)(?:: \w+(?: (?:-> )?'(?<path>[^']*)')*)?/g;

/** What the runtime says of a permission that it was started without; of the system's own files, that it gives access to all or none. */
const DENIED = /Requires (\w+) access(?: to ("[^"]*"|[^,]*))?, run again with the --allow-([\w-]+) flag/g;

/** Says what was denied. The runtime advises to run again with more permissions than a command needs. */
function denied(_: string, what: string, which: string | undefined, flag: string): string {
  if (what === "all") return "Deno gives no access to the system's own files";
  return `the command was started without Deno's permission --allow-${flag}${which ? ` for ${which}` : ""}`;
}

/**
 * The reason that an error gives, in words. What the system says of a file is said plainly; from other messages only the number of a
 * code and the call are taken, which the runtime adds, as in `Broken pipe (os error 32): write`.
 */
export function reason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error), code = codeOf(error);
  const rest = message.replace(CALL, "");
  return code && rest !== message ? REASONS[code] : rest.replace(DENIED, denied);
}

/** As `reason`, for an error that no function has put into a sentence: names the file. */
export function sentence(error: unknown): string {
  const path = codeOf(error) && [...(error as Error).message.matchAll(CALL)][0]?.groups?.path;
  return path ? `Cannot use ${path}: ${reason(error)}` : reason(error);
}

/** The system's code of an error, if it has one that is known here. */
function codeOf(error: unknown): string | undefined {
  const { code } = error instanceof Error ? error as Error & { code?: unknown } : {};
  return typeof code === "string" && Object.hasOwn(REASONS, code) ? code : undefined;
}
