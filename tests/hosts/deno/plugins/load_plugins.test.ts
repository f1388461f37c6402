import { assert, assertEquals, assertNotEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { join, toFileUrl } from "@std/path";
import { builtins } from "../../../../plugins/mod.ts";
import { codeHash } from "../../../../hosts/deno/plugins/plugin_code.ts";
import { pluginsOf } from "../../../../hosts/deno/plugins/load_plugins.ts";
import { assertSentence, assertSentences, cli, inSessions, readResult, start, withFolder, type Wrong } from "../cli.ts";
import { priorSource, withSources } from "./plugin_sources.ts";

const run = inSessions("synth", "restore", "assess");
const ring = (name: string) => ({ api: 1, kind: "context", name, about: "", options: {}, create: () => ({}) });

Deno.test("pluginsOf: the default export, one or a list; without one all exports that are plugins", () => {
  const named = (module: Record<string, unknown>) => pluginsOf(module, "./x.ts").map(({ name, from }) => [name, from]);
  const all = [["a", "./x.ts"], ["b", "./x.ts"]];
  assertEquals(named({ default: ring("a"), b: ring("b") }), [["a", "./x.ts"]]);
  assertEquals(named({ default: [ring("a"), ring("b")] }), all);
  assertEquals(named({ a: ring("a"), b: ring("b"), helper: () => 1, table: { kind: 1 } }), all);
  const wrong: [Record<string, unknown>, string][] = [
    [{}, "expected a plugin as its default export, or exports that are plugins, got nothing"],
    [{ helper: 1, other: 2 }, "or exports that are plugins, got helper, other"],
    [{ default: [] }, "or exports that are plugins, got default"],
    [
      { default: 7, a: ring("a") },
      "Cannot use the plugin ./x.ts: expected a plugin, an object with api, kind, name, about, options and create, got 7",
    ],
    [
      { default: [ring("a"), null] },
      "Cannot use the plugin ./x.ts: expected a plugin, an object with api, kind, name, about, options and create, got null",
    ],
    [{ default: { ...ring("a"), api: 3 } }, 'Cannot use the plugin ./x.ts, "a": expected api 1, got 3'],
  ];
  for (const [module, sentence] of wrong) assertThrows(() => pluginsOf(module, "./x.ts"), Error, sentence);
});

Deno.test("pluginsOf: of all built-in plugins, every entry is there", () => {
  for (const plugin of builtins.plugins) {
    const [loaded] = pluginsOf({ default: plugin }, "./own.ts");
    assertEquals(loaded, { ...plugin, from: "./own.ts" });
  }
});

Deno.test("synth --plugin: a prior from a file is loaded, printed and used, the same bytes on any threads", async () => {
  await withFolder(async (folder) => {
    const synth = await withSources(folder, { "plain.ts": priorSource("plain") });
    const words = [...synth, "--plugin", "./plain.ts", "--prior", "plain", "--context", "none"];
    const { code, stderr } = await cli([...words, "--threads", "1"], { cwd: folder });
    assertEquals([code, stderr.split("\n")[0]], [0, 'Plugin: prior "plain" of ./plain.ts'], stderr);
    const one = await readResult(join(folder, "out")), url = toFileUrl(join(folder, "plain.ts")).href;
    const sha256 = await codeHash({ url });
    assertEquals([one.run.prior, one.run.plugins], [
      { name: "plain", first: 8 },
      [{ kind: "prior", name: "plain", from: "./plain.ts", sha256, sandbox: false }],
    ]);
    const absolute = [...synth, "--plugin", join(folder, "plain.ts"), "--prior", "plain", "--context", "none"];
    for (const more of [["--threads", "2"], ["--threads", "1", "--sandbox"]]) {
      const ran = await run([...absolute, "--quiet", ...more], { cwd: folder });
      assertEquals(ran, { code: 0, stdout: "", stderr: "" });
      assertEquals((await readResult(join(folder, "out"))).pixels, one.pixels, more.join(" "));
    }
    const idle = await run([...synth, "--plugin", "./plain.ts", "--set", "prior.neighbours=3"], { cwd: folder });
    assertStringIncludes(idle.stderr, 'The prior "plain" is loaded but not used (add --prior plain)');
    assertEquals((await run([...words, "--quiet"], { cwd: folder })).code, 0);
    await Deno.writeTextFile(join(folder, "plain.ts"), priorSource("plain", { before: "// another one" }));
    const again = ["synth", "--run", "out", "--plugin", "./plain.ts", "--out", "again", "--quiet"];
    const changed = "Cannot repeat the run: the code of prior plain differs";
    assertSentence(await cli(again, { cwd: folder }), 1, changed, sha256.slice(0, 12));
  });
});

Deno.test("synth --plugin: what cannot be loaded or used is one sentence that names the specifier, and why", async () => {
  await withFolder(async (folder) => {
    const faults: [source: string, code: number, sentence: string, more?: string[]][] = [
      ["export default {", 1, "Cannot load the plugin ./x.ts: syntax error: ", ["--sandbox"]],
      [
        'import "./gone.ts";',
        1,
        `Cannot load the plugin ./x.ts: it imports ${join(folder, "gone.ts")}, which is not there`,
      ],
      ['throw new Error("no licence");', 1, "Cannot load the plugin ./x.ts: no licence (line 1)"],
      ["export const helper = 1;", 1, "Cannot use the plugin ./x.ts: expected a plugin as its default export"],
      [
        priorSource("x", { entries: 'kind: "filter"' }),
        1,
        '"x": expected kind "prior" or "context" or "metric" or "denoiser", got "filter"',
      ],
      [priorSource("x", { entries: "api: 2" }), 1, 'Cannot use the plugin ./x.ts, "x": expected api 1, got 2', [
        "--sandbox",
      ]],
      [
        priorSource("x", { entries: "options: { far: 5 }" }),
        1,
        'expected option "far" to be an object with default and about',
      ],
      [priorSource("local-nn"), 1, 'Cannot register prior "local-nn" of ./x.ts: there is already one of that name'],
      [priorSource("x"), 2, 'prior "x" of ./x.ts has no option "frist"; nearest: "first"', [
        "--prior",
        "x",
        "--set",
        "prior.frist=1",
      ]],
      [priorSource("x"), 2, 'Cannot set "first" on prior "x" of ./x.ts: expected an integer >= 1', [
        "--prior",
        "x",
        "--set",
        "prior.first=0",
      ]],
      [priorSource("x"), 2, 'There is no prior "y" (valid: ', ["--prior", "y"]],
      [priorSource("x", { create: 'throw new Error("no");' }), 1, 'prior "x" of ./x.ts failed in create: no', [
        "--prior",
        "x",
      ]],
      [
        priorSource("x", { fit: "nothing.at.all;" }),
        1,
        'prior "x" of ./x.ts failed in fit, layer 0: nothing is not defined',
        [
          "--prior",
          "x",
        ],
      ],
      [
        priorSource("x", { draw: 'if (at.x > 8) throw new Error("tired");' }),
        1,
        'prior "x" of ./x.ts failed in draw at (10, 0), layer 1: tired',
        ["--prior", "x", "--threads", "1"],
      ],
      [
        priorSource("x", { draw: "out.patches[3] = Infinity;" }),
        1,
        'prior "x" of ./x.ts drew Infinity in draw at (0, 0), layer 2: expected numbers in [0, 1]',
        ["--prior", "x", "--threads", "1"],
      ],
      [
        priorSource("x", { draw: "out.patches[3] = 1e308;" }),
        1,
        'prior "x" of ./x.ts drew Infinity in draw at (0, 0), layer 2: expected numbers in [0, 1]',
        ["--prior", "x", "--threads", "1"],
      ],
      [
        priorSource("x", { draw: "out.patches[3] = -2;" }),
        1,
        'prior "x" of ./x.ts drew -2 in draw at (0, 0), layer 2: expected numbers in [0, 1]',
        ["--prior", "x", "--threads", "1"],
      ],
      [
        priorSource("x", { draw: "out.sources[1] = 99;" }),
        1,
        'prior "x" of ./x.ts named a wrong source in draw at (0, 0), layer 2: expected -1 or (image, y, x) below (',
        ["--prior", "x", "--threads", "1"],
      ],
      [
        priorSource("x", { draw: "out.sources[0] = -2;" }),
        1,
        'prior "x" of ./x.ts named a wrong source in draw at (0, 0), layer 2: expected -1 or (image, y, x) below (',
        ["--prior", "x", "--threads", "1"],
      ],
      [priorSource("x", { draw: "out.sources.fill(-1);" }), 1, 'prior "x" of ./x.ts copied a patch in draw at (', [
        "--prior",
        "x",
        "--threads",
        "1",
      ]],
      [
        priorSource("x", {
          draw: "kernels.f32(out.patches.byteOffset, out.patches.length + 1)[out.patches.length] = 0;",
        }),
        1,
        'prior "x" of ./x.ts wrote beside the arrays that it was given in draw at (0, 0), layer 2',
        ["--prior", "x", "--threads", "1"],
      ],
      [
        priorSource("x", { draw: "kernels.f32(measurements.patches.byteOffset - 4, 1)[0] = 0;" }),
        1,
        'prior "x" of ./x.ts wrote beside the arrays that it was given in draw at (0, 0), layer 2',
        ["--prior", "x", "--threads", "1"],
      ],
      [
        priorSource("x", { draw: "kernels.u8(hr.at, 1)[0] ^= 1;" }),
        1,
        'prior "x" of ./x.ts changed the training images, which all images are made from',
        ["--prior", "x", "--threads", "1"],
      ],
      [
        priorSource("x", { draw: "out.patches[3] = NaN;" }),
        1,
        'prior "x" of ./x.ts left a patch unfilled or not a number in draw at (0, 0), layer 2',
        ["--prior", "x", "--sandbox"],
      ],
    ];
    const synth = await withSources(folder, {}), wrong: Wrong[] = [];
    for (const [n, [source, code, sentence, more = []]] of faults.entries()) {
      await Deno.writeTextFile(join(folder, `x${n}.ts`), source);
      const words = [...synth, "--quiet", "--plugin", `./x${n}.ts`, ...more];
      wrong.push([words, code, sentence.replace("./x.ts", `./x${n}.ts`)]);
    }
    const specifiers: [string, number, string][] = [
      [
        "./none.ts",
        1,
        `Cannot load the plugin ./none.ts: there is no file ${join(await Deno.realPath(folder), "none.ts")}`,
      ],
      ["x.ts", 2, "Cannot use --plugin x.ts: expected a path such as ./x.ts"],
      [
        "https://example.com/x.ts",
        1,
        "x.ts: Deno imports from example.com only where the task is run by deno run --allow-import=example.com (docs/pl",
      ],
      // Of the packages that are here already, one that is no plugin.
      ["npm:fast-check@4.10.2", 1, "npm:fast-check@4.10.2: expected a plugin, an object with api"],
    ];
    for (const [specifier, code, sentence] of specifiers) {
      wrong.push([[...synth, "--quiet", "--plugin", specifier], code, sentence]);
    }
    await assertSentences(wrong, { cwd: folder });
  });
});

Deno.test("synth --plugin --debug: the plugin's own error is shown as the cause, from a worker too", async () => {
  await withFolder(async (folder) => {
    const source = priorSource("x", { draw: 'throw new RangeError("tired", { cause: new Error("no sleep") });' });
    const synth = await withSources(folder, { "x.ts": source });
    for (const more of [["--threads", "1"], ["--threads", "2"], ["--sandbox"]]) {
      const words = [...synth, "--quiet", "--plugin", "./x.ts", "--prior", "x", "--debug", ...more];
      const { code, stderr } = await cli(words, { cwd: folder });
      assertEquals(code, 1);
      for (const text of ["failed in draw at (0, 0), layer 2: tired", "RangeError: tired", "no sleep", "x.ts:"]) {
        assertStringIncludes(stderr, text, more.join(" "));
      }
    }
  });
});

Deno.test("synth --plugin: a prior that is fitted in parts, on any threads; a change of its code is seen", async () => {
  await withFolder(async (folder) => {
    // Each layer is filled with the sum of its parts.
    const source = (part: string) =>
      `const load = (layer, parts) => ({
        draw: (at, measurements, step, random, out) => void out.patches.fill(parts.reduce((sum, [part]) => sum + part, 0) / 100),
      });
      const fit = (layer, part) => new Uint8Array([${part}]);
      export default {
        api: 1, kind: "prior", name: "parted", about: "fitted in parts", options: {},
        create: () => ({ parts: { count: () => 3, fit, load }, fit: () => { throw new Error("not in parts"); } }),
      };`;
    const synth = await withSources(folder, {}), env = { XDG_CACHE_HOME: join(folder, "cache") };
    const pixels = async (part: string, ...more: string[]) => {
      await Deno.writeTextFile(join(folder, "parted.js"), source(part));
      const words = [...synth, "--quiet", "--plugin", "./parted.js", "--prior", "parted", ...more];
      assertEquals(await cli(words, { cwd: folder, env }), { code: 0, stdout: "", stderr: "" });
      return (await readResult(join(folder, "out"))).pixels;
    };
    const one = await pixels("10 * part", "--threads", "1");
    assertEquals(await pixels("10 * part", "--threads", "2", "--sandbox"), one);
    assertNotEquals(await pixels("20 * part", "--threads", "1"), one);
  });
});

Deno.test("restore --plugin: a prior from a file restores, in a sandbox with the same bytes", async () => {
  await withFolder(async (folder) => {
    await withSources(folder, { "plain.ts": priorSource("plain") });
    const words = ["restore", "--profile", "digits", "--task", "superres", "--data", "data", "--count", "2", "--json"];
    const restored = async (...more: string[]) => {
      const ran = await run([...words, "--plugin", "./plain.ts", "--prior", "plain", ...more], { cwd: folder });
      assertEquals(ran.code, 0, ran.stderr);
      assert(ran.stderr.startsWith('Plugin: prior "plain" of ./plain.ts'), ran.stderr);
      return await Deno.readFile(join(folder, "out/restore-superres/images/0000.png"));
    };
    assertEquals(await restored("--threads", "1"), await restored("--sandbox"));
  });
});

Deno.test("assess --plugin: a metric from a file is measured, set and blamed", async () => {
  await withFolder(async (folder) => {
    const metric = (measure: string) =>
      `export const mean = {
      api: 1, kind: "metric", name: "mean-grey", about: "how bright", options: { from: { default: 0, about: "less that" } },
      create: ({ from }) => ({ separable: true, measure({ generated: { at, count, width, height }, kernels }) {
        ${measure}
        const pixels = kernels.u8(at, count * width * height), values = new Float64Array(count);
        pixels.forEach((value, p) => values[Math.floor(p / (width * height))] += value / (width * height));
        return { values: values.map((value) => value - from), of: "generated", series: {}, settings: { from }, warnings: [] };
      } }),
    };`;
    const every = metric("").replace("mean-grey", "constructor"); // as what every object has
    await withSources(folder, { "mean.ts": metric(""), "broken.ts": metric("nothing.at.all;"), "every.ts": every });
    const assess = ["assess", "--profile", "digits", "--data", "data", "--images", "data/t10k-images-idx3-ubyte"];
    const words = [...assess, "--metric", "mean-grey", "--json", "--quiet", "--class", "all", "--plugin"];
    const score = async (...more: string[]) => {
      const { code, stdout, stderr } = await run([...words, ...more], { cwd: folder });
      assertEquals([code, stderr], [0, ""]);
      return JSON.parse(stdout).scores[0].score;
    };
    const plain = await score("./mean.ts");
    assert(plain > 5 && plain < 250, String(plain));
    assertEquals(await score("./mean.ts", "--sandbox"), plain);
    assertEquals(Math.round(1e6 * (plain - await score("./mean.ts", "--set", "mean-grey.from=5"))), 5e6);
    const called = words.with(words.indexOf("mean-grey"), "constructor");
    const named = await run([...called, "./every.ts", "--sandbox"], { cwd: folder });
    assertEquals([named.code, JSON.parse(named.stdout || "{}").scores?.[0].score], [0, plain], named.stderr);
    const broken = await run([...words, "./broken.ts"], { cwd: folder });
    assertSentence(broken, 1, 'metric "mean-grey" of ./broken.ts failed in measure: nothing is not defined');
  });
});

Deno.test("synth: a file of a plugin that is changed while the command runs ends it, and the run is not whole", async () => {
  await withFolder(async (folder) => {
    const file = join(folder, "weight.txt"), out = join(folder, "out");
    // It waits until the file has another text.
    const draw =
      'for (let n = 0; n < 1e6; n++) if (Deno.readTextFileSync(new URL("./weight.txt", import.meta.url)) !== "1") break;';
    const synth = await withSources(folder, { "x.ts": priorSource("x", { draw }), "weight.txt": "1" });
    const words = [...synth, "--plugin", "./x.ts", "--prior", "x"];
    for (const more of [[], ["--sandbox"], ["--sandbox", "--part", "1", "--format", "idx"]]) {
      await Deno.writeTextFile(file, "1");
      const child = start([...words, ...more], { cwd: folder }), reader = child.stderr.getReader();
      let stderr = "";
      for (let isOpened = false;;) {
        const { value, done } = await reader.read();
        if (done) break;
        stderr += new TextDecoder().decode(value);
        if (!isOpened && (isOpened = stderr.includes("Plugin: "))) await Deno.writeTextFile(file, "2");
      }
      assertEquals((await child.status).code, 1, stderr);
      const sentence = `Cannot go on: the plugin file ${await Deno.realPath(file)} was changed while the command ran`;
      assertEquals(stderr.trim().split("\n").at(-1), sentence);
      await child.stdout.cancel();
      await Deno.writeTextFile(file, "1");
      assertEquals((await cli(["verify", out])).code, 1);
    }
  });
});
