import { assertEquals, assertRejects } from "@std/assert";
import { bundleAgain } from "../../../../hosts/deno/page/bundle_again.ts";

Deno.test("bundleAgain: while esbuild cannot be copied, but not for ever, and for no other cause", async () => {
  const failing = (times: number, message: string) => {
    let calls = 0;
    const bundle = () => ++calls > times ? Promise.resolve(calls) : Promise.reject(new Error(message));
    return { bundle, calls: () => calls };
  };
  const busy = "failed to copy esbuild binary from a to b", some = failing(2, busy);
  assertEquals(await bundleAgain(some.bundle, 0), 3);
  const always = failing(Infinity, busy), other = failing(1, "no such module");
  await assertRejects(() => bundleAgain(always.bundle, 0), Error, busy);
  assertEquals(always.calls(), 10);
  await assertRejects(() => bundleAgain(other.bundle, 0), Error, "no such module");
  assertEquals(other.calls(), 1);
});
