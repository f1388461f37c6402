/** Builds the project's site: the guides, the documentation of the library, and the page, linked with each other, in one folder. */
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { marked } from "marked";
import { gfmHeadingId } from "marked-gfm-heading-id";
import { STYLE } from "../../../pipelines/report/style.ts";
import { escape } from "../../../pipelines/report/html.ts";
import { exitCode } from "../commands/flags/exit_code.ts";
import { command, runCommand } from "../commands/flags/flags.ts";
import { filesBelow } from "../folders/files_below.ts";
import { openOutFolder, type OutFile } from "../folders/out_folder.ts";
import { buildPage } from "../page/build_page.ts";
import { builtText } from "./built.ts";
import { oneFolder } from "./one_folder.ts";
import { SOURCES } from "../page/package_page.ts";

const ROOT = new URL("../../../", import.meta.url);
/** The guides in the order of the navigation: how to use it first, how it is made last. */
const GUIDES = [
  ..."gallery command_line data profiles page python library plugins priors textures sprites unaligned many_images engine forgetting"
    .split(
      " ",
    ),
  ..."restoring assessing privacy worth tuning packs serving".split(" "),
  ..."reproducing equations naming architecture limits".split(" "),
].map((name) => `docs/${name}.md`);
const DOCUMENTS = [
  "README.md",
  ...GUIDES,
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "bench/README.md",
  "bench/optimizations.md",
];
/** Where the documentation of the library and the page lie. */
const API = "api/index.html", PAGE = "page/index.html";

/** The layout of guides, beside that of reports. */
const LAYOUT = `
body { max-width: 80rem; display: grid; grid-template-columns: 13rem minmax(0, 1fr); gap: 3rem; }
@media (width < 60rem) { body { display: block; } }
nav ul { list-style: none; margin: 0; padding: 0; line-height: 1.9; }
nav [aria-current] { font-weight: 600; color: inherit; text-decoration: none; }
table { display: block; overflow-x: auto; font-size: .9rem; border-collapse: collapse; margin: 0 0 1.2rem; }
th, td { padding: .3rem .8rem .3rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--rule); }
code { font: .88em ui-monospace, Menlo, Consolas, monospace; }
img { max-width: 100%; height: auto; }
li { max-width: 42rem; }
`;

/** The file of the site that a document becomes. */
function fileOf(document: string): string {
  return document.replace(/(^|\/)README\.md$/, "$1index.html").replace(/\.md$/, ".html");
}

/** Builds the files of the site, except the documentation of the library. Throws if a link leads nowhere. */
export async function buildGuides(): Promise<OutFile[]> {
  const texts = await Promise.all(DOCUMENTS.map((name) => Deno.readTextFile(new URL(name, ROOT))));
  const titles = texts.map((text) => /^# (.+)$/m.exec(text)![1]), pictures = new Set<string>();
  marked.use(gfmHeadingId());
  const files: OutFile[] = [];
  for (const [n, document] of DOCUMENTS.entries()) {
    const here = dirname(document), file = fileOf(document), html = await marked.parse(texts[n]);
    const linked = html.replaceAll(/ (href|src)="(?!https?:|#)([^"#]*)([^"]*)"/g, (_, name, path, anchor) => {
      const target = join(here, path);
      if (name === "src") pictures.add(target);
      const known = DOCUMENTS.includes(target) ? fileOf(target) : pictures.has(target) ? target : undefined;
      return ` ${name}="${known ? relative(dirname(file), known) : SOURCES + target}${anchor}"`;
    });
    files.push([file, page(file, titles, n, linked)]);
  }
  for (const picture of pictures) files.push([picture, await Deno.readFile(new URL(picture, ROOT))]);
  return files;
}

/** A page of the site with its navigation. */
function page(file: string, titles: readonly string[], current: number, content: string): string {
  const link = (target: string, title: string, here = false) => {
    const to = relative(dirname(file), target);
    return `<li><a href="${to}"${here ? ' aria-current="page"' : ""}>${escape(title)}</a></li>`;
  };
  const guides = DOCUMENTS.map((document, n) => link(fileOf(document), titles[n], n === current));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(titles[current])}${current > 0 ? " \u00b7 Patchloom" : ""}</title>
<style>${STYLE}${LAYOUT}</style>
</head>
<body>
<nav aria-label="Guides"><ul>
${guides.join("\n")}
${link(API, "Library reference")}
${link(PAGE, "Try it in the browser")}
</ul></nav>
<main>
${content}</main>
</body>
</html>
`;
}

/** Builds the documentation of the library with `deno doc` in a folder. */
async function buildReference(folder: string): Promise<OutFile[]> {
  const entries = ["mod.ts", "core/testing/mod.ts", "hosts/edge/handler.ts"], cwd = fileURLToPath(ROOT);
  const args = ["doc", "--html", "--name=Patchloom", `--output=${folder}`, ...entries];
  const { success, stderr } = await new Deno.Command(Deno.execPath(), { args, cwd, env: { NO_COLOR: "1" } }).output();
  if (!success) throw new Error(`deno doc failed: ${new TextDecoder().decode(stderr).trim()}`);
  return await Promise.all((await filesBelow(folder)).map(async (file): Promise<OutFile> => {
    return [`api/${file}`, await Deno.readFile(join(folder, file))];
  }));
}

const COMMAND = command({
  name: "build:site",
  about: "Builds the guides, the library's documentation and the page: build:site [FOLDER], below out (out/site).",
  flags: {},
  examples: ["deno task build:site", "deno task build:site out/public"],
  words: [[]],
  async run({ words }) {
    const path = oneFolder(words, "build:site", fileURLToPath(new URL("out/site", ROOT)));
    await using folder = await openOutFolder(path, { command: "build:site", planned: ["index.html"], flag: "" });
    const pages = [...await buildPage()].map(([name, bytes]): OutFile => [`page/${name}`, bytes]);
    const files = [...await buildGuides(), ...pages, ...await buildReference(await folder.scratch())];
    await folder.finish({}, files);
    const next = `copy it to any static host, or look at it here: python3 -m http.server --directory ${path}`;
    console.log(await builtText("Site", path, next));
  },
});

if (import.meta.main) Deno.exit(await exitCode(Deno.args, (args) => runCommand(COMMAND, args)));
