/** Few training images: what a profile changes for them, and that it is said beforehand. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { inSessions, readResult, smallData, withFolder } from "../cli.ts";
import { small } from "../../../small_world.ts";

const cli = inSessions("synth", "pack");

/** Writes a profile of blobs with an entry for few images; returns its path. */
async function profileWith(few: object, folder: string): Promise<string> {
  const path = join(folder, "mine.json");
  await Deno.writeTextFile(path, JSON.stringify({ ...small, size: 32, classwise: true, few }));
  return path;
}

const FEW = { below: 13, expect: "expect blobs", morph: 3, morphOf: "fours" };

Deno.test("few images: the profile changes, says what to expect, and records what was used; flags come after it", async () => {
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "data"));
    const run = async (name: string, few: object, ...words: string[]) => {
      const profile = await profileWith(few, folder), out = join(folder, name);
      const all = ["synth", "--profile", profile, "--data", data, "--count", "2", "--out", out];
      const { code, stderr } = await cli([...all, ...words]);
      assertEquals(code, 0, stderr);
      return { stderr, out, run: (await readResult(out)).run };
    };
    // The smaller class has 12 images.
    const few = await run("few", FEW);
    const hint =
      "Hint: 12 training images are few (less than 13), so images are made from morphs of four of them each: " +
      "expect blobs (--set few.below=0 treats them as many)\n";
    assert(few.stderr.startsWith(hint), few.stderr);
    assertEquals([few.run.profile.morph, few.run.profile.morphOf, few.run.profile.few], [3, "fours", undefined]);
    assertStringIncludes(few.run.data.origin, "morphs of four of them");
    const again = await cli(["synth", "--run", few.out, "--out", join(folder, "again")]);
    assertStringIncludes(again.stderr, "All 2 images are byte-identical to those of the run");

    // A setting of one entry of `few` keeps its others.
    const fewer = { ...FEW, below: 12 }, most = ["--set", "few.below=13"];
    const changed = await run("changed", fewer, ...most, "--morph", "2", "--set", "morphOf=pairs");
    assertStringIncludes(changed.stderr, "so images are made from them and their morphs: expect blobs");
    assertEquals([changed.run.profile.morph, changed.run.profile.morphOf], [2, "pairs"]);
    for (
      const [name, entry, ...words] of [["many", { ...FEW, below: 12 }], ["off", FEW, "--set", "few.below=0"]] as const
    ) {
      const many = await run(name, entry, ...words);
      assert(!many.stderr.includes("are few"), many.stderr);
      assertEquals(many.run.profile.morph, undefined);
      assert(!many.run.data.origin.includes("morphs"));
    }
  });
});

Deno.test("few images: a pack holds the real ones and the profile for few, and gives the same images", async () => {
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "data")), profile = await profileWith({ ...FEW, below: 12 }, folder);
    const size = ["--profile", profile, "--data", data, "--set", "few.below=13"], pack = join(folder, "few.loom");
    const packed = await cli(["pack", ...size, "--out", pack]);
    assertEquals(packed.code, 0, packed.stderr);
    assertStringIncludes(packed.stderr, "Hint: 12 training images are few (less than 13)");
    const two = ["--count", "2", "--out"];
    assertEquals((await cli(["synth", ...size, ...two, join(folder, "direct")])).code, 0);
    const { stderr } = await cli(["synth", "--profile", pack, ...two, join(folder, "packed")]);
    assert(!stderr.includes("are few"), stderr);
    const [direct, fromPack] = [await readResult(join(folder, "direct")), await readResult(join(folder, "packed"))];
    assertEquals(fromPack.pixels, direct.pixels);
    assertEquals(fromPack.run.images[0].contributors, direct.run.images[0].contributors);
  });
});

Deno.test("few images: a wrong entry is one sentence", async () => {
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "data"));
    const cases: [object, string][] = [
      [{ ...FEW, below: -1 }, "few.below of the profile: expected an integer from 0 to 65535, got -1"],
      [{ below: 30 }, "few"],
      [{ ...FEW, morphs: 3 }, 'few has an unknown entry "morphs"; nearest: "morph"'],
      [{ ...FEW, morph: 101 }, "few.morph of the profile: expected an integer from 0 to 100"],
    ];
    for (const [few, sentence] of cases) {
      const profile = await profileWith(few, folder);
      const { code, stderr } = await cli(["synth", "--profile", profile, "--data", data, "--out", join(folder, "x")]);
      assert(code > 0);
      assertStringIncludes(stderr, sentence);
    }
  });
});
