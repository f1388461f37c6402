/** Errors of requests, as `application/problem+json` (RFC 9457) with the name of what is at fault in the request. */

import { PluginError } from "../../core/plugin_error.ts";

/** The statuses of problems, and their titles. */
const TITLES = {
  400: "Bad Request",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  406: "Not Acceptable",
  414: "URI Too Long",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
} as const;

/** The error of a request that cannot be answered. */
export class Problem extends Error {
  constructor(
    readonly status: keyof typeof TITLES,
    /**
     * The name of the query's parameter at fault; "path", "address", "method", "Accept" or "Host" if another part of the request is at fault.
     * undefined if nothing in the request is: the body then has no such member.
     */
    readonly parameter: string | undefined,
    /** One sentence: what was expected and what was got. */
    readonly detail: string,
    /** Headers of the response, beside its media type. */
    readonly headers: Readonly<Record<string, string>> = {},
    /** More members of the body. */
    readonly members: Readonly<Record<string, number>> = {},
  ) {
    super(detail);
  }

  /** The content of the response's body. */
  toJSON(): Readonly<Record<string, string | number>> {
    const { status, detail, parameter, members } = this;
    return { status, title: TITLES[status], detail, ...parameter !== undefined && { parameter }, ...members };
  }

  /** The response to the request. */
  toResponse(): Response {
    const headers = { "Content-Type": "application/problem+json", "Cache-Control": "no-store", ...this.headers };
    return new Response(JSON.stringify(this, null, 2) + "\n", { status: this.status, headers });
  }
}

/** Writes a large number of comparisons. */
export function millions(work: number): string {
  return `${Math.ceil(work / 1e6)} million`;
}

/**
 * Converts an error to a problem. An error that no request should cause is written to the host's log; that of a plugin is told to
 * the client, too.
 */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  console.error(error);
  const detail = error instanceof PluginError ? error.message : "the server failed";
  return new Problem(500, undefined, `Cannot answer: ${detail}`);
}
