/** What follows from pictures: their size and colours become those of objects made of them. */
import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { encode } from "fast-png";
import { writeIdx } from "../../../../datasets/formats/idx.ts";
import { type Following, followingPictures, pictureKind } from "../../../../hosts/deno/data/picture_kind.ts";
import { digitsPaper } from "../../../../datasets/profiles/mod.ts";
import { readExperiment } from "../../../../hosts/deno/experiments/read_experiment.ts";
import { cli } from "../cli.ts";
import { withFolder } from "../with_folder.ts";

/** Writes discs of several sizes and places, in red or grey, of an odd side. */
async function discs(folder: string, count: number, side: number, colour: boolean): Promise<string> {
  await Deno.mkdir(folder);
  for (let i = 0; i < count; i++) {
    const data = new Uint8Array(side * side * 3).fill(255), radius = 3 + i % 4;
    for (let p = 0; p < side * side; p++) {
      const x = p % side - side / 2 - i % 3, y = Math.floor(p / side) - side / 2 + i % 5 - 2;
      if (x * x + y * y < radius * radius) data.set(colour ? [200, 40 + 5 * i, 30] : [90, 90, 90], 3 * p);
    }
    await Deno.writeFile(join(folder, `${10 + i}.png`), encode({ width: side, height: side, channels: 3, data }));
  }
  return folder;
}

Deno.test("pictureKind: the size of pictures and whether they are in colour; undefined of what cannot be read", async () => {
  await withFolder(async (folder) => {
    const red = await discs(join(folder, "red"), 3, 13, true), grey = await discs(join(folder, "grey"), 3, 13, false);
    assertEquals(await pictureKind(red), { size: { height: 13, width: 13 }, isColour: true });
    assertEquals(await pictureKind(grey), { size: { height: 13, width: 13 }, isColour: false });
    const file = join(folder, "images.idx3-ubyte");
    await Deno.writeFile(file, writeIdx([4, 9, 8], new Uint8Array(4 * 72)));
    assertEquals(await pictureKind(file), { size: { height: 9, width: 8 }, isColour: false });
    assertEquals(await pictureKind(join(folder, "missing")), undefined);
  });
});

Deno.test("followingPictures: objects take over size and colours, where no flag says them; other profiles do not", async () => {
  await withFolder(async (folder) => {
    const data = await discs(join(folder, "red"), 3, 13, true), size = { height: 13, width: 13 };
    const request: Following = { profile: "objects", data };
    assertEquals(await followingPictures(request), { ...request, size, set: ["channels=3"] });
    const grey = { ...request, size: { height: 8, width: 8 }, set: ["channels=1"] };
    assertEquals(await followingPictures(grey), grey);
    const unchanged: Following[] = [{ profile: "digits", data }, { profile: "objects", data: "built-in" }, {
      profile: "objects",
    }];
    for (const one of unchanged) assertEquals(await followingPictures(one), one);
    // MNIST's 28 pixels are padded to 32, as in the paper.
    const large = { profile: "objects", data: await discs(join(folder, "large"), 3, 28, false) };
    assertEquals(await followingPictures(large), large);
  });
});

Deno.test("synth --profile objects --from noise: of pictures of an odd size in colour, as a run again, and assessed as such", async () => {
  await withFolder(async (folder) => {
    const data = await discs(join(folder, "red"), 20, 13, true), out = join(folder, "out");
    const words = ["--profile", "objects", "--data", data, "--threads", "1"];
    const made = await cli(["synth", ...words, "--from", "noise", "--count", "2", "--out", out]);
    assertEquals(made.code, 0, made.stderr);
    const record = JSON.parse(await Deno.readTextFile(join(out, "run.json")));
    assertEquals([record.request.size, record.profile.channels], [{ height: 13, width: 13 }, 3]);
    const again = join(folder, "again"), { stderr } = await cli(["synth", "--run", out, "--out", again]);
    const first = await Deno.readFile(join(out, "images/0000.png"));
    assertEquals(await Deno.readFile(join(again, "images/0000.png")), first, stderr);
    const scored = await cli(["assess", ...words, "--images", out, "--metric", "contrast", "--out", join(folder, "s")]);
    assertEquals(scored.code, 0, scored.stderr);
    assertMatch(scored.stderr, /Images: 2 of \d+x\d+ in colour/);
  });
});

Deno.test("pack --profile objects: follows the pictures as synth does, whose images are those of the pack", async () => {
  await withFolder(async (folder) => {
    const data = await discs(join(folder, "red"), 20, 13, true), pack = join(folder, "red.loom");
    const packed = await cli(["pack", "--profile", "objects", "--data", data, "--out", pack]);
    assertMatch(packed.stderr, /18 training images \(16x16 in colour\)/);
    const made = async (out: string, words: readonly string[]) => {
      const line = ["synth", ...words, "--count", "2", "--threads", "1", "--out", join(folder, out)];
      const { code, stderr } = await cli(line);
      assertEquals(code, 0, stderr);
      return await Deno.readFile(join(folder, out, "images/0001.png"));
    };
    // A pack has the size that its layers halve; synth crops images of pictures.
    const ofPack = await made("packed", ["--profile", pack, "--size", "13x13"]);
    assertEquals(ofPack, await made("plain", ["--profile", "objects", "--data", data]));
  });
});

Deno.test("readExperiment: objects follow the pictures, and so does a profile that they are compared with", async () => {
  await withFolder(async (folder) => {
    const data = await discs(join(folder, "red"), 3, 13, true), rest = { seed: 1, threads: 1, plugin: [], quiet: true };
    const { profile, plan, alike } = await readExperiment("compare", { profile: "objects", data, ...rest });
    const other = alike(digitsPaper);
    assertEquals([profile.size, plan.channels, other.size, other.channels], [[16, 16], 3, [16, 16], 3]);
    const plain = await readExperiment("compare", { profile: "objects", ...rest });
    assertEquals([plain.plan.channels, plain.alike(digitsPaper)], [1, digitsPaper]);
  });
});
