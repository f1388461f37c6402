/** The error of a request that cannot be carried out as it is: whoever asks must ask for something else. Its message is a sentence. */
export class RequestError extends Error {}

/** Runs a check of a request. An error that it throws becomes a `RequestError` with the same message. */
export function asRequest<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (error instanceof RequestError) throw error; // by a check in this one
    throw new RequestError(withPluginHint((error as Error).message));
  }
}

/** Adds to the error of an unknown plugin how one's own are loaded. */
function withPluginHint(message: string): string {
  if (!/\b[Tt]here is no (prior|context|metric|denoiser) "/.test(message)) return message;
  return `${message}; --plugin FILE loads one of your own, and so does the entry "plugins" of a profile`;
}

/**
 * Reads the value of an option as an integer from `low` to `high`.
 *
 * @throws {RequestError} if it is none
 */
export function wholeNumber(name: string, text: string, low: number, high: number): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isInteger(value) || value < low || value > high) {
    throw new RequestError(`Cannot use --${name} ${text}: expected an integer from ${low} to ${high}`);
  }
  return value;
}
