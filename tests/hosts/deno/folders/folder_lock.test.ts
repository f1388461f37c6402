import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { openWorkFolder, writeNew } from "../../../../hosts/deno/folders/folder_lock.ts";
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

Deno.test("openWorkFolder: files of hard links keep what is in them, whatever other names they have", async () => {
  await withFolder(async (folder) => {
    const work = join(folder, "work"), victims = ["sums", "lock"].map((name) => join(folder, `my ${name}`));
    await Deno.mkdir(work);
    const line = `${"a".repeat(64)}  images/0000.png\n`, kept = ["diary\n" + line, "diary\n"];
    await Promise.all(victims.map((path, i) => Deno.writeTextFile(path, kept[i])));
    await Promise.all(["sums", "lock"].map((name, i) => Deno.link(victims[i], join(work, name))));
    const open = await openWorkFolder(work);
    assertEquals([...open.sums], [["images/0000.png", ["a".repeat(64)]]]);
    await open.note([["images/0001.png", "b".repeat(64)]]);
    const text = await Deno.readTextFile(join(work, "sums"));
    assertEquals(text, `${line}${"b".repeat(64)}  images/0001.png\n`);
    await open.close(true);
    assertEquals(await Promise.all(victims.map((path) => Deno.readTextFile(path))), kept);
  });
});

Deno.test("openWorkFolder: sums that say they have gigabytes are refused, and the lock is given back", async () => {
  await withFolder(async (folder) => {
    const work = join(folder, "work"), sums = join(work, "sums");
    await Deno.mkdir(work);
    await Deno.writeTextFile(sums, "");
    await Deno.truncate(sums, 5 * 2 ** 30);
    await assertRejects(() => openWorkFolder(work), Error, "sums was not written by Patchloom: expected at most");
    await Deno.remove(sums);
    await (await openWorkFolder(work)).close(false);
  });
});
