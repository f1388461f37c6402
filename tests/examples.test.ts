/** The examples run as they stand, and each makes a picture; the notebook makes the pictures that it holds. */
import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { decode } from "fast-png";
import { files, withFolder } from "./hosts/deno/cli.ts";

const EXAMPLES = new URL("../examples/", import.meta.url);
const names = [...Deno.readDirSync(EXAMPLES)].map(({ name }) => name).filter((name) => name.endsWith(".ts")).sort();

Deno.test("examples: numbered from 01, each under 40 lines, and imports the library by its name alone", async () => {
  assertEquals(names.map((name) => name.slice(0, 3)), names.map((_, i) => `0${i + 1}_`));
  for (const name of names) {
    const text = await Deno.readTextFile(new URL(name, EXAMPLES));
    assert(text.trimEnd().split("\n").length < 40, `${name} has 40 lines or more`);
    assert(text.startsWith("// ") && text.split("\n")[0].includes(`deno run -A examples/${name}`), name);
    for (const [, from] of text.matchAll(/from "(.+)"/g)) assert(from.startsWith("@patchloom/patchloom"), from);
  }
});

Deno.test("examples: each makes a picture that is not flat", async (t) => {
  await withFolder(async (folder) => {
    const all = names.map((name) => ({ name, url: new URL(name, EXAMPLES).href, cwd: join(folder, name) }));
    for (const { cwd } of all) await Deno.mkdir(cwd);
    // One process for all: a third of their time was to load and compile the library.
    const program = `for (const { url, cwd } of ${JSON.stringify(all)}) { Deno.chdir(cwd); await import(url); }`;
    const { code, stdout, stderr } = await runProgram(program, ["--allow-read", `--allow-write=${folder}`]);
    assertEquals(code, 0, stderr);
    for (const name of ["digits.png", "choose.png"]) assert(stdout.includes(`Written: ${name}\n`), stdout);
    for (const { name, cwd } of all) {
      await t.step(name, async () => {
        const [picture, ...others] = await files(cwd);
        assertEquals(others, []);
        const { data, width, height } = decode(await Deno.readFile(join(cwd, picture)));
        assert(width >= 100 && height >= 100 && new Set(data).size > 50, `${picture}: ${width}x${height}`);
      });
    }
  });
});

/** Runs a program of TypeScript among the examples, from the standard input. */
async function runProgram(
  text: string,
  flags: readonly string[],
): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--ext=ts", ...flags, "--config", "../deno.json", "-"],
    cwd: fromFileUrl(EXAMPLES),
    env: { NO_COLOR: "1" },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const written = new Blob([text]).stream().pipeTo(child.stdin);
  const { code, stdout, stderr } = await child.output();
  await written;
  return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
}

/** A cell of a notebook, as far as it is used. */
interface Cell {
  readonly cell_type: "code" | "markdown";
  readonly source: readonly string[];
  outputs?: { data: { "image/png": string } }[];
}

Deno.test("examples: the cells of method.ipynb, run one after another, make the pictures below them", async () => {
  const path = new URL("method.ipynb", EXAMPLES), notebook = JSON.parse(await Deno.readTextFile(path));
  const cells = (notebook.cells as Cell[]).filter(({ cell_type }) => cell_type === "code");
  // As in a notebook, the cells share their variables, and what a cell ends with is shown below it.
  const module = cells.map(({ source }) => {
    const shown = "console.log(JSON.stringify($1[Symbol.for('Jupyter.display')]()));";
    return source.join("").replace(/^(show\(.*\));?$/m, shown);
  }).join("\n");
  const { code, stdout, stderr } = await runProgram(module, ["--check", "--allow-read"]);
  assertEquals(code, 0, stderr);
  const outputs = stdout.trim().split("\n").map((line) => [
    { data: JSON.parse(line), metadata: {}, output_type: "display_data" },
  ]);
  const held = cells.map(({ outputs }) => outputs!), [setUp, ...pictures] = held;
  const same = JSON.stringify([setUp, ...pictures]) === JSON.stringify([[], ...outputs]);
  if (!same) {
    cells.forEach((cell, i) => cell.outputs = i === 0 ? [] : outputs[i - 1]);
    await Deno.writeTextFile(new URL("method.new.ipynb", EXAMPLES), JSON.stringify(notebook, null, 1) + "\n");
  }
  assert(
    same,
    "The pictures differ: look at examples/method.new.ipynb, and put it in place of method.ipynb if it is right",
  );
});
