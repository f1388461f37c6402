import { assert, assertEquals } from "@std/assert";
import { failureText, permissions } from "../../../../hosts/deno/build/build_binary.ts";

Deno.test("permissions: those of all commands together, and none to run programs", () => {
  const [read, write, env, net, ...more] = permissions();
  assertEquals([read, write, more], ["--allow-read", "--allow-write", ["--ignore-env", "--allow-sys=homedir"]]);
  assert(env.startsWith("--allow-env=PATCHLOOM_DATA,") && env.includes(",HOME,") && env.includes(",COMP_LINE,"), env);
  assert(net.includes("127.0.0.1") && net.includes("storage.googleapis.com"), net);
});

Deno.test("build:binary: says in one sentence that the runtime was not downloaded, and nothing of Deno's stack", () => {
  const url = "https://dl.deno.land/release/v2.9.6/denort-x86_64-apple-darwin.zip";
  const said = `error: Writing deno compile executable to temporary file '/out/patchloom.tmp-ee'

Caused by:
    0: Setting up base binary.
    1: error sending request for url (${url}): client error (Connect): tcp connect error: Connection refused
    2: client error (Connect)
    3: tcp connect error
    4: Connection refused

Stack backtrace:
   0: <unknown>
`;
  const expected = `Cannot compile: expected Deno to download its runtime from ${url}, got: Connection refused`;
  assertEquals(failureText(said), expected);
  const other = "error: The lockfile is out of date.\n\nStack backtrace:\n   0: <unknown>\n";
  assertEquals(failureText(other), "Cannot compile: error: The lockfile is out of date.");
});
