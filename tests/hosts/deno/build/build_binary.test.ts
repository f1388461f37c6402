import { assert, assertEquals } from "@std/assert";
import { permissions } from "../../../../hosts/deno/build/build_binary.ts";

Deno.test("permissions: those of all commands together, and none to run programs", () => {
  const [read, write, env, net, ...more] = permissions();
  assertEquals([read, write, more], ["--allow-read", "--allow-write", ["--ignore-env", "--allow-sys=homedir"]]);
  assert(env.startsWith("--allow-env=PATCHLOOM_DATA,") && env.includes(",HOME,") && env.includes(",COMP_LINE,"), env);
  assert(net.includes("127.0.0.1") && net.includes("storage.googleapis.com"), net);
});
