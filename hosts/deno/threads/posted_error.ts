/** Turns errors of workers into plain data, which can be posted, and back. */
import { messageOf } from "../../../core/plugin_error.ts";

/** An error as plain data, with its cause. */
export interface PostedError {
  readonly message: string;
  readonly stack?: string;
  readonly cause?: PostedError;
}

/** How many nested causes are kept. */
const DEPTH = 8;

/** The most characters of a message or a stack trace that are kept. A stack trace is shown with --debug only. */
const LONGEST = 10_000;

/** Turns a thrown value, which may be anything, into plain data. */
export function posted(error: unknown, depth = DEPTH): PostedError {
  const message = denied(messageOf(error));
  try {
    if (!(error instanceof Error)) return { message };
    const { stack, cause } = error;
    return {
      message,
      stack: typeof stack === "string" ? stack.slice(0, LONGEST) : undefined,
      cause: cause === undefined || depth === 0 ? undefined : posted(cause, depth - 1),
    };
  } catch {
    return { message }; // a plugin's error, with entries that throw when they are read
  }
}

/** Turns plain data into an error again; undefined if `posted` made no such data. Of its causes as many are read as are kept. */
export function received(data: unknown, depth = DEPTH): Error | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const { message, stack, cause: inner } = data as Record<string, unknown>;
  if (typeof message !== "string") return undefined;
  const cause = depth === 0 ? undefined : received(inner, depth - 1);
  const error = new Error(message.slice(0, LONGEST), cause && { cause });
  if (typeof stack === "string") error.stack = stack.slice(0, LONGEST);
  return error;
}

/** What Deno says where a module that throws stands for a file of another kind: see `confineImports`. */
const INSTEAD = /^Expected a .*\s+Specifier: data:text\/javascript,throw%20new%20Error\((%22\S*%22)\)%3B$/;

/** Replaces Deno's advice to run again with more permissions: the plugin was denied them on purpose. */
export function denied(given: string): string {
  const message = given.replace(INSTEAD, (whole, refusal) => {
    try {
      return JSON.parse(decodeURIComponent(refusal));
    } catch {
      return whole; // a plugin can throw such a message itself
    }
  });
  return message.replace(
    /Requires (\w+) access(?: to ("[^"]*"|[^,]*))?, run again with the --allow-[\w-]+ flag/g,
    (_, what, which) => {
      const files = what === "read"
        ? " (a plugin in a sandbox reads the files of its folder that a text in its code names)"
        : "";
      return `it asked for ${what} access${which ? ` to ${which}` : ""}, which it is not given${files}`;
    },
  );
}
