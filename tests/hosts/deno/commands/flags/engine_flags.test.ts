/** `--engine` of `synth`: what does not go with it is refused in a sentence. */
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { readEngineFlags, readSynthEngine } from "../../../../../hosts/deno/commands/flags/engine_flags.ts";
import { UsageError } from "../../../../../hosts/deno/commands/flags/flags.ts";
import { packOf } from "../../../../../hosts/deno/queue/write_by_engine.ts";
import { RequestError } from "../../../../../hosts/deno/system/request_error.ts";

Deno.test("engine flags: what workers on other machines do not have is refused", async () => {
  const engine = "redis://host";
  assertEquals(await readSynthEngine({}), undefined);
  assertEquals((await readSynthEngine({ engine, from: "model" }))?.host, "host");
  const wrong = [
    [{ "engine-ca": "ca.pem" }, "--engine-ca without --engine"],
    [{ "pack-url": "https://host/x.loom" }, "--pack-url without --engine"],
    [{ engine, shard: "1/2" }, "--shard with --engine"],
    [{ engine, from: "seeds.png" }, "--from seeds.png with --engine"],
    ...["x.loom", "file:///x.loom", "https://me:secret@host/x.loom", "https://host/x.loom?key=secret"].map((url) => {
      return [{ engine, "pack-url": url }, "--pack-url: expected https://"] as const;
    }),
  ] as const;
  for (const [given, text] of wrong) {
    await assertRejects(() => readSynthEngine(given), UsageError, `Cannot use ${text}`);
  }
  await assertRejects(
    () => readEngineFlags("rediss://host", "/nowhere/ca.pem"),
    Error,
    "Cannot use --engine-ca /nowhere",
  );
  const here = new URL(import.meta.url).pathname;
  await assertRejects(() => readEngineFlags("rediss://host", here), Error, "expected certificates in PEM");
});

Deno.test("engine flags: training images come from a pack", () => {
  assertEquals(packOf("out/digits.loom"), "out/digits.loom");
  for (const data of [undefined, "mnist"]) assertThrows(() => packOf(data), RequestError, "without a pack");
});
