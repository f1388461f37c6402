import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { releaseProblems, VERSION_PLACES } from "../../../../hosts/deno/build/release.ts";
import { node } from "../../edge/runtimes.ts";
import { withFolder } from "../cli.ts";

import configuration from "../../../../deno.json" with { type: "json" };

const ROOT = fromFileUrl(new URL("../../../../", import.meta.url));

/** Files of a project that is ready to release a version. */
const ready = (version: string): Record<string, string> => ({
  "core/version.ts": `export const VERSION = "${version}";\n`,
  "CITATION.cff": `title: x\nversion: ${version}\ndate-released: 2026-11-21\n`,
  "README.md": `\`\`\`bibtex\n  version = {${version}},\n\`\`\`\n`,
  "CHANGELOG.md":
    `# Changelog\n\n## Unreleased\n\n## ${version} - 2026-12-01\n\n- New.\n\n## 0.1.0 - 2026-11-21\n\n- First.\n`,
});
const problems = (changed: Record<string, string> = {}) => {
  const files = { ...ready("0.2.0"), ...changed };
  return releaseProblems("0.2.0", (path) => files[path]);
};

Deno.test("releaseProblems: none where one version stands everywhere and the changelog describes it", () => {
  assertEquals(problems(), []);
  for (const [file] of VERSION_PLACES) {
    assertEquals(problems({ [file]: ready("0.1.0")[file] }), [
      `${file}: expected version 0.2.0 of deno.json, got 0.1.0`,
    ]);
    assertEquals(problems({ [file]: "" }).length, 1);
  }
  const changelog = ready("0.2.0")["CHANGELOG.md"];
  for (
    const [text, ...sentences] of [
      [changelog.replace("## 0.2.0", "## 0.3.0"), 'expected an entry "0.2.0 - YEAR-MONTH-DAY"'],
      [changelog.replace("- New.", ""), 'expected an entry "0.2.0 - YEAR-MONTH-DAY"'],
      [changelog.replace("2026-12-01", "soon"), 'expected a date as in "0.2.0 - 2026-11-21", got "0.2.0 - soon"'],
      [changelog.replace("Unreleased\n", "Unreleased\n\n- More.\n"), "expected nothing under Unreleased"],
      ["", 'expected an entry "0.2.0'],
    ]
  ) {
    const found = problems({ "CHANGELOG.md": text });
    assertEquals(found.length, sentences.length, text);
    sentences.forEach((sentence, i) => assertStringIncludes(found[i], sentence));
  }
});

Deno.test("release --dry-run: tarballs with checksums, and all publications rehearsed without a warning", {
  ignore: !await node(),
}, async () => {
  await withFolder(async (folder) => {
    const [, ...words] = configuration.tasks.release.command.split(" "), script = join(ROOT, words.pop()!);
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [...words, script, "--dry-run", "out/release"],
      cwd: folder,
      env: { NO_COLOR: "1" },
    }).output();
    const [printed, said] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    assertEquals([code, said], [0, ""], printed);
    const out = join(folder, "out/release"), sums: string[] = [];
    for (const name of ["patchloom-patchloom", "patchloom"]) {
      const tarball = `${name}-${configuration.version}.tgz`, bytes = await Deno.readFile(join(out, tarball));
      assertStringIncludes(printed, `npm publish --provenance --access public ./${tarball}`);
      sums.push(`${new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex()}  ${tarball}\n`);
      assert(bytes.length < 1e6, `${bytes.length}`); // users should not wait for it
    }
    assertEquals(await Deno.readTextFile(join(out, "SHA256SUMS")), sums.join(""));
  });
});
