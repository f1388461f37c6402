/** The npm package of the command line, packed and installed in an empty folder. */
import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { released } from "../../released.ts";
import { denoDir, files, synthesized, withFolder } from "../deno/cli.ts";
import { KEPT } from "../../once.ts";
import { node, npmInstall, output } from "../edge/runtimes.ts";

import configuration from "../../../deno.json" with { type: "json" };

/** Megabytes that the package may have: packed, as it is downloaded, and unpacked. */
const MAX_PACKED = 1, MAX_UNPACKED = 4;

Deno.test("npx patchloom: lists its commands, refuses others, and makes the bytes of deno task", {
  ignore: !await node(),
}, async () => {
  await withFolder(async (folder) => {
    const { tarballs: { command } } = await released(), empty = join(folder, "empty");
    const words = ["--data", "built-in", "--class", "3", "--count", "4"];
    // Deno's own package without its executable, which is the one that runs this test.
    await npmInstall(empty, "--omit=optional", "--ignore-scripts", command);
    const own = join(empty, "node_modules/patchloom"), paths = (await files(own)).map((path) => join(own, path));
    const sizes = await Promise.all([command, ...paths].map(async (path) => (await Deno.stat(path)).size));
    const [size, unpacked] = [sizes[0], sizes.slice(1).reduce((sum, one) => sum + one)];
    assert(size < MAX_PACKED * 1e6 && unpacked < MAX_UNPACKED * 1e6, `${size} and ${unpacked} bytes`);
    await Deno.symlink(Deno.execPath(), join(empty, "node_modules/deno/deno"));
    const bin = "node_modules/.bin/patchloom", surroundings = [`XDG_CACHE_HOME=${KEPT}`, `DENO_DIR=${denoDir()}`];
    const run = (...args: string[]) => output("env", [...surroundings, bin, ...args], empty);

    const lock = join(empty, "node_modules/patchloom/deno.lock"), before = await Deno.readTextFile(lock);
    assertEquals(await run("--version"), `${configuration.version}\n`);
    const help = await run();
    for (const name of ["synth", "assess", "plugin", "serve"]) assert(help.includes(`\n  ${name} `), help);
    assert(!/deno task|build:/.test(help), help);
    assert((await run("synth", "--help")).includes("  npx patchloom synth --profile faces\n"));
    const wrong = await new Deno.Command(join(empty, bin), { args: ["sinth"] }).output();
    const said = new TextDecoder().decode(wrong.stderr);
    assertEquals([wrong.code, said.startsWith('There is no command "sinth" (valid: synth, ')], [2, true], said);

    await run("synth", "--profile", "digits", ...words, "--quiet");
    await synthesized(join(folder, "own"), ["--profile", "digits", ...words]);
    const [theirs, ours] = await Promise.all(["empty/out/digits", "own"].map((path) => {
      return Deno.readFile(join(folder, path, "images.idx3-ubyte"));
    }));
    assertEquals(theirs, ours);
    // Who installed the package may be another user: nothing is written to it.
    assertEquals(await Deno.readTextFile(lock), before);
  });
});
