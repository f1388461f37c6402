/**
 * The sheets in tests/goldens are the pictures of the README and a record of results that were looked at. If a sheet changes,
 * the test writes the new one beside it (NAME.new.png), to be looked at before it replaces the old one.
 */
import { assert } from "@std/assert";
import { join } from "@std/path";
import { inSessions, withFolder } from "./hosts/deno/cli.ts";

const GOLDENS = new URL("goldens/", import.meta.url);
const REAL = Deno.env.get("PATCHLOOM_DATA");

const cli = inSessions("synth");

/** A golden sheet, the command that makes it, and whether it needs MNIST. */
const SHEETS: readonly { name: string; words: string; mnist?: boolean }[] = [
  { name: "digits", words: "synth --profile digits --count 12 --seed 1" },
  { name: "faces", words: "synth --profile faces --count 6 --seed 1" },
  { name: "faces_relit", words: "synth --profile faces-relit --count 6 --seed 1" },
  { name: "faces_paper", words: "synth --profile faces-paper --count 6 --seed 1" },
  { name: "sprites", words: "synth --profile sprites --count 24 --seed 1" },
  { name: "textures", words: "synth --profile texture --count 4 --seed 1" },
  { name: "objects", words: "synth --profile objects --count 12 --seed 1" },
  { name: "objects_as_digits", words: "synth --profile digits-paper --set dataset=objects --count 12 --seed 1" },
  { name: "mnist_threes", words: "synth --profile digits --class 3 --count 12 --seed 1", mnist: true },
  { name: "inpainted", words: "restore --profile digits --task inpaint --count 6 --seed 1" },
  {
    name: "inpainted_faces",
    words: "restore --profile faces --task inpaint --mask center --denoiser local-score --count 4",
  },
];

for (const { name, words, mnist } of SHEETS) {
  const ignore = mnist && !REAL;
  if (ignore) console.log(`Not run: the golden ${name}, because PATCHLOOM_DATA does not say where MNIST is`);
  Deno.test({
    name: `golden: ${words} makes the sheet that was looked at${mnist ? " (MNIST)" : ""}`,
    ignore,
    fn: () =>
      withFolder(async (folder) => {
        const env = mnist ? { PATCHLOOM_DATA: REAL! } : undefined;
        const { code, stderr } = await cli([...words.split(" "), "--out", folder], { env });
        assert(code === 0, stderr);
        const made = await Deno.readFile(join(folder, "sheet.png"));
        const golden = await Deno.readFile(new URL(`${name}.png`, GOLDENS)).catch(() => new Uint8Array());
        const same = made.length === golden.length && made.every((byte, i) => byte === golden[i]);
        if (!same) await Deno.writeFile(new URL(`${name}.new.png`, GOLDENS), made);
        assert(same, `tests/goldens/${name}.png has changed: look at ${name}.new.png beside it`);
      }),
  });
}
