/** What is wrong with a request, as `application/problem+json` (RFC 9457) with the name of the parameter at fault. */

const TITLES = {
  400: "Bad Request",
  404: "Not Found",
  405: "Method Not Allowed",
  406: "Not Acceptable",
  500: "Internal Server Error",
  503: "Service Unavailable",
} as const;

/** A request that cannot be answered. `detail` is one sentence: what was wanted and what was found. */
export class Problem extends Error {
  constructor(
    readonly status: keyof typeof TITLES,
    /** The query's parameter; `path`, `method` or `Accept` where the fault is there. */
    readonly parameter: string,
    readonly detail: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(detail);
  }

  /** As an object: what the answer's body holds. */
  toJSON(): { status: number; title: string; detail: string; parameter: string } {
    const { status, detail, parameter } = this;
    return { status, title: TITLES[status], detail, parameter };
  }

  toResponse(): Response {
    const headers = { "Content-Type": "application/problem+json", "Cache-Control": "no-store", ...this.headers };
    return new Response(JSON.stringify(this, null, 2) + "\n", { status: this.status, headers });
  }
}
