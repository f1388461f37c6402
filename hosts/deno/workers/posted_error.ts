/** Turns errors of workers into plain data, which can be posted, and back. */
import { said } from "../../../core/plugin_error.ts";

/** An error as plain data, with its cause. */
export interface PostedError {
  readonly message: string;
  readonly stack?: string;
  readonly cause?: PostedError;
}

/** How many nested causes are kept. */
const DEPTH = 8;

/** Turns a thrown value, which may be anything, into plain data. */
export function posted(error: unknown, depth = DEPTH): PostedError {
  if (!(error instanceof Error)) return { message: said(error) };
  const { stack, cause } = error;
  return {
    message: denied(said(error)),
    stack: typeof stack === "string" ? stack : undefined,
    cause: cause === undefined || depth === 0 ? undefined : posted(cause, depth - 1),
  };
}

/** Turns plain data into an error again. */
export function received({ message, stack, cause }: PostedError): Error {
  const error = new Error(message, cause && { cause: received(cause) });
  if (stack !== undefined) error.stack = stack;
  return error;
}

/** Replaces Deno's advice to run again with more permissions: the plugin was denied them on purpose. */
export function denied(message: string): string {
  return message.replace(
    /Requires (\w+) access(?: to ("[^"]*"|[^,]*))?, run again with the --allow-[\w-]+ flag/g,
    (_, what, which) => `it asked for ${what} access${which ? ` to ${which}` : ""}, which it is not given`,
  );
}
