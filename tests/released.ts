/** What `deno task release --dry-run` makes, once for all tests: they try the tarballs that would be published. */
import { fromFileUrl, join } from "@std/path";
import { files } from "./hosts/deno/cli.ts";
import { once } from "./once.ts";

import configuration from "../deno.json" with { type: "json" };

const ROOT = fromFileUrl(new URL("../", import.meta.url));
/** Folders that no release reads. */
const UNREAD = /^(\.|(bench|cov_profile|docs|examples|node_modules|out|tests)$)/;

/** A rehearsed release. */
export interface Released {
  /** Names the sources. */
  readonly hash: string;
  /** Holds `out/release` with the tarballs. */
  readonly folder: string;
  /** What the command printed. */
  readonly printed: string;
  readonly tarballs: Readonly<Record<"library" | "command", string>>;
}

/** Rehearses the release of these sources, or takes what an earlier test made of the same. */
export async function released(): Promise<Released> {
  const hash = await sourcesHash(),
    folder = await once("release", hash, async (folder) => {
      await Deno.writeTextFile(join(folder, "printed.txt"), await rehearse(folder));
    });
  const tarball = (name: string) => join(folder, `out/release/${name}-${configuration.version}.tgz`);
  return {
    hash,
    folder,
    printed: await Deno.readTextFile(join(folder, "printed.txt")),
    tarballs: { library: tarball("patchloom-patchloom"), command: tarball("patchloom") },
  };
}

/** Runs the task in a folder, with its permissions: it may write below `out`. Returns what it printed. */
async function rehearse(folder: string): Promise<string> {
  const [, ...words] = configuration.tasks.release.command.split(" "), script = join(ROOT, words.pop()!);
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...words, script, "--dry-run", "out/release"],
    cwd: folder,
    env: { NO_COLOR: "1" },
  }).output();
  const [printed, said] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  if (code !== 0 || said !== "") throw new Error(`release --dry-run: code ${code}, ${said}${printed}`);
  return printed;
}

/** The SHA-256 of all files that a release may read, and of the version of Deno. */
export async function sourcesHash(): Promise<string> {
  const texts = [new TextEncoder().encode(Deno.version.deno)];
  for (const { name, isDirectory } of [...Deno.readDirSync(ROOT)].sort((a, b) => a.name < b.name ? -1 : 1)) {
    if (UNREAD.test(name)) continue;
    for (const path of isDirectory ? await files(ROOT, `${name}/`) : [name]) {
      texts.push(new TextEncoder().encode(`\0${path}\0`), await Deno.readFile(join(ROOT, path)));
    }
  }
  const hash = await crypto.subtle.digest("SHA-256", await new Blob(texts).arrayBuffer());
  return new Uint8Array(hash).toHex().slice(0, 16);
}
