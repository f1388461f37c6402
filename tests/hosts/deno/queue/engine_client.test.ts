/** What `synth` does with the errors of the engine's client. */
import { assert } from "@std/assert";
import { mayTryAgain } from "../../../../hosts/deno/queue/engine_client.ts";

Deno.test("mayTryAgain: servers out of reach and transactions that PostgreSQL took back, but nothing that stays wrong", () => {
  const passing = [
    "connect ECONNREFUSED 127.0.0.1:6379",
    "Connection terminated unexpectedly",
    "the database system is starting up",
    "LOADING Redis is loading the dataset in memory",
    "deadlock detected",
  ];
  for (const message of passing) assert(mayTryAgain(new Error(message)), message);
  const lasting = [
    "WRONGPASS invalid username-password pair",
    'database "x" does not exist',
    "syntax error at end of input",
  ];
  for (const message of lasting) assert(!mayTryAgain(new Error(message)), message);
});
