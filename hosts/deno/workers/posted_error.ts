/** Errors on their way from a worker: what is thrown may hold anything, what is posted must be plain data. */
import { said } from "../../../core/plugin_error.ts";

/** An error as plain data, with what caused it. */
export interface PostedError {
  readonly message: string;
  readonly stack?: string;
  readonly cause?: PostedError;
}

/** Causes of causes that are kept. */
const DEPTH = 8;

/** Makes plain data of what was thrown. */
export function posted(error: unknown, depth = DEPTH): PostedError {
  if (!(error instanceof Error)) return { message: said(error) };
  const { stack, cause } = error;
  return {
    message: denied(said(error)),
    stack: typeof stack === "string" ? stack : undefined,
    cause: cause === undefined || depth === 0 ? undefined : posted(cause, depth - 1),
  };
}

/** Makes an error again. */
export function received({ message, stack, cause }: PostedError): Error {
  const error = new Error(message, cause && { cause: received(cause) });
  if (stack !== undefined) error.stack = stack;
  return error;
}

/** Deno advises to run again with more permissions; what a plugin asked for it was not meant to have. */
export function denied(message: string): string {
  return message.replace(
    /Requires (\w+) access(?: to ("[^"]*"|[^,]*))?, run again with the --allow-[\w-]+ flag/g,
    (_, what, which) => `it asked for ${what} access${which ? ` to ${which}` : ""}, which it is not given`,
  );
}
