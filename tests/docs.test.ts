/** The guides: their commands run, their tables of flags are whole, and what they name is there. */
import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { assertLinks, commands, exists, guides, paths, read, ROOT, runCommands, table, TASKS } from "./documents.ts";
import { cli } from "./hosts/deno/cli.ts";

for (const guide of guides()) {
  if (commands(guide).length > 0) {
    Deno.test(`${guide.path}: its commands run one after another in one folder`, (t) => runCommands(guide, t));
  }
}

for (const document of [...guides(), read("CONTRIBUTING.md"), read("CHANGELOG.md"), read("bench/README.md")]) {
  Deno.test(`${document.path}: what it links to and names is there`, () => {
    assertLinks(document);
    if (document.path === "CHANGELOG.md") return; // it names what is gone
    for (const path of paths(document.text)) {
      const found = ["", "docs/", "bench/"].some((base) => exists(base + path));
      assert(found || WRITTEN.includes(path), `${document.path}: no ${path}`);
    }
  });
}

/** Files that commands write, and names for files of one's own. */
const WRITTEN = ["run.json", "restore.json", "scores.json", "my_prior.ts", "my_metric.ts", "mine.json"];

Deno.test("guides: show every command, and every flag of synth", async () => {
  const shown = guides().flatMap(commands);
  for (const task of TASKS) assert(shown.some((command) => command.startsWith(`${task} `)), task);
  const { stdout } = await cli(["synth", "--help"]);
  const flags = [...stdout.matchAll(/^ {2}(--[\w-]+)/gm)].map(([, flag]) => flag);
  const listed = table(read("docs/command_line.md"), "Flags of synth").flatMap(([cell]) =>
    cell.match(/--[\w-]+/g) ?? []
  );
  assertEquals(listed.toSorted(), flags.toSorted());
});

Deno.test("guides: list every task of deno.json", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile(join(ROOT, "deno.json")));
  const listed = [...read("docs/command_line.md").text.split("\n## ")[0].matchAll(/`([\w:]+)`/g)].map(([, name]) =>
    name
  );
  for (const task of Object.keys(tasks)) assert(listed.includes(task), task);
});
