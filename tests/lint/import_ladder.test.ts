import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { dirname, fromFileUrl, join } from "@std/path";
import plugin, { circle, importedBy, mayImport } from "./import_ladder.ts";

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
  "pipelines/quilting/quilt.ts",
  "mod.ts",
  "hosts/deno/main.ts",
  "hosts/deno/system/hashes.ts",
  "hosts/deno/folders/out_folder.ts",
  "hosts/deno/runs/synthesize.ts",
  "hosts/deno/queue/work.ts",
  "hosts/deno/commands/data.ts",
  "hosts/deno/commands/pack.ts",
  "hosts/edge/handler.ts",
  "hosts/web/page.ts",
];
const below = (...folders: string[]) => FILES.filter((file) => folders.some((folder) => file.startsWith(folder)));

const isBelowHosts = (file: string) => !file.startsWith("hosts/");

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
  "pipelines/quilting/quilt.ts": below("datasets/", "plugins/", "core/"),
  "mod.ts": below("core/", "plugins/mod.ts", "datasets/", "pipelines/"),
  "hosts/deno/main.ts": FILES.filter((file) => !/^hosts\/(edge|web)\//.test(file)),
  "hosts/deno/system/hashes.ts": [],
  "hosts/deno/folders/out_folder.ts": [...FILES.filter(isBelowHosts), ...below("hosts/deno/system/")],
  "hosts/deno/runs/synthesize.ts": [
    ...FILES.filter(isBelowHosts),
    ...below("hosts/deno/system/", "hosts/deno/folders/"),
  ],
  "hosts/deno/queue/work.ts": [
    ...FILES.filter(isBelowHosts),
    ...below("hosts/deno/system/", "hosts/deno/folders/", "hosts/deno/runs/"),
  ],
  "hosts/deno/commands/data.ts": [
    ...FILES.filter(isBelowHosts),
    ...below("hosts/deno/system/", "hosts/deno/folders/", "hosts/deno/runs/", "hosts/deno/queue/"),
  ],
  "hosts/deno/commands/pack.ts": [
    ...FILES.filter(isBelowHosts),
    ...below("hosts/deno/system/", "hosts/deno/folders/", "hosts/deno/runs/", "hosts/deno/queue/"),
  ],
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

Deno.test("mayImport: every room of the Deno host has a place in the ladder, and every place is a room", async () => {
  const host = new URL("../../hosts/deno/", import.meta.url), rooms: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(host)) if (isDirectory) rooms.push(name);
  const file = (room: string) => `hosts/deno/${room}/x.ts`;
  for (const room of rooms.filter((name) => name !== "templates")) {
    // A room that has no place may import none, not even the ground floor.
    assert(room === "system" || mayImport(file(room), file("system")), room);
    for (const other of rooms.filter((name) => name !== room)) {
      assert(!mayImport(file(room), file(other)) || !mayImport(file(other), file(room)), `${room} and ${other}`);
    }
  }
  assert(!mayImport(file("lobby"), file("system")));
});

Deno.test("mayImport: a host's own files; tests and benchmarks may import anything", () => {
  assert(mayImport("hosts/deno/main.ts", "hosts/deno/commands/flags/flags.ts"));
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

Deno.test("importedBy: static and dynamic imports and exports, types too, but no packages, comments or texts", () => {
  const source = `
import { a } from "./a.ts";
import type { B } from "./b.ts";
import {
  c,
  type C,
} from "../c.ts";
import "./d.ts";
export * from "./e.ts";
export type { F } from "./f.ts";
const g = await import("./g.ts");
type H = import("./h.ts").H;
import { x } from "@std/assert";
/**
 * import { x } from "./comment.ts";
 * {@link import("./comment.ts")}
 */
// import("./comment.ts")
const text = 'import "./text.ts";';
new Worker(new URL("./worker.ts", import.meta.url));
`;
  const files = ["./a.ts", "./b.ts", "../c.ts", "./d.ts", "./e.ts", "./f.ts", "./g.ts", "./h.ts"];
  assertEquals(importedBy(source), files);
});

Deno.test("circle: the shortest way back to a file, of one file, two or more; none where nothing leads back", () => {
  const graph: Record<string, string[]> = {
    a: ["b", "e"],
    b: ["c", "d"],
    c: ["d"],
    d: ["a"],
    e: ["f"],
    f: ["g", "e"],
    g: ["g"],
    h: ["a"],
  };
  const way = (from: string, to: string) => circle(from, to, (file) => graph[file] ?? [])?.join(" ");
  assertEquals(way("a", "b"), "a b d a");
  assertEquals(way("b", "c"), "b c d a b");
  assertEquals(way("e", "f"), "e f e");
  assertEquals(way("g", "g"), "g g");
  // From these a circle can be reached, but none leads back to them.
  assertEquals([way("h", "a"), way("a", "e"), way("f", "g"), way("a", "missing")], Array(4).fill(undefined));
});

Deno.test("import-ladder: `deno lint` finds a violation in a project that is laid out like this one", async () => {
  const copy = await Deno.makeTempDir();
  const write = async (path: string, text: string) => {
    await Deno.mkdir(dirname(join(copy, path)), { recursive: true });
    await Deno.writeTextFile(join(copy, path), text);
  };
  try {
    const { lint } = JSON.parse(await Deno.readTextFile(join(root, "deno.json")));
    for (const file of lint.plugins) await write(file, await Deno.readTextFile(join(root, file)));
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
    await Deno.remove(join(copy, "priors/local_nn.ts"));
    // Three files in a circle, one of its imports for a type alone.
    await write("core/good.ts", 'export * from "./other.ts";\nexport const two = 2;\n');
    await write("core/other.ts", 'import type { Three } from "./third.ts";\nexport const one: Three = 1;\n');
    await write("core/third.ts", 'export type Three = number;\nexport { two } from "./good.ts";\n');
    const circles = await run();
    assertEquals(circles.code, 1);
    for (const start of ["good.ts -> core/other.ts -> core/third.ts", "other.ts -> core/third.ts -> core/good.ts"]) {
      const message = `core/${start} -> core/${start.split(" ")[0]} is a circle`;
      assertStringIncludes(said(circles), `error[patchloom/no-import-circles]: ${message}`);
    }
    assertEquals(said(circles).split("error[").length, 4);
  } finally {
    await Deno.remove(copy, { recursive: true });
  }
});
