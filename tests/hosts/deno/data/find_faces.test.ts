import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { imagesFromIdx, writeIdx } from "../../../../datasets/formats/idx.ts";
import { pngOf } from "../../../../datasets/formats/write_png.ts";
import { proceduralFaces } from "../../../../datasets/procedural/faces.ts";
import { dataSources } from "../../../../hosts/deno/data/find_data.ts";
import { dataCommand } from "../in_process.ts";
import { importFaces } from "../../../../hosts/deno/data/import_faces.ts";
import { withFolder } from "../with_folder.ts";

Deno.test("data import --faces: finds the eyes, lists what it leaves out and why, and takes its list back by --eyes", async () => {
  await withFolder(async (folder) => {
    const photos = join(folder, "photos"),
      like = join(folder, "like"),
      out = join(folder, "out"),
      printed: string[] = [];
    await Deno.mkdir(join(photos, "Sommer (Köln)/See"), { recursive: true }); // albums have folders in folders
    await Deno.mkdir(like);
    const { pixels } = proceduralFaces("train", 112, 1), side = 128, area = side * side;
    await Deno.writeFile(join(like, "train-images-idx3-ubyte"), writeIdx([112, side, side], pixels));
    for (const i of [0, 2, 4]) {
      const face = pixels.subarray(i * area, (i + 1) * area);
      await Deno.writeFile(
        join(photos, i < 4 ? `face${i}.png` : "Sommer (Köln)/See/face4.png"),
        pngOf({ height: side, width: side }, face),
      );
    }
    await Deno.writeFile(join(photos, "flat.png"), pngOf({ height: 90, width: 90 }, new Uint8Array(8100).fill(99)));
    await Deno.writeFile(join(photos, "torn.jpg"), Uint8Array.of(0xff, 0xd8, 0xff));
    const run = (...flags: string[]) => {
      return dataCommand(["import", photos, ...flags], { env: { HOME: folder }, print: (text) => printed.push(text) });
    };
    await run("--faces", "--like", like, "--size", "64", "--out", out);
    assertMatch(printed[0], /^Found eyes in 3 of 5 photographs; left out 2, such as flat.png: no face found/);
    assertEquals(printed[1], `2 training and 1 test images of 64x64 pixels are in ${out}`);
    const list = await Deno.readTextFile(join(out, "pictures.csv"));
    const lines = list.trim().split("\n").sort((a, b) => +/^Sommer/.test(a) - +/^Sommer/.test(b));
    assertEquals(lines[0], "file,used,reason,left_x,left_y,right_x,right_y");
    assertMatch(lines[3], /^flat.png,no,no face found,/);
    assertMatch(lines[4], /^torn.jpg,no,"?it is a damaged JPEG file.*,,,,$/);
    for (const line of [...lines.slice(1, 3), ...lines.slice(5)]) {
      const [, used, reason, ...places] = line.split(","), off = places.map((place, i) => +place - [44, 52, 84, 52][i]);
      assertEquals([used, reason], ["yes", ""]);
      assert(Math.hypot(off[0], off[1]) < 2 && Math.hypot(off[2], off[3]) < 2, line);
    }
    const another = "expected another folder than that of the input";
    await assertRejects(() => run("--faces", "--like", like, "--out", like), Error, another);
    const again = join(folder, "again"), name = "train-images-idx3-ubyte";
    await importFaces(photos, join(out, "pictures.csv"), again, 10, { side: 64 });
    const images = async (path: string) => imagesFromIdx(await Deno.readFile(join(path, name)), name).pixels;
    const first = await images(out);
    const difference = (await images(again)).map((grey, i) => Math.abs(grey - first[i]));
    assert(Math.max(...difference) < 40, "the list holds the places to a tenth of a pixel");
  });
});

Deno.test("data import --faces: with nothing but photographs, finds the eyes and prints the command that takes the images", async () => {
  await withFolder(async (folder) => {
    // A folder called as the data set of a profile: its few images must not become what the profile learns from.
    const photos = join(folder, "faces"), printed: string[] = [], env = { HOME: folder };
    const { pixels } = proceduralFaces("test", 4, 1), side = 128, area = side * side;
    await Deno.mkdir(photos);
    for (let i = 0; i < 4; i++) {
      const face = pixels.subarray(i * area, (i + 1) * area);
      await Deno.writeFile(join(photos, `${i}.png`), pngOf({ height: side, width: side }, face));
    }
    await dataCommand(["import", photos, "--faces"], { env, print: (text) => printed.push(text) });
    const out = join(folder, ".cache/patchloom/my-faces");
    assertEquals(printed, [
      "Found eyes in 4 of 4 photographs (pictures.csv lists all)",
      `3 training and 1 test images of 128x128 pixels are in ${out}`,
      `Make others like them: deno task synth --profile faces --data ${out}`,
    ]);
    for (const line of (await Deno.readTextFile(join(out, "pictures.csv"))).trim().split("\n").slice(1)) {
      const off = line.split(",").slice(3).map((place, i) => +place - [44, 52, 84, 52][i]);
      assert(Math.hypot(off[0], off[1]) < 2 && Math.hypot(off[2], off[3]) < 2, line);
    }
    assertEquals(await dataSources("faces", env), []);
    await dataCommand(["import", photos, "--faces", "--colour", "--size", "32", "--out", join(folder, "small")], {
      env,
      print: (text) => printed.push(text),
    });
    assertStringIncludes(printed.at(-1)!, `--profile colour-faces --data ${join(folder, "small")} --size 32`);
    const alone = join(folder, "alone");
    await Deno.mkdir(alone);
    await Deno.copyFile(join(photos, "0.png"), join(alone, "0.png"));
    const said = { env, print: (text: string) => printed.push(text) };
    await dataCommand(["import", alone, "--faces", "--out", join(folder, "one")], said);
    assertEquals(printed.at(-3), "Found eyes in 1 of 1 photograph (pictures.csv lists all)");
    await Deno.writeFile(join(alone, "0.png"), pngOf({ height: 64, width: 64 }, new Uint8Array(4096)));
    const none = "expected faces in photographs, got none in 1 (0.png: ";
    await assertRejects(
      () => dataCommand(["import", alone, "--faces", "--out", join(folder, "no")], said),
      Error,
      none,
    );
  });
});

Deno.test("data import --faces: with too few faces to learn from, and with flags that do not go together", async () => {
  await withFolder(async (folder) => {
    const run = (...flags: string[]) => dataCommand(["import", folder, ...flags], { env: { HOME: folder } });
    await Deno.writeFile(join(folder, "one.png"), pngOf({ height: 64, width: 64 }, new Uint8Array(4096)));
    await assertRejects(() => run("--faces", "--like", folder), Error, "one");
    await assertRejects(() => run("--faces", "--eyes", "eyes.csv"), Error, "--faces or --eyes, not both");
    await assertRejects(() => run("--like", folder), Error, "Cannot use --like without --faces");
    await assertRejects(() => run("--faces", "--size", "9x9"), Error, "size");
  });
});
