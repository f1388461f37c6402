import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { alignHint } from "../../../../hosts/deno/data/align_hint.ts";
import { openOutFolder } from "../../../../hosts/deno/folders/out_folder.ts";
import { withFolder } from "../with_folder.ts";

Deno.test("alignHint: of a folder of photographs for a profile of faces, but not of what Patchloom wrote", async () => {
  await withFolder(async (folder) => {
    const photos = join(folder, "my photos"), imported = join(folder, "imported");
    await Deno.mkdir(photos);
    await Deno.writeTextFile(join(photos, "a.jpg"), "");
    const start = "Hint: all eyes must lie at the same place. For photographs as they come, first: ";
    const line = `deno task data import '${photos}' --faces`;
    assertEquals(await alignHint("faces", photos), start + line);
    assertEquals(await alignHint("faces-colour", photos), `${start}${line} --colour`);
    {
      await using out = await openOutFolder(imported, { command: "data import", planned: [] });
      await out.finish({});
    }
    const others = [["mnist", photos], ["faces", imported], ["faces", undefined], ["faces", "built-in"]] as const;
    for (const [dataset, path] of others) assertEquals(await alignHint(dataset, path), undefined, `${dataset} ${path}`);
  });
});
