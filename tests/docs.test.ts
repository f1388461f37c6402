/** The guides: their commands run, their tables of flags are whole, and what they name is there. */
import { assert, assertEquals } from "@std/assert";
import { dirname, join } from "@std/path";
import { NOISE } from "../core/noise_entries.ts";
import { FEW, LAYER, PROFILE } from "../core/profile.ts";
import {
  assertLinks,
  commands,
  exists,
  fewData,
  guides,
  openForDocuments,
  paths,
  read,
  ROOT,
  runCommands,
  shownCommands,
  table,
  TASKS,
  withFewFaces,
} from "./documents.ts";
import { builtins } from "../plugins/mod.ts";
import { withTables } from "../hosts/deno/build/write_tables.ts";
import { cli } from "./hosts/deno/cli.ts";

/** The guide whose command takes long: `tests/hosts/deno/commands/reproduce.test.ts` runs it. */
const ELSEWHERE = "docs/reproducing.md";

const session = withFewFaces(openForDocuments(await fewData()));

for (const guide of guides()) {
  if (commands(guide).length > 0 && guide.path !== ELSEWHERE) {
    Deno.test({
      name: `${guide.path}: its commands run one after another in one folder`,
      // The sessions outlive a test.
      sanitizeOps: false,
      sanitizeResources: false,
      fn: (t) => runCommands(guide, t, session),
    });
  }
}

for (
  const document of [
    ...guides(),
    read("CONTRIBUTING.md"),
    read("CHANGELOG.md"),
    read("bench/README.md"),
    read("bench/optimizations.md"),
  ]
) {
  Deno.test(`${document.path}: what it links to and names is there`, () => {
    assertLinks(document);
    if (document.path === "CHANGELOG.md") return; // it names what is gone
    for (const path of paths(document.text)) {
      const found = ["", "docs/", "bench/"].some((base) => exists(base + path));
      assert(found || WRITTEN.includes(path), `${document.path}: no ${path}`);
    }
    for (const [, name, path] of document.text.matchAll(/`(\w+)`\s+(?:in|of)\s+`([\w/]+\/[\w/]+\.ts)`/g)) {
      assert(new RegExp(`\\b${name}\\b`).test(read(path).text), `${document.path}: no ${name} in ${path}`);
    }
  });
}

/** Files that commands write, names for files of one's own, and a file that must not be there. */
const WRITTEN = [
  "run.json",
  "manifest.json",
  "restore.json",
  "scores.json",
  "privacy.json",
  "tune.json",
  "worth.json",
  "worth.csv",
  "my_prior.ts",
  "my_metric.ts",
  "mine.json",
  "package.json",
];

Deno.test("guides: show every command, and every flag of synth", async () => {
  const shown = guides().flatMap(shownCommands);
  for (const task of TASKS) {
    assert(shown.some((command) => command.startsWith(`${task} `)), `no guide shows deno task ${task}`);
  }
  const { stdout } = await cli(["synth", "--help"]);
  const flags = [...stdout.matchAll(/^ {2}(--[\w-]+)/gm)].map(([, flag]) => flag);
  const listed = table(read("docs/command_line.md"), "Flags of synth").flatMap(([cell]) =>
    cell.match(/--[\w-]+/g) ?? []
  );
  assertEquals(listed.toSorted(), flags.toSorted());
});

Deno.test("guides: their tables of flags and entries are those that `deno task build:tables` writes", async () => {
  const written = await Promise.all(guides().map(async ({ path, text }) => [path, await withTables(text)]));
  assertEquals(written, guides().map(({ path, text }) => [path, text]));
  const marked = guides().flatMap(({ text }) => text.match(/<!-- table: .* -->/g) ?? []);
  assertEquals(marked.length, 8);
});

Deno.test("guides: the guide of priors has a row for every prior and context, and names every denoiser", () => {
  const { text } = read("docs/priors.md");
  for (const { kind, name } of builtins.plugins.filter(({ kind }) => kind !== "metric")) {
    const row = `${kind === "denoiser" ? "" : "\n| "}\`${name}\``;
    assert(text.includes(row), `docs/priors.md lacks the ${kind} ${name}`);
  }
});

Deno.test("guides: list every task of deno.json", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile(join(ROOT, "deno.json")));
  const listed = [...read("docs/command_line.md").text.split("\n## ")[0].matchAll(/`([\w:]+)`/g)].map(([, name]) =>
    name
  );
  for (const task of Object.keys(tasks)) assert(listed.includes(task), `docs/command_line.md lists no task ${task}`);
});

Deno.test("architecture: lists every folder of the tree", () => {
  const listed = table(read("docs/architecture.md"), "The folders").map(([cell]) => cell.replaceAll("`", ""));
  const folders = [...Deno.readDirSync(ROOT)].filter(({ name, isDirectory }) => isDirectory && /^[a-z]/.test(name));
  const others = ["node_modules", "out", "cov_profile"];
  for (const { name } of folders) assert(others.includes(name) || listed.includes(`${name}/`), `no row for ${name}/`);
  for (const folder of listed) assert(exists(folder), folder);
});

/** Every kernel, with its arguments. */
const KERNELS = read("core/kernel_functions.ts").text;
const ARGUMENTS = KERNELS + read("core/kernel_arguments.ts").text;
const isKernel = (name: string) => KERNELS.includes(`\n  ${name}(`);
const isWordOf = (name: string, text: string) => new RegExp(`\\b${name}\\b`).test(text);

/** The names of a cell, each with the file that it follows; behind the word kernel, names are kernels. */
function placesIn(cell: string): { name: string; stands: boolean }[] {
  const found: { name: string; stands: boolean }[] = [];
  let isThere: ((name: string) => boolean) | undefined;
  for (const [, argument, kernel, span] of cell.matchAll(/\b(kernel arguments?)\b|\b(kernels?)\b|`([^`]+)`/g)) {
    if (argument) isThere = (name) => isWordOf(name, ARGUMENTS);
    else if (kernel) isThere = isKernel;
    else if (/^[\w.-]+\/.*\.ts$/.test(span)) {
      const { text } = read(span);
      isThere = (name) => isWordOf(name, text);
    } else if (isThere && /^\w+$/.test(span)) found.push({ name: span, stands: isThere(span) });
  }
  return found;
}

Deno.test("equations: every name stands in the file that it follows, and every kernel and test exists", () => {
  const rows = read("docs/equations.md").text.split("\n").filter((line) =>
    line.startsWith("| ") && !/^\| -/.test(line)
  );
  const cells = rows.flatMap((row) => row.split(/(?<!\\)\|/)).map((cell) => ({ cell, names: placesIn(cell) }));
  for (const { cell, names } of cells) {
    for (const { name, stands } of names) assert(stands, `no ${name} where "${cell.trim()}" says`);
  }
  assert(cells.reduce((sum, { names }) => sum + names.length, 0) > 20);
});

Deno.test("equations: every kernel of its columns is one, and the numbers are complete", () => {
  const { text } = read("docs/equations.md");
  const numbered = table({ path: "", text }, "Equations with a number");
  assertEquals(numbered.map(([number]) => number), Array.from({ length: 14 }, (_, i) => `(${i + 1})`));
  for (const row of [...numbered, ...table({ path: "", text }, "Formulas without a number")]) {
    for (const [, kernel] of row.at(-2)!.matchAll(/`(\w+)`/g)) assert(isKernel(kernel), kernel);
    assert(/`tests\/[^`]+\.ts`/.test(row.at(-1)!), `${row[0]}: names no test`);
  }
});

Deno.test("profiles: the guide lists every entry of a profile, of its layers and of its noise", () => {
  const tables = [["Entries of a profile", PROFILE], ["Entries of a layer", LAYER], [
    "Entries of noise",
    NOISE,
  ], ["Entries of few", FEW]] as const;
  for (const [heading, entries] of tables) {
    const names = table(read("docs/profiles.md"), heading).map(([name]) => name.replaceAll("`", ""));
    assertEquals(names, Object.keys(entries));
  }
});

Deno.test("naming: every name stands in one of the files of its row", () => {
  const naming = read("docs/naming.md"),
    symbols = table(naming, "Symbols").map(([symbol, , names, places]) => {
      return { meaning: symbol, names, places };
    });
  const inFolders = [...naming.text.matchAll(/^## (Names in `(.*)`)$/gm)].flatMap(([, heading, folder]) => {
    return table(naming, heading).map(([names, meaning, file]) => ({
      meaning,
      names,
      places: `\`${folder}${file}\``,
    }));
  });
  assert(symbols.length > 30 && inFolders.length > 90, `${symbols.length}, ${inFolders.length}`);
  for (const { meaning, names, places } of [...symbols, ...inFolders]) {
    const files = [...places.matchAll(/`([\w/]+\.ts)`/g)].map(([, path]) => read(path).text);
    // A kernel's arguments are named where it is declared.
    if (/\bkernels?\b/.test(places)) files.push(KERNELS);
    assert(files.length > 0, meaning);
    for (const [, span] of names.matchAll(/`([A-Za-z][\w.]*)`/g)) {
      for (const name of span.split(".")) {
        assert(files.some((text) => isWordOf(name, text)), `${meaning}: no ${name} in ${places}`);
      }
    }
  }
});

Deno.test("naming: its tables fit a screen", () => {
  for (const line of read("docs/naming.md").text.split("\n")) assert(line.length <= 145, line);
});

Deno.test("equations: every kernel is listed under the file that exports it", () => {
  const listed = table(read("docs/equations.md"), "Kernels").flatMap(([file, kernels, twin]) => {
    const { text } = read(file.replaceAll("`", "")), { text: twinText } = read(twin.replaceAll("`", ""));
    return [...kernels.matchAll(/`(\w+)`/g)].map(([, kernel]) => {
      assert(text.includes(`export function ${kernel}(`), `no ${kernel} in ${file}`);
      assert(twinText.includes(kernel), `no ${kernel} in ${twin}`);
      return kernel;
    });
  });
  const all = [...read("assembly/index.ts").text.matchAll(/^export \{ (.*) \} from/gm)].flatMap(([, names]) =>
    names.split(", ")
  );
  assertEquals(listed.toSorted(), all.toSorted());
});

/** The sources below a folder of the tree. */
function sourcesBelow(folder: string): string[] {
  return [...Deno.readDirSync(join(ROOT, folder))].flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    return isDirectory ? sourcesBelow(path) : name.endsWith(".ts") ? [path] : [];
  });
}

/** The comments of a source; without them, its code. */
const COMMENTS = /\/\*\*[^]*?\*\/|^\s*\/\/.*$/gm;
const SOURCES = ["assembly", "core", "priors", "plugins", "datasets", "pipelines", "hosts", "tests", "bench"]
  .flatMap(sourcesBelow).map((path) => {
    const { text } = read(path);
    return { path, comments: (text.match(COMMENTS) ?? []).join("\n"), code: text.replace(COMMENTS, "") };
  });

Deno.test("comments: each file of the tree that they name is there", () => {
  const isThere = (named: string) => SOURCES.some(({ path }) => `/${path}`.endsWith(`/${named}`)) || exists(named);
  for (const { path, comments } of SOURCES) {
    // `./x.ts` is a file of a user, or a text of an example.
    for (const [name] of comments.matchAll(/(?<![\w./\\-])[a-z][\w/]*\.ts\b/g)) {
      assert(isThere(name), `${path}: no ${name}`);
    }
  }
});

Deno.test("comments: each function that they show a call of or refer to is exported, or stands in their folder", () => {
  const exports = /^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm;
  const exported = new Set(SOURCES.flatMap(({ code }) => Array.from(code.matchAll(exports), ([, name]) => name)));
  const folders = Map.groupBy(SOURCES, ({ path }) => dirname(path));
  for (const { path, comments } of SOURCES) {
    for (const [, called, seen] of comments.matchAll(/`(\w+)\([^`]*`|\bsee[\s*]+`(\w+)`/gi)) {
      const name = called ?? seen, beside = folders.get(dirname(path))!;
      assert(exported.has(name) || beside.some(({ code }) => isWordOf(name, code)), `${path}: no ${name}`);
    }
  }
});
