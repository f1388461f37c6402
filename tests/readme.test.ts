/** The README's commands run, its table of flags is whole, and what its layout names is there. */
import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { cli, files, withFolder } from "./hosts/deno/cli.ts";

const ROOT = new URL("../", import.meta.url);
const README = await Deno.readTextFile(new URL("README.md", ROOT));

/** The tasks of the command line. */
const TASKS = [
  ...["synth", "assess", "compare", "restore", "reproduce"],
  ...["pack", "unpack", "demo", "data", "plugin", "profile"],
];

/** The lines of the shell blocks that run a task of the command line, without `deno task`, in their order. */
function commands(): string[] {
  const blocks = [...README.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block]) => block.trim().split("\n"));
  return blocks.filter((line) => TASKS.some((task) => line.startsWith(`deno task ${task} `))).map((line) =>
    line.slice(10)
  );
}

/** The rows of the table under a heading, cell by cell. */
function table(heading: string): string[][] {
  const [, section] = README.split(`\n## ${heading}\n`);
  const [, ...rows] = section.split("\n## ")[0].split("\n").filter((line) => line.startsWith("|"));
  return rows.slice(1).map((row) => row.split(/(?<!\\)\|/).slice(1, -1).map((cell) => cell.trim()));
}

/** What a command leaves in the folder that it was told, or in its own below `out`. */
const LEFT: Readonly<Record<string, readonly string[]>> = {
  synth: ["sheet.png", "images/0000.png", "run.json"],
  assess: ["scores.json", "images.csv"],
  compare: ["report.html", "compare.json", "sheet.png"],
  restore: ["sheet.png", "images/0000.png", "measured/0000.png", "restore.json"],
  reproduce: ["report.html"],
  demo: ["index.html", "page.js", "worker.js", "digits.loom"],
  pack: [""],
};

Deno.test("README: its commands run one after another in one folder", async (t) => {
  await withFolder(async (folder) => {
    const [, prior, name] = /^```ts\n(\/\/ (\w+\.ts)\n.*?)^```/gms.exec(README)!;
    await Deno.writeTextFile(join(folder, name), prior);
    for (const line of commands()) {
      const [command, file] = line.split(" > ");
      await t.step(`deno task ${line}`, async () => {
        const [task, second] = command.split(" "), named = /--out (\S+)/.exec(command)?.[1];
        const profile = command.split("--profile ")[1]?.split(" ")[0];
        const kind = command.split("--task ")[1]?.split(" ")[0];
        const own = {
          restore: `restore-${kind}`,
          synth: profile,
          compare: `compare-${profile}`,
          reproduce: `reproduce-${second}`,
        };
        const { code, stdout, stderr } = await cli(command.split(" "), { cwd: folder });
        assertEquals(code, 0, stderr);
        if (file) await Deno.writeTextFile(join(folder, file), stdout);
        if (!LEFT[task] || command.endsWith("--help")) return assert(stdout.length > 0);
        const out = named ?? `out/${own[task as keyof typeof own] ?? task}`, written = await files(folder);
        const names = [...LEFT[task], ...command.includes("--report") ? ["report.html"] : []];
        for (const name of names) assert(written.includes(name ? `${out}/${name}` : out), `no ${out}/${name}`);
      });
    }
  });
});

Deno.test("README: shows every command, and every flag of synth", async () => {
  for (const task of TASKS) {
    assert(commands().some((command) => command.startsWith(`${task} `)), task);
  }
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
