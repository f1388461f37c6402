import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { readRecorded } from "../../../../hosts/deno/folders/recorded_file.ts";
import { sha256 } from "../../../../hosts/deno/system/hashes.ts";
import { withFolder } from "../with_folder.ts";

Deno.test("readRecorded: the bytes that were recorded, and no others", async () => {
  await withFolder(async (folder) => {
    const path = join(folder, "part.idx"), bytes = Uint8Array.of(1, 2, 3), sums = { "part.idx": await sha256(bytes) };
    await Deno.writeFile(path, bytes);
    assertEquals(await readRecorded("Cannot go on", folder, "part.idx", sums), bytes);
    const changed = "Cannot go on: part.idx is missing or was changed since it was written";
    const fails = (sums: Record<string, string | null>) => {
      return assertRejects(() => readRecorded("Cannot go on", folder, "part.idx", sums), Error, changed);
    };
    await fails({});
    await fails({ "part.idx": null });
    await Deno.writeFile(path, Uint8Array.of(1, 2, 4));
    await fails(sums);
    await Deno.remove(path);
    await fails(sums);
  });
});
