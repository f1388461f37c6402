/** Compiles the library to an npm package of JavaScript, types and kernels. `deno pack` would leave out inferred types. */
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import configuration from "../../../deno.json" with { type: "json" };
import { exitCode } from "../commands/flags/exit_code.ts";
import { command, runCommand } from "../commands/flags/flags.ts";
import { filesBelow } from "../folders/files_below.ts";
import { openOutFolder, type OutFile } from "../folders/out_folder.ts";
import { TOOL } from "./build_kernels.ts";
import { builtText } from "./built.ts";
import { oneFolder } from "./one_folder.ts";
import { withCodeHash } from "./code_in_build.ts";
import { packedFiles, PAGE_ENTRIES, published } from "../page/package_page.ts";
import { commandLine } from "../system/command_line.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
/** Files that are copied as they are. */
const KERNELS = "assembly/kernels.wasm", FILES = ["LICENSE", KERNELS];
/** The README of the package. Its links are relative to the root of the repository. */
const README = "hosts/deno/templates/npm_readme.md";
/** The npm packages that the library depends on. */
const NEEDED = ["fast-png", "fflate", "hono", "ml-matrix"];

/** The bare names of deno.json that are npm packages, each with its version and the path in it. */
const packages = Object.entries(configuration.imports as Record<string, string>).flatMap(([name, target]) => {
  const [, pkg, version, path] = /^npm:((?:@[^/]+\/)?[^@/]+)@([^/]+)(.*)$/.exec(target) ?? [];
  return pkg ? [{ name, pkg, version, path }] : [];
});

/** Builds the package in a folder. What an earlier build wrote there is replaced, and nothing else. */
export async function buildNpm(folder: string, force = false): Promise<void> {
  await using out = await openOutFolder(folder, { command: "build:npm", planned: ["package.json"], force, flag: "" });
  const scratch = await out.scratch();
  const compiled = await new Deno.Command(Deno.execPath(), {
    // `deno check` checks the types; here they are only written.
    args: [
      ...TOOL,
      ..."npm:typescript@5.9.3/tsc --noCheck --declaration --target es2022".split(" "),
      ..."--module esnext --moduleResolution bundler --rewriteRelativeImportExtensions --rootDir . --outDir".split(" "),
      resolve(scratch), // the compiler runs in the root
      "hosts/deno/std.d.ts",
      ...Object.values(configuration.exports),
    ],
    cwd: root,
  }).output();
  if (!compiled.success) {
    throw new Error(`Cannot build the package: tsc says ${new TextDecoder().decode(compiled.stdout).trim()}`);
  }
  const files: OutFile[] = [
    ["webassembly.d.ts", WEBASSEMBLY],
    ["README.md", await readme()],
  ];
  for (const file of await filesBelow(scratch)) {
    if (!/\.(js|d\.ts)$/.test(file)) continue;
    const text = withWebAssembly(file, named(await Deno.readTextFile(join(scratch, file))));
    files.push([file, file === "core/code.js" ? await withCodeHash(text) : text]);
  }
  for (const file of FILES) files.push([file, await Deno.readFile(join(root, file))]);
  files.push(["package.json", JSON.stringify({ ...manifest(), files: packedFiles(files) }, null, 2) + "\n"]);
  await out.finish({}, files);
}

/** The README of the package, with the size of the kernels that it holds. */
export async function readme(): Promise<string> {
  const text = await Deno.readTextFile(join(root, README)), { size } = await Deno.stat(join(root, KERNELS));
  return published(text.replace("KERNEL_SIZE", String(Math.round(size / 1000))));
}

/** Renames bare imports to their npm packages, since npm has no import map, and relative types to their files. */
function named(source: string): string {
  return source.replaceAll(/"(\.[^"]*)\.ts"/g, '"$1.js"').replaceAll(
    /(from|import) "([^."][^"]*)"/g,
    (all, word, name) => {
      const dependency = packages.find((one) => one.name === name);
      return dependency ? `${word} "${dependency.pkg}${dependency.path}"` : all;
    },
  );
}

/** What the types name of WebAssembly, which only the libraries "dom" and "webworker" declare. Declarations merge. */
const WEBASSEMBLY = `declare namespace WebAssembly {
  interface Module {}
  interface Memory {}
  function compile(bytes: ArrayBufferView | ArrayBuffer): Promise<Module>;
}
`;

/** Makes types that name WebAssembly refer to its declarations. */
function withWebAssembly(file: string, text: string): string {
  if (!file.endsWith(".d.ts") || !/\bWebAssembly\./.test(text)) return text;
  const depth = file.split("/").length - 1;
  return `/// <reference path="${"../".repeat(depth) || "./"}webassembly.d.ts" />\n${text}`;
}

function manifest(): object {
  const { name, version, license, exports } = configuration;
  const compiled = (path: string, end: string) => path.replace(/\.ts$/, end);
  return {
    name,
    version,
    license,
    description: "Image synthesis by randomized patch-matching",
    keywords: [
      ...["image-synthesis", "texture-synthesis", "patchmatch", "generative", "super-resolution", "inpainting"],
      ...["example-based", "webassembly", "edge", "deterministic"],
    ],
    ...PAGE_ENTRIES,
    type: "module",
    sideEffects: false,
    engines: { node: ">=20" },
    exports: {
      ...Object.fromEntries(
        Object.entries(exports).map(([entry, path]) => {
          return [entry, { types: compiled(path, ".d.ts"), default: compiled(path, ".js") }];
        }),
      ),
      // Not in the exports of deno.json: Deno would take it for a module to run.
      "./kernels.wasm": "./assembly/kernels.wasm",
    },
    dependencies: Object.fromEntries(
      NEEDED.map((pkg) => [pkg, packages.find((one) => one.pkg === pkg)!.version]),
    ),
  };
}

/** Says how the package is installed. Of a folder, npm makes a link, through which the package does not find what it depends on. */
export function nextText(folder: string): string {
  const { name, version } = configuration, file = `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
  const pack = commandLine("npm pack", [folder]);
  return `${pack}, then npm install ./${file} in the project that uses it (docs/library.md). ` +
    "Do not install the folder itself: npm links it, without the packages that it depends on";
}

const COMMAND = command({
  name: "build:npm",
  about: "Compiles the library to an npm package: build:npm [FOLDER], below out (out/npm). Replaces an earlier one.",
  flags: { force: { about: "replace files in the folder that Patchloom did not write" } },
  examples: ["deno task build:npm", "deno task build:npm out/package"],
  words: [[]],
  async run({ given, words }) {
    const folder = oneFolder(words, "build:npm", join(root, "out/npm"));
    await buildNpm(folder, given.force);
    console.log(
      await builtText(`npm package ${configuration.name} ${configuration.version}`, folder, nextText(folder)),
    );
  },
});

if (import.meta.main) Deno.exit(await exitCode(Deno.args, (args) => runCommand(COMMAND, args)));
