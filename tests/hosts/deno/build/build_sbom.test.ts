import { assert, assertEquals } from "@std/assert";
import { LOCKS, type PackageLock, sbomOf } from "../../../../hosts/deno/build/build_sbom.ts";

const ROOT = new URL("../../../../", import.meta.url);

Deno.test("sbomOf: every package of the lock files, once, with its checksum", async () => {
  const locks: PackageLock[] = await Promise.all(
    LOCKS.map(async (path) => JSON.parse(await Deno.readTextFile(new URL(path, ROOT)))),
  );
  const { components } = sbomOf(locks) as { components: { purl: string; hashes?: { content: string }[] }[] };
  const purls = components.map(({ purl }) => purl);
  assertEquals(new Set(purls).size, purls.length);
  for (const purl of ["pkg:npm/hyparquet@1.31.5", "pkg:npm/%40cwasm/webp@0.1.5", "pkg:npm/assemblyscript@0.28.20"]) {
    assert(purls.includes(purl), purl);
  }
  for (const { purl, hashes } of components) assertEquals(hashes?.[0].content.length, 128, purl);
});

Deno.test("sbomOf: a package that is used with others is named without them", () => {
  const integrity = `sha512-${new Uint8Array(64).fill(1).toBase64()}`;
  const document = sbomOf([{ npm: { "@a/b@1.2.3_c@4.0.0": { integrity }, "c@4.0.0": {} } }]);
  assertEquals((document as { components: unknown }).components, [
    {
      type: "library",
      "bom-ref": "pkg:npm/%40a/b@1.2.3",
      name: "@a/b",
      version: "1.2.3",
      purl: "pkg:npm/%40a/b@1.2.3",
      hashes: [{ alg: "SHA-512", content: "01".repeat(64) }],
    },
    { type: "library", "bom-ref": "pkg:npm/c@4.0.0", name: "c", version: "4.0.0", purl: "pkg:npm/c@4.0.0" },
  ]);
});

/** A commit, which a tag could be moved from. */
const PINNED = /^\s*(?:- )?uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;

Deno.test("workflows: every action is named by its commit, with the version beside it", async () => {
  const folder = new URL(".github/workflows/", ROOT);
  for (const { name } of Deno.readDirSync(folder)) {
    const lines = (await Deno.readTextFile(new URL(name, folder))).split("\n").filter((line) => /\buses:/.test(line));
    assert(lines.length > 0, name);
    for (const line of lines) assert(PINNED.test(line), `${name}: ${line}`);
  }
});
