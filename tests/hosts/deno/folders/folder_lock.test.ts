import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { writeNew } from "../../../../hosts/deno/folders/folder_lock.ts";
import { withFolder } from "../with_folder.ts";

Deno.test("writeNew: small and large files, and none in place of another", async () => {
  await withFolder(async (folder) => {
    const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i % 251);
    for (const large of [10, 1000]) {
      const path = join(folder, String(large));
      await writeNew(path, bytes, large);
      assertEquals(await Deno.readFile(path), bytes);
      await assertRejects(() => writeNew(path, bytes, large), Deno.errors.AlreadyExists);
    }
  });
});
