import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { sha256, sha256OfFile } from "../../../../hosts/deno/system/hashes.ts";
import { withFolder } from "../with_folder.ts";

Deno.test("sha256OfFile: the same as of the bytes, of files of no, one and many pieces", async () => {
  await withFolder(async (folder) => {
    for (const length of [0, 5, 2 ** 20, 3 * 2 ** 20 + 7]) {
      const bytes = Uint8Array.from({ length }, (_, i) => i * i), path = join(folder, `${length}`);
      await Deno.writeFile(path, bytes);
      assertEquals(await sha256OfFile(path), await sha256(bytes));
    }
  });
});
