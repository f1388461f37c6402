import { assertEquals, assertRejects } from "@std/assert";
import { doneOnce } from "../../../../hosts/web/worker/done_once.ts";

Deno.test("work done once: it fails for all that wait for it, and is done again at the next call", async () => {
  const answers = [Promise.reject(new Error("offline")), Promise.resolve("kernels"), Promise.resolve("more")];
  const load = doneOnce(() => answers.shift()!);
  await Promise.all([load(), load()].map((promise) => assertRejects(() => promise, Error, "offline")));
  assertEquals([await load(), await load(), answers.length], ["kernels", "kernels", 1]);
});
