import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { decode } from "fast-png";
import { fewData } from "../../../documents.ts";
import { elements } from "../../../well_formed.ts";
import { cli, files, withFolder } from "../cli.ts";

Deno.test("ablate: a row for each idea between the profile and the baseline, one sheet, one report", async () => {
  await withFolder(async (folder) => {
    const mine = join(folder, "mine.json"), out = join(folder, "out");
    const profile = JSON.parse((await cli(["profile", "show", "digits-paper"])).stdout);
    profile.prior[1].hubPenalty = 1;
    profile.seedNoise = 0.04;
    await Deno.writeTextFile(mine, JSON.stringify({ ...profile, name: "mine" }));
    const data = join(await fewData(), "mnist"), few = ["--data", data, "--class", "3", "--count", "10"];
    const words = ["ablate", "--profile", mine, ...few, "--out", out, "--quiet"];
    const { code, stdout, stderr } = await cli(words);
    assertEquals([code, stderr], [0, ""]);
    assertEquals(await files(out), ["ablate.json", "report.html", "run.json", "sheet.png"]);
    const { rows, baseline } = JSON.parse(await Deno.readTextFile(join(out, "ablate.json")));
    assertEquals(baseline, "digits-paper");
    assertEquals(rows.map(({ name, off }: { name: string; off: string }) => [name, off]), [
      ["held-out images", ""],
      ["mine", ""],
      ["prior.hubPenalty", "0"],
      ["seedNoise", "that of digits-paper"],
      ["digits-paper", ""],
    ]);
    assertStringIncludes(stdout, "without prior.hubPenalty");
    elements(await Deno.readTextFile(join(out, "report.html")));
    assert(decode(await Deno.readFile(join(out, "sheet.png"))).height > rows.length * 64);
  });
});
