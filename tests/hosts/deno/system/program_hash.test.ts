import { assertEquals } from "@std/assert";
import { PROGRAM_FILES } from "../../../../hosts/deno/system/program_hash.ts";
import { modulesOf } from "../modules.ts";

Deno.test("programHash: every file that synth, worker and merge load is among the code that is hashed", async () => {
  const commands = ["synth", "worker", "merge"].map((name) => `hosts/deno/commands/${name}.ts`);
  const loaded = await modulesOf([...commands, "hosts/deno/queue/client_program.ts"], true);
  const isHashed = (file: string) => PROGRAM_FILES.some((path) => path.endsWith("/") && file.startsWith(path));
  const isOwn = (file: string) => !file.startsWith("npm:") && /\.ts$/.test(file);
  assertEquals([...loaded].filter((file) => isOwn(file) && !isHashed(file)), []);
  assertEquals([loaded.has("hosts/deno/data/read_idx.ts"), PROGRAM_FILES.includes("deno.lock")], [true, true]);
});
