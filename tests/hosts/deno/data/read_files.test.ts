import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { sha256, sha256OfPieces } from "../../../../hosts/deno/system/hashes.ts";
import { readFile, readOnce } from "../../../../hosts/deno/data/read_files.ts";
import { withFolder } from "../with_folder.ts";

Deno.test("readOnce: the bytes of a file, of one that has become shorter those that are left", async () => {
  await withFolder(async (folder) => {
    const path = join(folder, "file"), bytes = Uint8Array.from({ length: 100_000 }, (_, i) => i % 251);
    await Deno.writeFile(path, bytes);
    assertEquals(await readOnce(path, bytes.length), bytes);
    assertEquals(await readOnce(path, bytes.length + 10), bytes);
    assertEquals(await readOnce(path, 10), bytes.subarray(0, 10));
  });
});

Deno.test("sha256: large data is hashed in steps, to the same sum", async () => {
  const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i % 251);
  for (const step of [1, 7, 1000, 2000]) assertEquals(await sha256OfPieces(bytes, step), await sha256(bytes));
  assertEquals(await sha256OfPieces(new Uint8Array(), 5), await sha256(new Uint8Array()));
});

Deno.test("readFile: a file that another program changes while it is read is one sentence, never a mix", async () => {
  await withFolder(async (folder) => {
    const path = join(folder, "data.idx"), before = new Uint8Array(1000).fill(1);
    const changes: [what: string, change: () => void][] = [
      ["written over", () => Deno.writeFileSync(path, new Uint8Array(1000).fill(2))],
      ["longer", () => Deno.writeFileSync(path, Uint8Array.of(3), { append: true })],
      ["cut off", () => Deno.truncateSync(path, 500)],
      ["replaced", () => {
        Deno.writeFileSync(`${path}.new`, new Uint8Array(1000).fill(4));
        Deno.renameSync(`${path}.new`, path);
      }],
    ];
    for (const [what, change] of changes) {
      await Deno.writeFile(path, before);
      await Deno.utime(path, 1000, 1000);
      const changed = async () => {
        const half = (await Deno.readFile(path)).slice(0, 500);
        change();
        return new Uint8Array([...half, ...(await Deno.readFile(path)).subarray(500)]);
      };
      const sentence = `Cannot read the data: another program changed it meanwhile`;
      await assertRejects(() => readFile(path, "the data", changed), Error, sentence, what);
    }
    await Deno.writeFile(path, before);
    assertEquals(await readFile(path), before);
    await Deno.remove(path);
    await assertRejects(() => readFile(path, "the data"), Error, "Cannot read the data: ");
  });
});
