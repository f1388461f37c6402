/** The engine client: nobody downloads its packages who uses no engine, and it may do nothing but reach the engine. */
import { assert, assertEquals } from "@std/assert";
import configuration from "../../../../deno.json" with { type: "json" };
import { files } from "../cli.ts";

const ROOT = new URL("../../../../", import.meta.url), read = (path: string) => Deno.readTextFile(new URL(path, ROOT));
const CLIENT = "hosts/deno/queue/client_program.ts", PRESIGNER = "hosts/deno/queue/presigner.ts";

Deno.test("engine client: its packages are in its own lock file only, and no other file names them", async () => {
  const programs = await read(CLIENT) + await read(PRESIGNER);
  const named = [...programs.matchAll(/"npm:([\w-]+)@([\d.]+)"/g)].map(([, name, version]) => [name, version]);
  assertEquals(named.map(([name]) => name), ["bullmq", "ioredis", "pg", "aws4fetch"]);
  const own = JSON.parse(await read("hosts/deno/queue/engine.lock")), all = JSON.parse(await read("deno.lock"));
  for (const [name, version] of named) {
    assertEquals(own.specifiers[`npm:${name}@${version}`], version);
    assert(!Object.keys(all.npm).some((key) => key.startsWith(`${name}@`)), name);
    assert(!Object.values(configuration.imports).some((target) => target.startsWith(`npm:${name}@`)), name);
  }
  const folders = ["core", "priors", "plugins", "datasets", "pipelines", "hosts"];
  for (const folder of folders) {
    for (const name of await files(new URL(folder, ROOT).pathname)) {
      const path = `${folder}/${name}`;
      if (!/\.[jt]s$/.test(name) || [CLIENT, PRESIGNER].includes(path)) continue;
      const text = await read(path);
      assert(!/npm:(bullmq|ioredis|pg|msgpackr|aws4fetch)|from "(bullmq|ioredis|pg|aws4fetch)"/.test(text), path);
      if (folder === "hosts" && name.startsWith("deno/")) {
        assert(!/import[^;]*\/(client_program|presigner)\.ts"/.test(text), path);
      }
    }
  }
});

Deno.test("engine client: it reads no project's file but types, and may reach one host only; what signs addresses may do nothing", async () => {
  const own = [
    { program: CLIENT, types: ["./bullmq.ts", "./messages.ts"], starter: "engine_client.ts", allowed: ["net"] },
    { program: PRESIGNER, types: ["./object_store.ts"], starter: "object_store.ts", allowed: [] },
  ];
  for (const { program, types, starter, allowed } of own) {
    const imports = [...(await read(program)).matchAll(/^import (type )?.*?from "(.+?)"/gms)];
    assertEquals(imports.map(([, type, from]) => [type, from]), types.map((from) => ["type ", from]));
    const text = await read(`hosts/deno/queue/${starter}`);
    assertEquals([...text.matchAll(/--allow-(\w+)/g)].map(([, kind]) => kind), allowed);
    assert(/--no-config/.test(text) && /--frozen/.test(text) && /--ignore-env/.test(text));
  }
});
