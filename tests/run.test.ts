/** `deno task test` and `deno task test:hosts` run every file of tests, and each once. */
import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join, relative } from "@std/path";
import { filesOf, filesOfHosts, pathsToTest, ROOMS } from "./run.ts";
import { withFolder } from "./hosts/deno/with_folder.ts";

import configuration from "../deno.json" with { type: "json" };

const ROOT = fromFileUrl(new URL("../", import.meta.url));

Deno.test("the test commands: name each file of tests once, itself or in the file of a room", async () => {
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
    assertEquals([...imported, ...others, ...filesOfHosts()].sort(), filesOf(join(ROOT, "tests")).sort());
    // Tests outside of `tests/` would be found in the folders of the root.
    for (const name of ["README.md", "docs", "core", "mod.ts", "hosts/edge"]) assert(paths.includes(name), name);
    // Deno finds no code blocks in a folder that holds a member of the workspace.
    for (const member of configuration.workspace) {
      for (const path of paths) assert(!member.startsWith(`./${path}/`), path);
    }
  });
});

Deno.test("the test commands: what starts browsers, Node, servers or Python is a test of the other hosts", async () => {
  const fromRoot = (files: readonly string[]) => files.map((file) => relative(ROOT, file));
  const hosts = fromRoot(filesOfHosts()), all = fromRoot(filesOf(join(ROOT, "tests")));
  for (const name of ["hosts/web/page", "npm", "hosts/edge/built", "hosts/deno/queue/trust", "python", "same_bytes"]) {
    assert(hosts.includes(`tests/${name}.test.ts`), name);
  }
  for (const name of ["core/admm", "goldens", "hosts/edge/handler", "hosts/web/state/palette", "readme", "run"]) {
    assert(all.includes(`tests/${name}.test.ts`) && !hosts.includes(`tests/${name}.test.ts`), name);
  }
  // Pages are opened by one file, which names the browser.
  const web = filesOf(join(ROOT, "tests/hosts/web")).filter((file) => !/\/web\/(state|views|worker)\//.test(file));
  for (const file of web) {
    const isOpened = /browser\.ts|CHROMIUM/.test(await Deno.readTextFile(file));
    assertEquals(hosts.includes(relative(ROOT, file)), isOpened, file);
  }
});
