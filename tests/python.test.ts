/** What Python does with Patchloom's files: the code blocks of docs/python.md, and the notebook for Python. */
import { delimiter } from "node:path";
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { dirname, fromFileUrl, join } from "@std/path";
import { inSessions } from "./hosts/deno/cli.ts";
import { withFolder } from "./hosts/deno/with_folder.ts";
import { pythonWithNumpy } from "./programs.ts";

const ROOT = new URL("../", import.meta.url);
const cli = inSessions("synth", "assess");
/** The first Python that has numpy. */
const PYTHON = await pythonWithNumpy();
const ignore = PYTHON === undefined;
if (ignore) console.log("Not run: the tests of Python, because none with numpy is installed");

/** Runs a program of Python. */
async function run(program: string, cwd: string, env: Record<string, string> = {}, python = PYTHON!) {
  const child = new Deno.Command(python, { args: ["-"], cwd, env, stdin: "piped", stdout: "piped", stderr: "piped" })
    .spawn();
  const [output] = await Promise.all([child.output(), new Blob([program]).stream().pipeTo(child.stdin)]);
  const { success, stdout, stderr } = output, text = new TextDecoder();
  return { success, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}

/** Blocks that need a library which is missing are left out, and named. */
const SKIPPED = `
def missing(block):
    import importlib.util, re
    names = re.findall(r"^(?:import|from) (\\w+)", block, re.M)
    return [name for name in names if importlib.util.find_spec(name) is None]
`;

/** Runs the blocks one after another, in one name space. */
const BLOCKS = `
shared = {}
for block in ALL:
    lacking = missing(block)
    print("without " + ", ".join(lacking)) if lacking else exec(block, shared)
`;

/** Runs a line of the guide, and writes what it prints to the file that it names. */
async function runLine(line: string, cwd: string): Promise<void> {
  const [command, file] = line.replace("deno task ", "").split(" > "), words = command.split(" ");
  const quiet = words[0] === "synth" ? ["--quiet"] : [];
  const { code, stdout, stderr } = await cli([...words, ...quiet, "--threads", "1"], { cwd });
  assertEquals(code, 0, stderr);
  if (file) await Deno.writeTextFile(join(cwd, file), stdout);
}

/** Whether the rows of an array that run.json names, by its held-out ones, are nearest to the images, at those distances. */
const NEAREST_ROWS = `
import json
import numpy as np
run = json.load(open("own/run.json"))
given = np.load("own.npz")["images"].astype(float)
made = np.fromfile("own/images.idx3-ubyte", dtype=np.uint8, offset=16).reshape(-1, 32, 32).astype(float)
rows = np.delete(np.arange(len(given)), run["data"]["heldOut"])
for image, entry in zip(made, run["images"]):
    distances = np.sqrt(((given - image) ** 2).sum((1, 2))) / 255
    row = rows[entry["nearest"]["image"]]
    assert row == rows[distances[rows].argmin()], (row, distances)
    assert abs(distances[row] - entry["nearest"]["distance"]) < 1e-3, (distances[row], entry)
print(len(made), "images")
`;

Deno.test({
  name: "docs/python.md: its blocks read the files that its commands write",
  ignore,
  fn: () =>
    withFolder(async (folder) => {
      const text = await Deno.readTextFile(new URL("docs/python.md", ROOT));
      const found = [...text.matchAll(/^```(sh|python)(?: ignore)?\n(.*?)^```$/gms)];
      const blocks = found.map(([, language, block]) => ({ language, block }));
      // Commands read what the Python before them wrote: after each of their blocks, all Python up to the next one runs.
      const ends = blocks.flatMap(({ language }, i) => language === "sh" && i > 0 ? [i] : []);
      let stdout = "";
      for (const [n, end] of [...ends, blocks.length].entries()) {
        const begin = ends[n - 1] ?? 0;
        for (const line of blocks[begin].block.trim().split("\n")) await runLine(line, folder);
        const programs = blocks.slice(0, end).flatMap(({ language, block }) => language === "python" ? [block] : []);
        const ran = await run(`${SKIPPED}${BLOCKS.replace("ALL", JSON.stringify(programs))}`, folder);
        assert(ran.success, ran.stderr);
        ({ stdout } = ran);
      }
      assert(stdout.includes("'judge': "), "the scores of the own images are read");
      const [shape, arrays, classes, ...more] = stdout.trimEnd().split("\n");
      assertEquals(shape, "(20, 32, 32) [0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9]");
      const names = ["images", "labels"].map((what) => `${what}-000000-000019.npy`);
      assertEquals(arrays, `{'${names[0]}': (20, 32, 32), '${names[1]}': (20,)}`);
      assert(classes.startsWith("{'000000.cls': 0, '000001.cls': 1, "), classes);
      assertEquals(
        more.filter((line) => /^images\/\d{4}\.png \d \d\.\d+ \{'image': \d+/.test(line)).length,
        20,
        stdout,
      );

      const [, recomputed, recorded] = /^(\d\.\d+) (\d\.\d+)$/m.exec(stdout) ?? [];
      assertAlmostEquals(Number(recomputed), Number(recorded), 1e-9, stdout);
      const { images: [entry] } = JSON.parse(await Deno.readTextFile(join(folder, "out/digits/run.json")));
      assertEquals(Object.keys(entry).filter((key) => !new RegExp(`\`${key}[\`.]`).test(text)), [], "not in the guide");

      // What Python wrote is training data.
      // Without classes every tenth image is held out; the training images after it are numbered anew.
      await Deno.remove(join(folder, "own.npz"));
      const saved = "import numpy as np; r = np.random.default_rng(1); " +
        "np.savez('own.npz', images=r.integers(0, 256, (20, 32, 32), dtype=np.uint8))";
      assert((await run(saved, folder)).success);
      const own = "synth --profile digits --data own.npz --class all --count 2 --out own --threads 1";
      const { code, stderr: said } = await cli(own.split(" "), { cwd: folder });
      assertEquals([code, said.includes("Data: own.npz, 18 + 2 images from own.npz")], [0, true], said);
      const rows = await run(NEAREST_ROWS, folder);
      assert(rows.success && rows.stdout === "2 images\n", rows.stdout + rows.stderr);
    }),
});

Deno.test({
  name: "examples/patchloom.ipynb: its cells run one after another in a checkout and show two sheets",
  ignore,
  fn: () =>
    withFolder(async (folder) => {
      const notebook = JSON.parse(await Deno.readTextFile(new URL("examples/patchloom.ipynb", ROOT)));
      const cells = (notebook.cells as { cell_type: string; source: string[] }[])
        .flatMap(({ cell_type, source }) => cell_type === "code" ? [source.join("")] : []);
      // Only the part of IPython that shows pictures stands in for a kernel.
      await Deno.mkdir(join(folder, "IPython"));
      await Deno.writeTextFile(join(folder, "IPython/__init__.py"), "");
      const display = "class Image:\n    def __init__(self, path): self.path = path\n" +
        "def display(image): print('shown', open(image.path, 'rb').read(8))\n";
      await Deno.writeTextFile(join(folder, "IPython/display.py"), display);
      // Without the variable, it finds the checkout from the folder that it lies in.
      const path = `${dirname(Deno.execPath())}${delimiter}${Deno.env.get("PATH")}`;
      const env = { PATCHLOOM: "", PATH: path, PYTHONPATH: folder, TMPDIR: folder };
      const { success, stdout, stderr } = await run(cells.join("\n"), fromFileUrl(new URL("examples", ROOT)), env);
      assert(success, stderr);
      const lines = stdout.trimEnd().split("\n");
      assertEquals(lines.filter((line) => line === "shown b'\\x89PNG\\r\\n\\x1a\\n'").length, 2, stdout);
      assertEquals(lines.filter((line) => line.startsWith("images/000")).length, 5);
      // What a newcomer sees first of arrays of one's own is worth seeing.
      assert(!/warning|hint/i.test(stderr), stderr);
    }),
});
