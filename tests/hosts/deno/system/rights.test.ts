import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { COMMANDS } from "../../../../hosts/deno/main.ts";
import { rightsOf } from "../../../../hosts/deno/system/rights.ts";
import { withFolder } from "../with_folder.ts";

const MAIN = fromFileUrl(new URL("../../../../hosts/deno/main.ts", import.meta.url));
const CONFIG = fromFileUrl(new URL("../../../../deno.json", import.meta.url));

/** The rights of commands that may do other things than write files: a new one with more is named here, with the least that it needs. */
const RIGHTS: Readonly<Record<string, readonly string[]>> = {
  ablate: ["run", "write"],
  assess: ["run", "write"],
  compare: ["run", "write"],
  completions: [],
  data: ["net", "write"],
  demo: ["net", "write"],
  fill: ["write"],
  forget: ["run", "write"],
  plugin: ["run", "write"],
  profile: ["run"],
  restore: ["run", "write"],
  serve: ["net"],
  synth: ["run", "write"],
  tune: ["run", "write"],
  verify: [],
  worker: ["run", "write"],
};
/** The rights of the others: those of `-P=data`. */
const USUAL: readonly string[] = ["write"];

Deno.test("rightsOf: programs, the net and files, for the commands that need them", () => {
  const rights = Object.keys(COMMANDS).map((name) => [name, rightsOf(name)]);
  const wanted = Object.keys(COMMANDS).map((name) => [name, RIGHTS[name] ?? USUAL]);
  assertEquals(Object.fromEntries(rights), Object.fromEntries(wanted));
  for (const name of Object.keys(RIGHTS)) assert(Object.hasOwn(COMMANDS, name), `no command ${name}`);
  assertEquals(rightsOf("absent"), []);
});

Deno.test("main: a command that is started with all rights gives up those that its task lacks", async () => {
  await withFolder(async (folder) => {
    const probe = join(folder, "probe.js");
    const states =
      `["run", "net", "write", "ffi"].filter((name) => Deno.permissions.querySync({ name }).state === "granted")`;
    await Deno.writeTextFile(probe, `addEventListener("unload", () => console.log(JSON.stringify(${states})));`);
    for (const [name, ...words] of [["verify", "absent"], ["merge", "absent", "--out", "x"], ["data", "list"]]) {
      const { stdout } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--quiet", "--preload", probe, "--config", CONFIG, MAIN, name, ...words],
        cwd: folder,
        env: { PATCHLOOM_DATA: folder },
      }).output();
      const held = new TextDecoder().decode(stdout).trim().split("\n").at(-1)!;
      assertEquals(JSON.parse(held).toSorted(), (RIGHTS[name] ?? USUAL).toSorted(), name);
    }
  });
});
