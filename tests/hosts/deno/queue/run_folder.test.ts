import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { Unsuited } from "../../../../hosts/deno/queue/jobs.ts";
import { within } from "../../../../hosts/deno/queue/run_folder.ts";
import { withFolder } from "../with_folder.ts";

Deno.test("within: the folders themselves and what is below them; not what begins like their names", async () => {
  await withFolder(async (given) => {
    const root = await Deno.realPath(given), folder = join(root, "a");
    for (const path of [folder, join(folder, "b"), join(folder, "b", "c")]) {
      assertEquals(await within(path, [folder]), path);
    }
    assertEquals(await within(join(folder, "b"), ["/"]), join(folder, "b"));
    for (const path of [root, join(root, "ab"), join(root, "b")]) {
      await assertRejects(() => within(path, [folder]), Unsuited, "expected a path below");
    }
    // Here a backslash is a letter of a name; on Windows it ends one, and real paths have no slash.
    if (Deno.build.os === "windows") return;
    await assertRejects(() => within(join(folder, "b"), [`${folder}\\`]), Unsuited, "expected a path below");
  });
});
