/** The README's commands run, its table of flags is whole, and what its layout names is there. */
import { assert, assertEquals } from "@std/assert";
import { cli, files, withFolder } from "./hosts/deno/cli.ts";

const ROOT = new URL("../", import.meta.url);
const README = await Deno.readTextFile(new URL("README.md", ROOT));

/** The lines of the shell blocks that start with some words, without them. */
function commands(task: string): string[] {
  const blocks = [...README.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block]) => block.trim().split("\n"));
  return blocks.filter((line) => line.startsWith(`deno task ${task} `)).map((line) => line.slice("deno task ".length));
}

/** The rows of the table under a heading, cell by cell. */
function table(heading: string): string[][] {
  const [, section] = README.split(`\n## ${heading}\n`);
  const [, ...rows] = section.split("\n## ")[0].split("\n").filter((line) => line.startsWith("|"));
  return rows.slice(1).map((row) => row.split(/(?<!\\)\|/).slice(1, -1).map((cell) => cell.trim()));
}

for (const command of [...commands("synth"), ...commands("data")]) {
  Deno.test(`README: deno task ${command}`, async () => {
    await withFolder(async (folder) => {
      const { code, stdout, stderr } = await cli(command.split(" "), { cwd: folder });
      assertEquals(code, 0, stderr);
      const [, out = `out/${command.split("--profile ")[1]?.split(" ")[0]}`] = /--out (\S+)/.exec(command) ?? [];
      if (!command.startsWith("synth") || command.endsWith("--help")) return assert(stdout.length > 0);
      const written = await files(folder);
      for (const name of ["sheet.png", "images/0000.png", "images.idx3-ubyte", "run.json"]) {
        assert(written.includes(`${out}/${name}`), `no ${out}/${name}`);
      }
    });
  });
}

Deno.test("README: shows synth and data, and every flag of synth", async () => {
  assert(commands("synth").length >= 4 && commands("data").length >= 1);
  const { stdout } = await cli(["synth", "--help"]);
  const flags = [...stdout.matchAll(/^ {2}(--\w+)/gm)].map(([, flag]) => flag);
  const told = table("The command line").flatMap(([cell]) => cell.match(/--\w+/g) ?? []);
  assertEquals(told.toSorted(), flags.toSorted());
});

Deno.test("README: what its layout names is there", async () => {
  const rows = table("Layout");
  assert(rows.length > 5);
  for (const [folder, what] of rows) {
    const [, path] = /^`(.+\/)`$/.exec(folder)!;
    assert((await Deno.stat(new URL(path, ROOT))).isDirectory, path);
    for (const [, name] of what.matchAll(/`([^` ]+)`/g)) {
      const found = [new URL(path, ROOT), ROOT].map((base) => Deno.stat(new URL(name, base)).catch(() => undefined));
      assert((await Promise.all(found)).some((info) => info), `${path}: no ${name}`);
    }
  }
});

Deno.test("README: its pictures are there", async () => {
  for (const [, picture] of README.matchAll(/^!\[.*\]\((.+)\)$/gm)) {
    assert((await Deno.stat(new URL(picture, ROOT)).catch(() => undefined))?.isFile, `no ${picture}`);
  }
});
