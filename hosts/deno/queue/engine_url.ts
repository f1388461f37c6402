/** Reads the address of an engine. Its password is never part of a text that is printed or written. */
import { RequestError } from "../system/request_error.ts";
import type { EngineAddress } from "./messages.ts";

/** The environment variable that holds the address, for addresses with a password. */
export const ENGINE_VARIABLE = "PATCHLOOM_ENGINE";
/** What `--engine` takes in place of an address: the address is in the variable. */
const FROM_ENVIRONMENT = "env";

const PORTS = { redis: 6379, postgres: 5432 } as const;
const EXPECTED = "redis://HOST:PORT, rediss://HOST:PORT or postgres://USER@HOST:PORT/DATABASE";

/**
 * Reads the value of `--engine`.
 *
 * @param given an address, or "env"
 * @param ca the content of the file of `--engine-ca`
 * @throws {RequestError} that does not quote the address, which may hold a password
 */
export function readEngine(given: string, variable: string | undefined, ca?: string): EngineAddress {
  if (given !== FROM_ENVIRONMENT) return readAddress(given, "--engine", ca);
  if (variable) return readAddress(variable, ENGINE_VARIABLE, ca);
  throw new RequestError(
    `No engine is named: expected --engine URL, or its address in the environment variable ${ENGINE_VARIABLE}`,
  );
}

function readAddress(text: string, from: string, ca: string | undefined): EngineAddress {
  const fail = (got: string) => new RequestError(`Cannot use ${from}: expected ${EXPECTED}, got ${got}`);
  const url = URL.parse(text);
  const kind = url &&
    (["redis:", "rediss:"].includes(url.protocol)
      ? "redis"
      : ["postgres:", "postgresql:"].includes(url.protocol)
      ? "postgres"
      : undefined);
  if (!url || !kind) throw fail("another text");
  if (url.hostname === "") throw fail("no host");
  if (url.password !== "" && from !== ENGINE_VARIABLE) {
    throw new RequestError(
      `Cannot use --engine with a password, which every user of this machine would see in its list of processes: set ${ENGINE_VARIABLE} to the address, and give --engine env`,
    );
  }
  let parts: string[];
  try {
    parts = [url.username, url.password, url.pathname.slice(1)].map(decodeURIComponent);
  } catch {
    throw fail("a % that encodes nothing");
  }
  const [user, password, database] = parts.map((part) => part === "" ? undefined : part);
  if (kind === "redis" && !/^\d{0,4}$/.test(database ?? "")) throw fail("a database that is no number");
  if (kind === "postgres" && (user === undefined || database === undefined)) throw fail("no user or no database");
  const names = [...url.searchParams.keys()], sslmode = url.searchParams.get("sslmode") ?? undefined;
  const other = names.find((name) => name !== "sslmode" || kind === "redis");
  if (other !== undefined) throw fail(`the parameter ${other}`);
  if (names.length > 1) throw fail("more than one sslmode");
  if (!["disable", "require", "verify-full", undefined].includes(sslmode)) {
    throw fail("another sslmode than disable, require or verify-full");
  }
  const tls = url.protocol === "rediss:" || kind === "postgres" && (sslmode ?? "disable") !== "disable";
  if (ca !== undefined && !tls) {
    throw new RequestError(
      "Cannot use --engine-ca without TLS: expected rediss://... or postgres://...?sslmode=verify-full",
    );
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1"), port = url.port === "" ? PORTS[kind] : Number(url.port);
  return { kind, host, port, user, password, database, tls, ca };
}

/** The address as it may be printed: kind, host and port. */
export function engineName({ kind, host, port, tls }: EngineAddress): string {
  const scheme = kind === "postgres" ? "postgres" : tls ? "rediss" : "redis";
  return `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Takes the password of an address out of a text, in case a server or a package quotes it. */
export function withoutPassword({ password }: EngineAddress, text: string): string {
  if (!password) return text;
  return [password, encodeURIComponent(password)].reduce((rest, secret) => rest.replaceAll(secret, "***"), text);
}
