import { assertEquals } from "@std/assert";
import { PROGRAM_FILES } from "../../../../hosts/deno/system/program_hash.ts";
import configuration from "../../../../deno.json" with { type: "json" };
import { modulesOf } from "../modules.ts";

Deno.test("programHash: every file that synth, worker and merge load is among the code that is hashed", async () => {
  const commands = ["synth", "worker", "merge"].map((name) => `hosts/deno/commands/${name}.ts`);
  const loaded = await modulesOf([...commands, "hosts/deno/queue/client_program.ts"], true);
  const isHashed = (file: string) => PROGRAM_FILES.some((path) => path.endsWith("/") && file.startsWith(path));
  const isOwn = (file: string) => !file.startsWith("npm:") && /\.ts$/.test(file);
  assertEquals([...loaded].filter((file) => isOwn(file) && !isHashed(file)), []);
  assertEquals(loaded.has("hosts/deno/data/read_idx.ts"), true);
  // Packages have exact versions there. The lock file changes when a third-party plugin with packages of its own is loaded.
  assertEquals([PROGRAM_FILES.includes("deno.json"), PROGRAM_FILES.includes("deno.lock")], [true, false]);
  const targets = Object.values(configuration.imports).filter((target) => target.startsWith("npm:"));
  assertEquals(targets.filter((target) => !/^npm:(@[\w-]+\/)?[\w.-]+@\d+\.\d+\.\d+(\/|$)/.test(target)), []);
});
