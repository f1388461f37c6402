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

/** The most characters of a stack trace that are kept: it is shown with --debug only, and begins with the message. */
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

/** Turns plain data into an error again. */
export function received({ message, stack, cause }: PostedError): Error {
  const error = new Error(message, cause && { cause: received(cause) });
  if (stack !== undefined) error.stack = stack;
  return error;
}

/** What Deno says where a module that throws stands for a file of another kind: see `confineImports`. */
const INSTEAD = /^Expected a .*\s+Specifier: data:text\/javascript,throw%20new%20Error\((%22\S*%22)\)%3B$/;

/** Replaces Deno's advice to run again with more permissions: the plugin was denied them on purpose. */
export function denied(given: string): string {
  const message = given.replace(INSTEAD, (_, refusal) => JSON.parse(decodeURIComponent(refusal)));
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
