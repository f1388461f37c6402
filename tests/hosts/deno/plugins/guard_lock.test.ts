import { assert, assertEquals, assertRejects } from "@std/assert";
import { join, toFileUrl } from "@std/path";
import configuration from "../../../../deno.json" with { type: "json" };
import { guardingLock } from "../../../../hosts/deno/plugins/guard_lock.ts";
import { withFolder } from "../with_folder.ts";

/** A package that there is, which this program uses. */
const FFLATE = configuration.imports.fflate;

Deno.test("guardingLock: a lock file with which no command starts is replaced by that of before, also after an error", async () => {
  await withFolder(async (folder) => {
    const lock = join(folder, "deno.lock"), root = toFileUrl(`${folder}/`), { error } = console;
    await Deno.mkdir(join(folder, "datasets/formats"), { recursive: true });
    await Deno.writeTextFile(join(folder, "deno.json"), JSON.stringify({ imports: { fflate: FFLATE } }));
    await Deno.writeTextFile(join(folder, "datasets/formats/write_png.ts"), 'import "fflate";');
    const args = [
      "run",
      "--quiet",
      "--config",
      join(folder, "deno.json"),
      join(folder, "datasets/formats/write_png.ts"),
    ];
    assert((await new Deno.Command(Deno.execPath(), { args }).output()).success);
    const before = await Deno.readTextFile(lock), { specifiers, npm, ...rest } = JSON.parse(before);
    const none = "patchloom-there-is-none", entry = { integrity: `sha512-${"A".repeat(86)}==` };
    const missing = JSON.stringify({
      ...rest,
      specifiers: { ...specifiers, [`npm:${none}@1`]: "1.0.0" },
      npm: { ...npm, [`${none}@1.0.0`]: entry },
    });
    const printed: string[] = [];
    console.error = (line: string) => printed.push(line);
    try {
      await guardingLock(() => Deno.writeTextFile(lock, missing), root);
      assertEquals(await Deno.readTextFile(lock), before);
      const failing = async () => {
        await Deno.writeTextFile(lock, missing);
        throw new Error("the command failed");
      };
      await assertRejects(() => guardingLock(failing, root), Error, "the command failed");
      assertEquals(await Deno.readTextFile(lock), before);
      assertEquals(
        printed,
        Array(2).fill("deno.lock is again as it was: a package that a plugin imports cannot be loaded"),
      );
      // Other changes stay.
      await guardingLock(() => Deno.writeTextFile(lock, ` ${before}`), root);
      assertEquals(await Deno.readTextFile(lock), ` ${before}`);
      assertEquals(printed.length, 2);
    } finally {
      console.error = error;
    }
  });
});
