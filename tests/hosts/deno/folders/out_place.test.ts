import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { openOutFile } from "../../../../hosts/deno/folders/out_file.ts";
import { openOutFolder } from "../../../../hosts/deno/folders/out_folder.ts";
import { checkFilePlace, checkFolderPlace, checkReplaced } from "../../../../hosts/deno/folders/out_place.ts";
import { withFolder } from "../with_folder.ts";

/** A folder with pictures of a class, of which one picture and one class are links to what lies elsewhere. */
async function withLinks(test: (at: (name: string) => string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const at = (name: string) => join(folder, name);
    for (const name of ["pictures/cats", "elsewhere/dogs"]) await Deno.mkdir(at(name), { recursive: true });
    for (const name of ["pictures/cats/0.png", "elsewhere/1.png", "elsewhere/dogs/2.png", "3.png"]) {
      await Deno.writeTextFile(at(name), name);
    }
    await Deno.symlink(at("elsewhere/1.png"), at("pictures/cats/1.png"));
    await Deno.symlink(at("elsewhere/dogs"), at("pictures/dogs"));
    await Deno.symlink(at("3.png"), at("elsewhere/dogs/3.png"));
    await Deno.symlink(at("pictures"), at("link"));
    await test(at);
  });
}

Deno.test("checkFilePlace: no file takes the place of an input, nor lies below a folder of them, whatever links lead there", async () => {
  await withLinks(async (at) => {
    const check = (name: string) => checkFilePlace(at(name), { command: "test", inputs: [at("pictures")] });
    for (const name of ["pictures", "link", "elsewhere/1.png", "elsewhere/dogs", "3.png"]) {
      await assertRejects(() => check(name), Error, `expected another file than the input ${at("pictures")}`, name);
    }
    const below = [
      "pictures/cats/0.png",
      "pictures/new",
      "link/new/deep",
      "elsewhere/dogs/2.png",
      "elsewhere/dogs/new",
    ];
    for (const name of below) {
      await assertRejects(() => check(name), Error, `expected a file outside of the input ${at("pictures")}`, name);
    }
    for (const name of ["new", "elsewhere/new", "new/deep/file"]) await check(name);
  });
});

Deno.test("checkFolderPlace, checkReplaced: links in an input are inputs; only data import writes below pictures", async () => {
  await withLinks(async (at) => {
    const place = (name: string, command = "test") => {
      return checkFolderPlace(at(name), { command, inputs: [at("pictures")] });
    };
    for (const name of ["pictures/new", "link/new", "elsewhere/dogs/new"]) {
      await assertRejects(() => place(name), Error, `expected a folder outside of the input ${at("pictures")}`, name);
      await place(name, "data import");
    }
    const elsewhere = await place("elsewhere");
    for (const name of ["1.png", "dogs/4.png"]) {
      assertThrows(() => checkReplaced(elsewhere, ["5.png", name]), Error, "expected another folder than that of");
    }
    checkReplaced(elsewhere, ["5.png", "cats/0.png"]);
  });
});

Deno.test("openOutFile: a hard link of an input is replaced as a name, and the input stays as it is", async () => {
  await withLinks(async (at) => {
    await Deno.link(at("pictures/cats/0.png"), at("new.loom"));
    await using file = await openOutFile(at("new.loom"), () => false, true, {
      command: "test",
      inputs: [at("pictures"), at("pictures/cats/0.png")],
    });
    await file.write(new TextEncoder().encode("pack"));
    assertEquals(await Deno.readTextFile(at("new.loom")), "pack");
    assertEquals(await Deno.readTextFile(at("pictures/cats/0.png")), "pictures/cats/0.png");
  });
});

Deno.test("checkFolderPlace: nothing goes into the results of another run, nor into a working folder", async () => {
  await withFolder(async (folder) => {
    const run = await Deno.realPath(folder), out = join(run, "out");
    {
      await using written = await openOutFolder(out, { command: "assess", planned: [] });
      await written.finish({});
    }
    const check = (name: string) => checkFolderPlace(join(run, name), { command: "test" });
    for (const name of ["out/images", "out/a/b"]) {
      await assertRejects(() => check(name), Error, `expected a folder outside of the results of assess in ${out}`);
    }
    for (const name of ["other/.patchloom", "other/.patchloom/new", ".a.loom.patchloom"]) {
      const work = join(run, name.replace("/new", ""));
      await assertRejects(() => check(name), Error, `expected a folder outside of the working folder ${work}`);
    }
    for (const name of ["out", "out-2", "patchloom"]) await check(name);
  });
});

Deno.test("checkFolderPlace: no new folder of results goes around those of other runs", async () => {
  await withFolder(async (folder) => {
    const around = await Deno.realPath(folder);
    const write = async (name: string, command: string) => {
      await using written = await openOutFolder(join(around, name), { command, planned: [] });
      await written.finish({});
    };
    for (const [top, inner] of [["a", "a/faces"], ["b", "b/tries/faces"], ["c", "c/tries/faces/1-of-2"]]) {
      await write(inner, "assess");
      const expected = `expected a folder without results below it, got those of assess in ${join(around, inner)}`;
      await assertRejects(() => checkFolderPlace(join(around, top), { command: "test" }), Error, expected);
    }
    // What has a record already is replaced or healed, whatever others put below it since.
    await write("old", "assess");
    await Deno.rename(join(around, "a/faces"), join(around, "old/faces"));
    await checkFolderPlace(join(around, "old"), { command: "test" });
    // The record of another program, hidden folders, and links to results elsewhere are none of ours.
    for (const name of ["others/run", "others/.hidden"]) await Deno.mkdir(join(around, name), { recursive: true });
    await Deno.writeTextFile(join(around, "others/run/run.json"), "{}");
    await Deno.rename(join(around, "b/tries/faces"), join(around, "others/.hidden/faces"));
    await Deno.symlink(join(around, "c/tries/faces/1-of-2"), join(around, "others/link"));
    await checkFolderPlace(join(around, "others"), { command: "test" });
  });
});
