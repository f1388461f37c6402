/** The packed command line, installed in an empty folder by npm. */
import { join } from "@std/path";
import { released } from "../../released.ts";
import { KEPT, once } from "../../once.ts";
import { denoDir, type Ran } from "../deno/cli.ts";
import { npmInstall } from "../edge/runtimes.ts";

/** The package, installed. */
export interface Installed {
  readonly tarball: string;
  /** Where npm put it. */
  readonly package: string;
  /** The program on npm's path, and its environment. */
  readonly bin: string;
  readonly env: Readonly<Record<string, string>>;
  /** Runs a command of the package in a folder, to its end. */
  run(words: readonly string[], cwd: string): Promise<Ran>;
}

/** Installs the tarball of the rehearsed release, once for all tests. */
export async function packedCommand(): Promise<Installed> {
  const { hash, tarballs: { command: tarball } } = await released();
  const folder = await once("command", hash, async (folder) => {
    // Deno's own package without its executable, which is the one that runs the tests.
    await npmInstall(folder, "--omit=optional", "--ignore-scripts", tarball);
    await Deno.symlink(Deno.execPath(), join(folder, "node_modules/deno/deno"));
    // The package and the tree draw the same data, but each removes what the other fitted: their lock files differ.
    await Deno.mkdir(join(KEPT, "patchloom/builtin"), { recursive: true });
    await Deno.mkdir(join(folder, "cache/patchloom"), { recursive: true });
    await Deno.symlink(join(KEPT, "patchloom/builtin"), join(folder, "cache/patchloom/builtin"));
  });
  const bin = join(folder, "node_modules/.bin/patchloom");
  // As in `cli`: the built-in data, wherever real data is.
  const env = { XDG_CACHE_HOME: join(folder, "cache"), DENO_DIR: denoDir(), NO_COLOR: "1", PATCHLOOM_DATA: "" };
  return {
    tarball,
    package: join(folder, "node_modules/patchloom"),
    bin,
    env,
    async run(words, cwd) {
      const command = new Deno.Command(bin, { args: [...words], cwd, env, stdin: "null" });
      const { code, stdout, stderr } = await command.output();
      return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
    },
  };
}
