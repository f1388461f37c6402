import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { sha256, sha256OfPieces } from "../../../../hosts/deno/system/hashes.ts";
import { readOnce } from "../../../../hosts/deno/data/read_files.ts";
import { withFolder } from "../with_folder.ts";

Deno.test("readOnce: the bytes of a file, of one that has become shorter those that are left", async () => {
  await withFolder(async (folder) => {
    const path = join(folder, "file"), bytes = Uint8Array.from({ length: 100_000 }, (_, i) => i % 251);
    await Deno.writeFile(path, bytes);
    assertEquals(await readOnce(path, bytes.length), bytes);
    assertEquals(await readOnce(path, bytes.length + 10), bytes);
    assertEquals(await readOnce(path, 10), bytes.subarray(0, 10));
  });
});

Deno.test("sha256: large data is hashed in steps, to the same sum", async () => {
  const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i % 251);
  for (const step of [1, 7, 1000, 2000]) assertEquals(await sha256OfPieces(bytes, step), await sha256(bytes));
  assertEquals(await sha256OfPieces(new Uint8Array(), 5), await sha256(new Uint8Array()));
});
