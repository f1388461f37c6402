import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, relative } from "@std/path";
import { fitCache, FITTING_CODE } from "../../../../hosts/deno/workers/fit_cache.ts";
import { files, withFolder } from "../cli.ts";
import { importedBy } from "../../../lint/import_ladder.ts";
import { filesOf } from "../../../run.ts";

const ROOT = new URL("../../../../", import.meta.url);
/** A call that keeps what was made. */
const KEEPS = /\bcache\??\.write\(|\brunKept\(/;

/** The files that a file imports to run, directly or by way of others. */
function runWith(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const source = Deno.readTextFileSync(new URL(file, ROOT)).replace(/^import type (?:.*|\{[^}]*\} from .*)$/gm, "");
  for (const specifier of importedBy(source)) {
    runWith(new URL(specifier, new URL(file, ROOT)).href.slice(ROOT.href.length), seen);
  }
  return seen;
}

Deno.test("fit cache: what is kept is made again when any code changed that makes it", () => {
  const isNamed = (file: string) =>
    FITTING_CODE.some((path) => path.endsWith("/") ? file.startsWith(path) : file === path);
  const keeping = ["core", "datasets", "pipelines", "plugins", "priors"].flatMap((folder) => {
    return filesOf(fromFileUrl(new URL(folder, ROOT)), ".ts");
  }).filter((file) => KEEPS.test(Deno.readTextFileSync(file))).map((file) => relative(fromFileUrl(ROOT), file));
  for (const name of ["run/fit_parts", "synthesis/morph_training", "assessment/training_neighbours"]) {
    assert(keeping.includes(`pipelines/${name}.ts`), `${keeping}`);
  }
  const all = keeping.flatMap((file) => [...runWith(file)]);
  assertEquals(all.filter((file) => !isNamed(file)), []);
});

Deno.test("fit cache: parts are there until the whole is, and those of other names and keys stay", async () => {
  await withFolder(async (folder) => {
    const cache = fitCache(folder), key = Uint8Array.of(1, 2), other = Uint8Array.of(3);
    const opened = async (name = "morphs", of = key) =>
      [...(await cache.parts!(name, of)).kept].sort(([a], [b]) => a - b);
    assertEquals(await opened(), []);
    const parts = await cache.parts!("morphs", key), bytes = Uint8Array.of(7, 8, 9);
    await parts.add(new Map([[4, bytes], [70_000, new Uint8Array()]]));
    await parts.add(new Map([[2, bytes.subarray(1)]]));
    for (const [name, of] of [["morphs", other], ["morphs-of-mine", key]] as const) {
      await (await cache.parts!(name, of)).add(new Map([[0, bytes]]));
    }
    const all: [number, Uint8Array][] = [[2, bytes.subarray(1)], [4, bytes], [70_000, new Uint8Array()]];
    assertEquals(await opened(), all);
    assertEquals(await cache.read("morphs", key), undefined, "not whole");
    await cache.write("morphs", key, bytes);
    assertEquals([await opened(), await cache.read("morphs", key)], [[], bytes]);
    assertEquals([await opened("morphs", other), await opened("morphs-of-mine")], [[[0, bytes]], [[0, bytes]]]);
  });
});

Deno.test("fit cache: a file of parts with a changed byte is left aside, and a cache that only reads keeps none", async () => {
  await withFolder(async (folder) => {
    const key = Uint8Array.of(1), part = new Map([[0, Uint8Array.of(5)]]);
    await (await fitCache(folder, true).parts!("morphs", key)).add(part);
    assertEquals(await Array.fromAsync(Deno.readDir(folder)), []);
    await (await fitCache(folder).parts!("morphs", key)).add(part);
    const [name] = await files(folder), file = `${folder}/${name}`, bytes = await Deno.readFile(file);
    assertEquals((await fitCache(folder, true).parts!("morphs", key)).kept, part);
    bytes[bytes.length - 1] ^= 1;
    await Deno.writeFile(file, bytes);
    assertEquals((await fitCache(folder).parts!("morphs", key)).kept.size, 0);
  });
});
