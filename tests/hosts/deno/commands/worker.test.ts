import { assert, assertEquals } from "@std/assert";
import { inSessions } from "../cli.ts";

const run = inSessions("synth", "worker");

const SECRET = "s3cr-et";

Deno.test("synth, worker: no refused address is printed with its password", async () => {
  const engine = `redis://u:${SECRET}@127.0.0.1:1`, folder = ["--folder", "."];
  const wrong = [
    ["worker", "--engine", engine, ...folder, "--pack-url", `https://u:${SECRET}@store/x/`],
    ["worker", "--engine", engine, ...folder, "--pack-url", `ftp://u:${SECRET}@store/x/`],
    ["worker", "--engine", `http://u:${SECRET}@host`, ...folder],
    ["worker", "--engine", `rediss://u:${SECRET}@127.0.0.1:1/x`, ...folder],
    ["synth", "--engine", engine, "--pack-url", `https://u:${SECRET}@store/x.loom`],
    ["synth", "--engine", `postgres://u:${SECRET}@host/d?sslmode=${SECRET}`],
  ];
  for (const words of wrong) {
    const { code, stdout, stderr } = await run(words);
    assertEquals([code, stdout], [2, ""], stderr);
    assert(!stderr.includes(SECRET), stderr);
  }
});
