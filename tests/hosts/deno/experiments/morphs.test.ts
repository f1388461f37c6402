/** Experiments and restorations learn from morphs, and from few images as the profile says. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { profiles } from "../../../../datasets/profiles/mod.ts";
import { inSessions, smallData, withFolder } from "../cli.ts";

const cli = inSessions("compare", "restore");
const FEW = { below: 13, expect: "expect blobs", morph: 3 };

Deno.test("experiments: compare and restore learn from morphs; compare takes what the profile says of few images", async () => {
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "data")), path = join(folder, "mine.json"), out = join(folder, "out");
    await Deno.writeTextFile(path, JSON.stringify({ ...profiles["digits-paper"], few: FEW }));
    const words = ["--profile", path, "--data", data, "--count", "2", "--out", out, "--threads", "1"];
    const compared = await cli(["compare", ...words, "--prior", "local-nn"]);
    assertEquals(compared.code, 0, compared.stderr);
    assertStringIncludes(
      compared.stderr,
      "Hint: 12 training images are few (less than 13), so images are made from them and their morphs",
    );
    assertStringIncludes(compared.stderr, "morphs of two of them");
    const { origin } = JSON.parse(await Deno.readTextFile(join(out, "compare.json")));
    assertStringIncludes(origin, "morphs of two of them");

    const task = ["restore", ...words, "--task", "inpaint", "--samples", "1"], outs: Uint8Array[] = [];
    for (const more of [["--set", "morph=3"], []]) {
      const restored = await cli([...task, ...more, "--force"]);
      assertEquals(restored.code, 0, restored.stderr);
      assertEquals(restored.stderr.includes("morphs of two of them"), more.length > 0, restored.stderr);
      outs.push(await Deno.readFile(join(out, "sheet.png")));
    }
    assert(outs[0].some((byte, i) => byte !== outs[1][i]), "morphs are restored from");
  });
});
