/** What the errors are that the packages of the queue report. They may have any shape: JavaScript throws any value. */

/**
 * `unreadable`: of a job that the packages cannot read; `lost`: of a job that another taking has, or has ended, by which nothing is
 * wrong; `trouble`: of the connection or the server.
 */
export type ErrorKind = "unreadable" | "lost" | "trouble";

/** What is said of a job with a wrong field: by a script of Redis that meets it, or by BullMQ if the job is said to repeat itself. */
const WRONG_FIELD =
  /^(ERR (hash value is not an integer|increment or decrement would overflow|user_script:\d+: )|Failed to add repeatable job )/;

/** Says what an error is. */
export function kindOf(error: unknown): ErrorKind {
  if (error instanceof SyntaxError || error instanceof TypeError) return "unreadable";
  const code = member(error, "code");
  // Of PostgreSQL, whose codes are texts: 22 begins those of wrong data.
  if (typeof code === "string" && /^22[0-9A-Z]{3}$/.test(code)) return "unreadable";
  if (WRONG_FIELD.test(textOf(error))) return "unreadable";
  // Of BullMQ, about a job: its lock is missing, or it is not there any more. Also "could not renew lock for job ...", without a code.
  if (typeof code === "number" && code < 0 || /\bjob\b/i.test(textOf(error))) return "lost";
  return "trouble";
}

/** The message of an error; its name if it has none. */
export function textOf(error: unknown): string {
  for (const key of ["message", "name"]) {
    const text = member(error, key);
    if (typeof text === "string" && text !== "") return text;
  }
  return typeof error === "object" && error !== null ? "an error without a message" : String(error);
}

/** A member of a value that may have none. */
function member(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

/** Reports of a connection that is broken, or the server behind it. */
export interface Troubles {
  came(error: unknown): void;
  over(): void;
  isTrouble(): boolean;
}

/**
 * Reports trouble once until it is over: a broken connection fails in many places at the same time.
 *
 * @param tell takes what is wrong; undefined when it is over
 */
export function troubles(tell: (text: string | undefined) => void): Troubles {
  let last: string | undefined;
  return {
    came(error) {
      const text = textOf(error);
      // "Missing lock for job ...": another worker has taken the job over, or ended it. Its part is the same bytes.
      if (kindOf(error) === "lost" || text === last) return;
      last = text;
      tell(text);
    },
    isTrouble: () => last !== undefined,
    over() {
      if (last !== undefined) tell(undefined);
      last = undefined;
    },
  };
}
