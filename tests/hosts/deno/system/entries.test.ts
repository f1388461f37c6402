import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { basename, join, toFileUrl } from "@std/path";
import { unassessedFiles } from "../../../../hosts/deno/assessments/unassessed_files.ts";
import { readImageSet } from "../../../../hosts/deno/data/read_image_set.ts";
import { filesAmong } from "../../../../hosts/deno/folders/set_aside.ts";
import { openOutFolder } from "../../../../hosts/deno/folders/out_folder.ts";
import { codeHash } from "../../../../hosts/deno/plugins/plugin_code.ts";
import { inspectFiles } from "../../../../hosts/deno/runs/inspect_files.ts";
import { entriesOf, entriesOfSync } from "../../../../hosts/deno/system/entries.ts";
import { pngOf } from "../../../../datasets/formats/write_png.ts";
import { withFolder } from "../with_folder.ts";

/** What Deno reads in place of the byte FE: a name that another file may really have. */
const DECOY = "\uFFFD.png";

/** Copies a file beside itself by a name that is not UTF-8; false where the file system has no such names. */
async function copyUnnamed(path: string): Promise<boolean> {
  const args = ["-c", `cp "$0" "$(printf '\\376').png"`, basename(path)], cwd = join(path, "..");
  return (await new Deno.Command("sh", { args, cwd, stderr: "null" }).spawn().status).success;
}

Deno.test("entriesOf: a name that is not UTF-8 is an error for all that look at every file, also beside a file whose name is read so", async () => {
  await withFolder(async (folder) => {
    const all = join(folder, "all"), picture = join(all, "1.png"), run = join(folder, "run");
    await Deno.mkdir(all);
    await Deno.writeFile(picture, pngOf({ height: 8, width: 8 }, new Uint8Array(64).fill(9)));
    {
      await using out = await openOutFolder(run, { command: "synth", planned: ["1.png"] });
      await out.finish({}, [["1.png", await Deno.readFile(picture)]]);
    }
    const read = await readImageSet(all), files = new Set(["1.png"]);
    assertEquals(await Array.fromAsync(entriesOf(all), ({ name }) => name), ["1.png"]);
    assertEquals(Array.from(entriesOfSync(all), ({ name }) => name), ["1.png"]);
    assertEquals([await unassessedFiles(all, read), (await inspectFiles(run))!.problems], [[], []]);

    if (!await copyUnnamed(picture) || !await copyUnnamed(join(run, "1.png"))) {
      return console.log("Not tested: this file system has no names that are not UTF-8");
    }
    for (const decoy of [false, true]) {
      if (decoy) { for (const where of [all, run]) await Deno.copyFile(picture, join(where, DECOY)); }
      const sentence = (where: string) => {
        return `Cannot read ${where}: expected names in UTF-8, got ${DECOY}; rename that file or folder`;
      };
      assertThrows(() => Array.from(entriesOfSync(all)), Error, sentence(all));
      const readers: [where: string, () => Promise<unknown>][] = [
        [all, () => readImageSet(all)],
        [all, () => unassessedFiles(all, read)],
        [all, () => filesAmong(folder, files, ["all"])],
        [run, () => inspectFiles(run)],
      ];
      for (const [where, reader] of readers) await assertRejects(reader, Error, sentence(where));
      // Deno would import it by the address of its bytes.
      const plugin = join(folder, "plugin.ts"), named = join(all, DECOY);
      await Deno.writeTextFile(plugin, 'new URL("./all/%FE.png", import.meta.url);');
      await assertRejects(() => codeHash({ url: toFileUrl(plugin).href }), Error, `Cannot use ${named} in a plugin`);
    }
  });
});
