import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { dirname, fromFileUrl, join } from "@std/path";
import plugin, { mayImport } from "./import_ladder.ts";

/** One file of each rung, and others beside it. */
const FILES = [
  "assembly/search.ts",
  "core/plan.ts",
  "core/testing/prior.ts",
  "priors/local_nn.ts",
  "priors/gmm.ts",
  "plugins/contexts/square.ts",
  "plugins/contexts/horizontal.ts",
  "plugins/metrics/spread.ts",
  "plugins/mod.ts",
  "datasets/profiles/digits.ts",
  "datasets/procedural/faces.ts",
  "mod.ts",
  "hosts/deno/main.ts",
  "hosts/edge/handler.ts",
  "hosts/web/page.ts",
];
const below = (...folders: string[]) => FILES.filter((file) => folders.some((folder) => file.startsWith(folder)));

/** Who may import what, beside itself: "assembly -> assembly; core -> core; priors -> core; ...". */
const MAY: Record<string, readonly string[]> = {
  "assembly/search.ts": below("assembly/"),
  "core/plan.ts": below("core/"),
  "core/testing/prior.ts": below("core/"),
  "priors/local_nn.ts": below("core/"),
  "priors/gmm.ts": below("core/"),
  "plugins/contexts/square.ts": below("core/"),
  "plugins/contexts/horizontal.ts": below("core/"),
  "plugins/metrics/spread.ts": below("core/"),
  "plugins/mod.ts": below("priors/", "plugins/", "core/"),
  "datasets/profiles/digits.ts": below("datasets/", "plugins/mod.ts", "core/"),
  "datasets/procedural/faces.ts": below("datasets/", "plugins/mod.ts", "core/"),
  "mod.ts": below("core/", "plugins/mod.ts", "datasets/"),
  "hosts/deno/main.ts": FILES.filter((file) => !file.startsWith("hosts/")),
  "hosts/edge/handler.ts": FILES.filter((file) => !file.startsWith("hosts/")),
  "hosts/web/page.ts": FILES.filter((file) => !file.startsWith("hosts/")),
};

for (const from of FILES) {
  Deno.test(`mayImport: ${from}`, () => {
    const others = FILES.filter((to) => to !== from);
    assertEquals(others.filter((to) => mayImport(from, to)), others.filter((to) => MAY[from].includes(to)));
    for (const to of ["tests/small_world.ts", "bench/throughput.ts"]) assert(!mayImport(from, to), to);
  });
}

Deno.test("mayImport: a host's own files; tests and benchmarks may import anything", () => {
  assert(mayImport("hosts/deno/main.ts", "hosts/deno/cli/flags.ts"));
  for (const from of ["tests/core/plan.test.ts", "bench/throughput.ts"]) {
    for (const to of FILES) assert(mayImport(from, to));
  }
  // A folder of plugins that is not there yet stands on the same rung.
  assertEquals(["core/plan.ts", "hosts/deno/main.ts"].map((to) => mayImport("plugins/filters/blur.ts", to)), [
    true,
    false,
  ]);
});

const root = fromFileUrl(new URL("../../", import.meta.url));
const report = (from: string, source: string) =>
  Deno.lint.runPlugin(plugin, join(root, from), source).map(({ id, message, range }) => ({ id, message, range }));

Deno.test("import-ladder: reports imports, exports and dynamic imports, of types too, in a sentence", () => {
  const forbidden = [
    'import { main } from "../hosts/deno/main.ts";',
    'import type { Flags } from "../hosts/deno/main.ts";',
    'import "../hosts/deno/main.ts";',
    'export { main } from "../hosts/deno/main.ts";',
    'export * from "../hosts/deno/main.ts";',
    'await import("../hosts/deno/main.ts");',
  ];
  for (const source of forbidden) {
    const [first, ...more] = report("core/x.ts", source);
    assertEquals([first.id, more.length], ["patchloom/import-ladder", 0], source);
    assertEquals(first.message, "core/x.ts must not import hosts/deno/main.ts (see the ladder)");
  }
  assertEquals(report("core/x.ts", forbidden.join("\n")).length, forbidden.length);
});

Deno.test("import-ladder: lets pass what the ladder allows, packages, and exports of a file's own", () => {
  const allowed = [
    'import { plan } from "./plan.ts";',
    'import { check } from "./testing/prior.ts";',
    'import { Matrix } from "ml-matrix";',
    'import { assert } from "@std/assert";',
    "export const a = 1;",
    "const b = 2; export { b };",
    "const c = './x.ts'; await import(c);",
  ];
  for (const source of allowed) assertEquals(report("core/x.ts", source), [], source);
  assertEquals(report("tests/core/x.test.ts", 'import "../../hosts/deno/main.ts";'), []);
});

Deno.test("import-ladder: `deno lint` finds a violation in a project that is laid out like this one", async () => {
  const copy = await Deno.makeTempDir();
  const write = async (path: string, text: string) => {
    await Deno.mkdir(dirname(join(copy, path)), { recursive: true });
    await Deno.writeTextFile(join(copy, path), text);
  };
  try {
    await write("tests/lint/import_ladder.ts", await Deno.readTextFile(join(root, "tests/lint/import_ladder.ts")));
    const { lint } = JSON.parse(await Deno.readTextFile(join(root, "deno.json")));
    await write("deno.json", JSON.stringify({ lint }));
    await write("core/good.ts", 'export * from "./other.ts";\n');
    await write("core/other.ts", "export const one = 1;\n");
    await write("priors/gmm.ts", 'export * from "../core/good.ts";\n');
    const run = () => new Deno.Command(Deno.execPath(), { args: ["lint"], cwd: copy, env: { NO_COLOR: "1" } }).output();
    const clean = await run(), said = ({ stderr }: Deno.CommandOutput) => new TextDecoder().decode(stderr);
    assertEquals(clean.code, 0, said(clean));
    await write("priors/local_nn.ts", 'export * from "./gmm.ts";\n');
    const found = await run();
    assertEquals(found.code, 1);
    assertStringIncludes(
      said(found),
      "error[patchloom/import-ladder]: priors/local_nn.ts must not import priors/gmm.ts",
    );
    assertEquals(said(found).split("error[").length, 2);
  } finally {
    await Deno.remove(copy, { recursive: true });
  }
});
