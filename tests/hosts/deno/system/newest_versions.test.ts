import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { removeOldVersions } from "../../../../hosts/deno/system/newest_versions.ts";
import { withFolder } from "../with_folder.ts";

Deno.test("removeOldVersions: the present version and the two newest others of its name stay, and other names", async () => {
  await withFolder(async (folder) => {
    const names = ["gmm-1", "gmm-2", "gmm-3", "gmm-4", "gmm-own", "gmm-masks-1", "mnist-1"];
    for (const [day, name] of names.entries()) {
      await Deno.mkdir(join(folder, name));
      await Deno.writeTextFile(join(folder, name, "fit.parts"), "a fit");
      // The present version is the oldest: it was kept long ago, and is used again.
      const time = new Date(2026, 0, name === "gmm-own" ? 1 : 2 + day);
      await Deno.utime(join(folder, name), time, time);
    }
    await removeOldVersions(join(folder, "gmm-own"));
    const left = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name).sort();
    assertEquals(left, ["gmm-3", "gmm-4", "gmm-masks-1", "gmm-own", "mnist-1"]);
  });
});
