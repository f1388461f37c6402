/** What the engine client takes errors for, whatever shape they have. */
import { assertEquals } from "@std/assert";
import { type ErrorKind, kindOf, textOf, troubles } from "../../../../hosts/deno/queue/client_errors.ts";

/** An error with members. */
const withMembers = (message: string, members: object) => Object.assign(new Error(message), members);

const SHAPES: readonly (readonly [string, unknown, ErrorKind, string])[] = [
  ["no JSON", new SyntaxError("Unexpected token"), "unreadable", "Unexpected token"],
  ["no members", new TypeError("cannot read"), "unreadable", "cannot read"],
  ["PostgreSQL's code of wrong data", withMembers("out of range", { code: "22003" }), "unreadable", "out of range"],
  ["PostgreSQL's other code", withMembers("no right", { code: "42501" }), "trouble", "no right"],
  ["a system's code", withMembers("connect ECONNREFUSED", { code: "ECONNREFUSED" }), "trouble", "connect ECONNREFUSED"],
  ["a text that begins as PostgreSQL's", withMembers("x", { code: "22" }), "trouble", "x"],
  ["BullMQ's number", withMembers("Missing lock for job 7. x", { code: -2 }), "lost", "Missing lock for job 7. x"],
  ["BullMQ's number, unknown", withMembers("Unknown code -99 error", { code: -99 }), "lost", "Unknown code -99 error"],
  ["another number", withMembers("x", { code: 22003 }), "trouble", "x"],
  ["no number", withMembers("x", { code: NaN }), "trouble", "x"],
  [
    "a script of Redis that meets no number",
    new Error("ERR hash value is not an integer script: 1, on @user_script:2."),
    "unreadable",
    "ERR hash value is not an integer script: 1, on @user_script:2.",
  ],
  [
    "a script of Redis that meets another text",
    new Error("ERR user_script:9: attempt to index"),
    "unreadable",
    "ERR user_script:9: attempt to index",
  ],
  ["a script of Redis without memory", new Error("OOM on @user_script:9."), "trouble", "OOM on @user_script:9."],
  [
    "a job that repeats itself",
    new Error("Failed to add repeatable job for x"),
    "unreadable",
    "Failed to add repeatable job for x",
  ],
  ["no code", new Error("could not renew lock for job 7"), "lost", "could not renew lock for job 7"],
  ["no code, of the connection", new Error("Connection is closed."), "trouble", "Connection is closed."],
  ["null as code", withMembers("x", { code: null }), "trouble", "x"],
  ["undefined as code", withMembers("x", { code: undefined }), "trouble", "x"],
  ["an object as code", withMembers("x", { code: {} }), "trouble", "x"],
  ["a truth value as code", withMembers("x", { code: true }), "trouble", "x"],
  ["no message", new AggregateError([new Error("x")]), "trouble", "AggregateError"],
  ["null", null, "trouble", "null"],
  ["undefined", undefined, "trouble", "undefined"],
  ["a text", "closed", "trouble", "closed"],
  ["an empty text", "", "trouble", ""],
  ["a number", -2, "trouble", "-2"],
  ["a symbol", Symbol("x"), "trouble", "Symbol(x)"],
  ["an object with a message", { message: "closed" }, "trouble", "closed"],
  ["an object with a number as message", { message: 7, code: "22003" }, "unreadable", "an error without a message"],
  ["an object of nothing", Object.create(null), "trouble", "an error without a message"],
  ["an array", ["x"], "trouble", "an error without a message"],
];

Deno.test("kindOf, textOf: errors of any shape", () => {
  assertEquals(
    SHAPES.map(([name, error]) => [name, kindOf(error), textOf(error)]),
    SHAPES.map(([name, , kind, text]) => [name, kind, text]),
  );
});

Deno.test("troubles: each is told once until it is over, and jobs that others have are none", () => {
  const told: (string | undefined)[] = [], { came, over, isTrouble } = troubles((text) => told.push(text));
  over();
  came(withMembers("Lock mismatch for job 7", { code: -6 }));
  assertEquals([told.length, isTrouble()], [0, false]);
  for (const error of [new Error("closed"), "closed", new Error("refused"), null]) came(error);
  assertEquals(isTrouble(), true);
  over();
  over();
  assertEquals([told, isTrouble()], [["closed", "refused", "null", undefined], false]);
});
