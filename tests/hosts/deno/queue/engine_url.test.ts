/** Addresses of engines: what is read, what is refused, and that no sentence quotes a password. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { RequestError } from "../../../../hosts/deno/system/request_error.ts";
import { engineName, readEngine, withoutPassword } from "../../../../hosts/deno/queue/engine_url.ts";

const PEM = "-----BEGIN CERTIFICATE-----";

Deno.test("engine addresses: kinds, ports, users, databases, TLS", () => {
  const none = { user: undefined, password: undefined, database: undefined, ca: undefined };
  const local = { ...none, kind: "redis", host: "127.0.0.1", port: 6379, tls: false } as const;
  assertEquals(readEngine("redis://127.0.0.1", undefined), local);
  assertEquals(readEngine("rediss://queue.example:6380/3", undefined, PEM), {
    ...local,
    host: "queue.example",
    port: 6380,
    database: "3",
    tls: true,
    ca: PEM,
  });
  const jobs = {
    ...none,
    kind: "postgres",
    host: "::1",
    port: 5432,
    user: "me",
    database: "jobs",
    tls: false,
  } as const;
  assertEquals(readEngine("postgres://me@[::1]/jobs", undefined), jobs);
  assertEquals(readEngine("env", "postgresql://m%65:p%40ss@[::1]:5432/jobs?sslmode=verify-full"), {
    ...jobs,
    password: "p@ss",
    tls: true,
  });
  assertEquals(["redis://a", "rediss://b:1", "postgres://me@[::1]/x"].map((text) => engineName(readEngine(text, ""))), [
    "redis://a:6379",
    "rediss://b:1",
    "postgres://[::1]:5432",
  ]);
});

Deno.test("engine addresses: what is wrong is refused in a sentence without the address", () => {
  const wrong: [given: string, variable: string | undefined, text: string, ca?: string][] = [
    ["redis://me:secret@host", undefined, "set PATCHLOOM_ENGINE to the address"],
    ["env", undefined, "expected --engine URL, or its address in the environment variable PATCHLOOM_ENGINE"],
    ["env", "redis://:sec ret@ho st", "got another text"],
    ["env", "http://me:secret@host", "got another text"],
    ["host:6379", undefined, "got another text"],
    ["redis://", undefined, "got"],
    ["env", "redis://:secret%@host", "got a % that encodes nothing"],
    ["env", "redis://:secret@host/jobs", "a database that is no number"],
    ["postgres://host/jobs", undefined, "no user or no database"],
    ["postgres://me@host", undefined, "no user or no database"],
    ["env", "postgres://me:secret@host/jobs?options=secret", "the parameter options"],
    ["env", "postgres://me:secret@host/jobs?sslmode=prefer", "another sslmode"],
    ["env", "postgres://me:secret@host/jobs?sslmode=verify-full&sslmode=disable", "more than one sslmode"],
    ["env", "postgres://me:secret@host/jobs?sslmode=disable&host=secret", "the parameter host"],
    ["env", "redis://:secret@host?sslmode=require", "the parameter sslmode"],
    ["redis://host", undefined, "expected rediss://", PEM],
  ];
  for (const [given, variable, text, ca] of wrong) {
    const { message } = assertThrows(() => readEngine(given, variable, ca), RequestError, text);
    assert(!/secret|sec ret/.test(message), message);
  }
  const engine = readEngine("env", "redis://:p%40ss@host");
  assertEquals(withoutPassword(engine, "AUTH p@ss (p%40ss) failed"), "AUTH *** (***) failed");
});
