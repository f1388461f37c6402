import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { unassessedFiles, unassessedText } from "../../../../hosts/deno/assessments/unassessed_files.ts";
import { readImageSet } from "../../../../hosts/deno/data/read_image_set.ts";
import { pngOf } from "../../../../datasets/formats/write_png.ts";
import { commandOf } from "../in_process.ts";
import { smallData, withFolder } from "../cli.ts";

Deno.test("unassessedFiles: whatever lies below a folder beside the images that were read from it", async () => {
  await withFolder(async (folder) => {
    const picture = pngOf({ height: 8, width: 8 }, new Uint8Array(64).fill(9));
    for (const name of ["cats", "dogs", "cats/more"]) await Deno.mkdir(join(folder, "all", name), { recursive: true });
    const write = (name: string) => Deno.writeFile(join(folder, "all", name), picture);
    for (const name of ["cats/1.png", "dogs/1.png"]) await write(name);
    const all = join(folder, "all"), beside = async () => await unassessedFiles(all, await readImageSet(all));
    assertEquals(await beside(), []);
    const hidden = ["cats/.c0.png", "cats/c0.txt", "cats/c1.heic", "notes"];
    for (const name of hidden) await write(name);
    await Deno.symlink("/etc/hostname", join(all, "dogs/link"));
    assertEquals(await beside(), [...hidden, "dogs/link"].sort());
    assertStringIncludes(unassessedText(all, await beside()), "training images: cats/.c0.png and 4 more.");
    const file = join(all, "dogs/1.png");
    assertEquals(await unassessedFiles(file, await readImageSet(file)), []);
  });
});

Deno.test("unassessedFiles: a run has sheets and pictures beside its IDX file; its folder of pictures has nothing", async () => {
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "data")), run = join(folder, "run");
    const words = [
      "--profile",
      "digits-paper",
      "--data",
      data,
      "--count",
      "2",
      "--out",
      run,
      "--threads",
      "1",
      "--quiet",
    ];
    assertEquals(await commandOf("synth")(words), 0);
    const beside = await unassessedFiles(run, await readImageSet(run));
    assertEquals(["sheet.png", "sheet.html", "images/0000.png"].filter((name) => !beside.includes(name)), []);
    const pictures = join(run, "images");
    assertEquals(await unassessedFiles(pictures, await readImageSet(pictures)), []);
  });
});
