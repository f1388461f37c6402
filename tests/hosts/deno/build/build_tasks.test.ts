import { assert, assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { digitsPack } from "../../edge/digits_pack.ts";
import { assertSentence, files, type Ran, withFolder } from "../cli.ts";
import configuration from "../../../../deno.json" with { type: "json" };
import { nextText } from "../../../../hosts/deno/build/build_npm.ts";

/** Runs a task in a folder, with the permissions that it has in deno.json: it may write below that folder's `out`. */
async function run(
  task: "build:binary" | "build:command" | "build:edge" | "build:gallery" | "build:npm" | "build:site",
  words: readonly string[],
  cwd: string,
): Promise<Ran> {
  const [, ...args] = configuration.tasks[task].command.split(" ");
  const script = fromFileUrl(new URL(`../../../../${args.pop()}`, import.meta.url));
  const env = { NO_COLOR: "1" },
    command = new Deno.Command(Deno.execPath(), { args: [...args, script, ...words], cwd, env });
  const { code, stdout, stderr } = await command.output();
  return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
}

Deno.test("build:edge: refuses in one sentence what it cannot bundle, and writes nothing", async () => {
  await withFolder(async (folder) => {
    const pack = digitsPack(10), given = ["README.md", "cut.loom", "digits.loom", "head.loom"];
    await Deno.writeTextFile(join(folder, "README.md"), "# no pack\n");
    await Deno.writeFile(join(folder, "cut.loom"), pack.subarray(0, 1000));
    await Deno.writeFile(join(folder, "head.loom"), pack.subarray(0, 6));
    await Deno.writeFile(join(folder, "digits.loom"), pack);
    const wrong: [words: string[], code: number, sentence: string][] = [
      [[], 2, "build:edge needs a pack: deno task build:edge digits.loom"],
      [["--pack", "digits.loom"], 2, "build:edge has no flag --pack"],
      [["digits.loom", "out/edge", "more"], 2, 'build:edge takes a pack and a folder, got also "more"'],
      [["none.loom", "out/edge"], 1, "Cannot read none.loom: "],
      [[".", "out/edge"], 1, "Cannot read .: "],
      [["README.md", "out/edge"], 1, "README.md is not a pack: expected it to begin with 89 4c 4f 4f 4d"],
      [["cut.loom", "out/edge"], 1, `cut.loom is cut off: expected ${pack.length} bytes, got 1000`],
      [["head.loom", "out/edge"], 1, "head.loom is cut off: expected a header of 24 bytes, got 6"],
      [["digits.loom", "elsewhere"], 1, "Cannot build in elsewhere: "],
    ];
    for (const [words, code, sentence] of wrong) assertSentence(await run("build:edge", words, folder), code, sentence);
    assertEquals(await files(folder), given);
    const built = await run("build:edge", ["digits.loom", "out/edge"], folder);
    assertEquals([built.code, built.stderr], [0, ""]);
    const said =
      /^Bundles of digits\.loom for workers, workers_r2, vercel: 12 files, \d+\.\d MB, in out\/edge\nNext: cd out\/edge\/workers && npx wrangler deploy \(/;
    assertMatch(built.stdout, said);
    const hosts = ["vercel", "workers", "workers_r2"].flatMap((host) => {
      const settings = host === "vercel" ? [] : ["wrangler.toml"];
      return ["digits.loom", "kernels.wasm", `${host}.js`, ...settings].map((name) => `out/edge/${host}/${name}`);
    });
    assertEquals(await files(folder), [...given, "out/edge/run.json", ...hosts]);
    // What somebody else wrote stays.
    await Deno.writeTextFile(join(folder, "out/edge/workers/wrangler.toml"), "mine");
    const taken = "workers/wrangler.toml is there and was not written by Patchloom, or was changed since";
    assertSentence(await run("build:edge", ["digits.loom", "out/edge"], folder), 1, taken);
    assertEquals((await run("build:edge", ["digits.loom", "out/edge", "--force"], folder)).code, 0);
  });
});

for (const task of ["build:command", "build:npm"] as const) {
  Deno.test(`${task}: refuses wrong words and folders of others in one sentence, and writes nothing`, async () => {
    await withFolder(async (folder) => {
      await Deno.mkdir(join(folder, "out/own"), { recursive: true });
      await Deno.writeTextFile(join(folder, "out/own/package.json"), '{ "name": "own" }');
      const wrong: [words: string[], code: number, sentence: string][] = [
        [["--out", "out/npm"], 2, `${task} has no flag --out`],
        [["out/npm", "more"], 2, `${task} takes one folder, got also "more"`],
        [["elsewhere"], 1, "Cannot write to elsewhere: "],
        [["out/own"], 1, "Cannot write to out/own: package.json is there and was not written by Patchloom"],
      ];
      for (const [words, code, sentence] of wrong) assertSentence(await run(task, words, folder), code, sentence);
      assertEquals(await files(folder), ["out/own/package.json"]);
    });
  });
}

Deno.test("build:command: replaces what an earlier build wrote, and leaves other files as they are", async () => {
  await withFolder(async (folder) => {
    const out = join(folder, "out/command"), build = (...words: string[]) => run("build:command", words, folder);
    const built = await build("out/command");
    assertEquals([built.code, built.stderr], [0, ""]);
    assertMatch(
      built.stdout,
      /^npm package patchloom [^ ]+: \d+ files, \d\.\d MB, in out\/command\nNext: npm install /,
    );
    await Deno.writeTextFile(join(out, "notes.txt"), "mine");
    assertEquals((await build("out/command")).code, 0);
    assertEquals(await Deno.readTextFile(join(out, "notes.txt")), "mine");
    // Neither that file nor the record of the build is published.
    const packed: string[] = JSON.parse(await Deno.readTextFile(join(out, "package.json"))).files;
    assert(packed.includes("hosts") && !packed.includes("notes.txt") && !packed.includes("run.json"), packed.join());
    await Deno.writeTextFile(join(out, "README.md"), "mine");
    const taken = "README.md is there and was not written by Patchloom, or was changed since";
    assertSentence(await build("out/command"), 1, taken);
    assertEquals(await Deno.readTextFile(join(out, "README.md")), "mine");
    assertEquals((await build("out/command", "--force")).code, 0);
  });
});

Deno.test("build:gallery: refuses names of no picture, with the nearest", async () => {
  await withFolder(async (folder) => {
    const sentence = 'There is no picture "tree"; nearest: "three"';
    assertSentence(await run("build:gallery", ["window", "tree"], folder), 2, sentence);
  });
});

const TASKS = ["build:binary", "build:command", "build:edge", "build:gallery", "build:npm", "build:site"] as const;
for (const task of TASKS) {
  Deno.test(`${task}: --help prints how it is used, and nothing is written`, async () => {
    await withFolder(async (folder) => {
      const { code, stdout, stderr } = await run(task, ["--help"], folder);
      assertEquals([code, stderr, stdout.includes(`\n  deno task ${task}`)], [0, "", true], stdout);
      assertEquals(await files(folder), []);
    });
  });
}

Deno.test("build:npm: says that npm packs the folder first, and does not install it", () => {
  assertMatch(
    nextText("out/npm"),
    /^npm pack out\/npm, then npm install \.\/patchloom-patchloom-\S+\.tgz .*\. Do not install the folder itself: /,
  );
});
