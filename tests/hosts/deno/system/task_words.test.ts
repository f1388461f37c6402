import { assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { taskWords } from "../../../../hosts/deno/system/task_words.ts";
import { withFolder } from "../with_folder.ts";

const CONFIG = fromFileUrl(new URL("../../../../deno.json", import.meta.url));
const ASKS = [
  ...["read", "write", "run", "net", "env", "sys"].map((name) => ({ name })),
  ...["PATCHLOOM_DATA", "HOME", "XDG_CACHE_HOME", "LOCALAPPDATA", "PATH"].map((variable) => ({
    name: "env",
    variable,
  })),
];

/** The state of each permission of a process that is started with some flags. */
async function states(folder: string, flags: readonly string[]): Promise<string[]> {
  const script = join(folder, "asks.ts"), asks = JSON.stringify(ASKS);
  await Deno.writeTextFile(script, `for (const ask of ${asks}) console.log(Deno.permissions.querySync(ask).state)`);
  const args = ["run", "--quiet", "--no-prompt", "--no-check", "--config", CONFIG, ...flags, script];
  const { stdout } = await new Deno.Command(Deno.execPath(), { args }).output();
  return new TextDecoder().decode(stdout).trim().split("\n");
}

Deno.test("taskWords: the flags of a set give what Deno gives for the set, with other flags too", async () => {
  const flags = ["--allow-read", "--allow-write", "--allow-env=PATCHLOOM_DATA,HOME,XDG_CACHE_HOME,LOCALAPPDATA"];
  assertEquals(taskWords("deno run -P=data x.ts"), ["deno", "run", ...flags, "x.ts"]);
  await withFolder(async (folder) => {
    for (const more of [[], ["--allow-run"], ["--allow-net=127.0.0.1"]]) {
      const given = await states(folder, [...more, "-P=data"]);
      assertEquals(given, await states(folder, [...more, ...flags]));
      assertEquals(given.filter((state) => state === "granted").length, 6 + Number(more[0] === "--allow-run"));
    }
  });
});
