import { join } from "@std/path";
import { profiles } from "../../../../datasets/profiles/mod.ts";
import { writeIdx } from "../../../../datasets/formats/idx.ts";
import { assertSentences, blobsIdx, withFolder } from "../cli.ts";

Deno.test("experiments: a class or row that there is not is refused before morphs are made", async () => {
  await withFolder(async (folder) => {
    const path = join(folder, "mine.json"), data = join(folder, "data");
    // Two images of two classes have no morphs, which is an error of its own.
    await Deno.writeTextFile(path, JSON.stringify({ ...profiles.digits, morph: 1, morphOf: "fours" }));
    await Deno.mkdir(data);
    for (const name of ["train", "t10k"]) {
      await Deno.writeFile(join(data, `${name}-images-idx3-ubyte`), blobsIdx(2, 32));
      await Deno.writeFile(join(data, `${name}-labels-idx1-ubyte`), writeIdx([2], Uint8Array.of(1, 2)));
    }
    const compare = ["compare", "--profile", path, "--data", data, "--quiet", "--out", join(folder, "out")];
    await assertSentences([
      [compare, 1, "morph"],
      [[...compare, "--class", "3"], 2, "Cannot use --class 3: data has no images of that class (classes: 1, 2)"],
      [[...compare, "--denoiser", "wiener", "--row", "winer"], 2, 'Cannot use --row "winer": there is no such row'],
    ]);
  });
});
