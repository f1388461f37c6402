/** `deno task test` runs every file of tests, and each once. */
import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { filesOf, pathsToTest, ROOMS } from "./run.ts";
import { withFolder } from "./hosts/deno/with_folder.ts";

import configuration from "../deno.json" with { type: "json" };

const ROOT = fromFileUrl(new URL("../", import.meta.url));

Deno.test("the test command: names each file of tests once, itself or in the file of a room", async () => {
  await withFolder(async (temporary) => {
    const folder = await Deno.realPath(temporary),
      paths = await pathsToTest(folder),
      rooms = paths.splice(0, ROOMS.length);
    const imported: string[] = [];
    for (const path of rooms) {
      const imports = (await Deno.readTextFile(path)).matchAll(/^import "(.*)";$/gm);
      for (const [, name] of imports) imported.push(join(folder, name));
    }
    assert(imported.length > 250, `${imported.length}`);
    const others = paths.filter((path) => path.startsWith("tests/")).map((path) => join(ROOT, path));
    assertEquals([...imported, ...others].sort(), filesOf(join(ROOT, "tests")).sort());
    // Tests outside of `tests/` would be found in the folders of the root.
    for (const name of ["README.md", "docs", "core", "mod.ts", "hosts/edge"]) assert(paths.includes(name), name);
    // Deno finds no code blocks in a folder that holds a member of the workspace.
    for (const member of configuration.workspace) {
      for (const path of paths) assert(!member.startsWith(`./${path}/`), path);
    }
  });
});
