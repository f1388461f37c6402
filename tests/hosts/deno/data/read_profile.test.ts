import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { readProfile, withPluginsOfProfile } from "../../../../hosts/deno/data/read_profile.ts";
import { withFolder } from "../with_folder.ts";

Deno.test("withPluginsOfProfile: the plugins that a file names, whatever case its ending has", async () => {
  await withFolder(async (folder) => {
    for (const name of ["mine.json", "mine.JSON"]) {
      const path = join(folder, name);
      await Deno.writeTextFile(path, JSON.stringify({ plugins: ["npm:a-prior"] }));
      assertEquals((await readProfile("synth", path)).plugins, ["npm:a-prior"]);
      const opened = await withPluginsOfProfile("synth", path, [], false);
      assertEquals(opened, { plugin: ["npm:a-prior"], sandbox: true }, name);
    }
  });
});
