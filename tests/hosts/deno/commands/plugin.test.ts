import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { COMMAND } from "../../../../hosts/deno/commands/plugin.ts";
import { builtins } from "../../../../plugins/mod.ts";
import { assertSentence, assertSentences, cli, files, inSessions, taskWords, withFolder } from "../cli.ts";
import { contextSource, priorSource, withSources } from "../plugins/plugin_sources.ts";

const run = inSessions("plugin", "synth", "assess");
const NEW = [["prior", "wobble", "wobble"], ["context", "far-ring", "far_ring"], ["metric", "class", "class"], [
  "denoiser",
  "haze",
  "haze",
]] as const;

Deno.test("plugin new: what it writes passes its checks, its own test and the type check, and is used as it says", async (t) => {
  await withFolder(async (all) => {
    const map = fromFileUrl(new URL("../../../../deno.json", import.meta.url));
    const inFolder = async (folder: string, ...args: string[]) => {
      const ran = await new Deno.Command(Deno.execPath(), { args, cwd: folder, env: { NO_COLOR: "1" } }).output();
      const [text, errors] = [ran.stdout, ran.stderr].map((bytes) => new TextDecoder().decode(bytes));
      assertEquals(ran.code, 0, text + errors);
      return text;
    };
    for (const [kind, name, file] of NEW) {
      await t.step(kind, async () => {
        const folder = join(all, kind);
        await Deno.mkdir(folder);
        const ran = await run(["plugin", "new", kind, name], { cwd: folder });
        assertEquals(ran.code, 0, ran.stderr + ran.stdout);
        assertMatch(ran.stdout, /^\d+ checks, all passed\. Use it:\n/);
        const written = [`${file}.test.ts`, `${file}.ts`, "README.md", "deno.json"].map((own) => `${name}/${own}`)
          .sort();
        assertEquals(await files(folder), written);
        // In its own folder, as its author would; three lines.
        const test = await Deno.readTextFile(join(folder, name, `${file}.test.ts`));
        assertEquals(test.trimEnd().split("\n").length, 3);
        const args = ["test", "--quiet", "--no-check", "--no-prompt", "--allow-read", "--import-map", map];
        assertMatch(await inFolder(join(folder, name), ...args), /ok \| \d+ passed \| 0 failed/);
        assertEquals(await files(folder), written, "no lock file either");

        // It can be published, and nothing of this machine is in it.
        const { name: scoped, version, license, exports } = JSON.parse(
          await Deno.readTextFile(join(folder, name, "deno.json")),
        );
        assertEquals([scoped, version, license, exports], [`@your-scope/${name}`, "0.1.0", "MIT", `./${file}.ts`]);
        for (const path of written) {
          const text = await Deno.readTextFile(join(folder, path));
          assert(!text.includes(folder) && !text.includes(Deno.cwd()), text);
        }

        // The command that it printed, on small data.
        const [, words] = /^ {2}deno task (.+)$/m.exec(ran.stdout)!, synth = await withSources(folder, {});
        const more = kind === "metric" ? ["--data", "data", "--class", "1"] : synth.slice(3);
        if (kind === "metric") {
          assertEquals((await run([...synth.slice(0, -1), "out/digits"], { cwd: folder })).code, 0);
        }
        const used = await cli([...words.split(" "), ...more], { cwd: folder });
        assertEquals(used.code, 0, used.stderr);
        assertStringIncludes(used.stderr, `Plugin: ${kind} "${name}" of ./${name}/${file}.ts\n`);

        // Its folder stands for its file, and the output names the file: the same for every kind.
        if (kind === "context") {
          const whole = await run([...words.replace(`/${file}.ts`, "/").split(" "), ...more], { cwd: folder });
          assertEquals([whole.code, whole.stderr.split("\n")[0]], [0, used.stderr.split("\n")[0]], whole.stderr);
        }

        const again = await run(["plugin", "new", kind, name], { cwd: folder });
        assertSentence(again, 1, `Cannot write a new ${kind}: ${name}/${file}.ts is there already`);
      });
    }
    // The types of all at once: those of the library take long.
    const [[, first]] = NEW,
      paths = NEW.flatMap(([kind, name, file]) =>
        [file, `${file}.test`].map((own) => {
          return join(all, kind, name, `${own}.ts`);
        })
      );
    await t.step("types", async () => {
      await inFolder(join(all, "prior", first), "check", "--quiet", "--import-map", map, ...paths);
    });
  });
});

Deno.test("plugin new: wrong words write nothing, nor does a folder that holds one of the files", async () => {
  await withFolder(async (folder) => {
    const wrong: [string, string][] = [
      ["new", "plugin new needs a kind (prior, context, metric, denoiser) and a name"],
      ["new prior", "plugin new needs a kind"],
      ["new prior a b", "plugin new needs a kind"],
      ["new priors wobble", 'There is no kind of plugin "priors"; nearest: "prior"'],
      ["new prior Wobble", 'Cannot name a plugin "Wobble": expected a name of lower case words joined by hyphens'],
      ["new context none", 'but not "all" or "none"'],
      ["new prior ../wobble", "Cannot name a plugin"],
      ["new prior local-nn", 'Cannot name a plugin "local-nn": there is already a prior of that name'],
      ["new prior wobble --fir x", "plugin new has no flag --fir"],
      ["nwe prior wobble", 'There is no command "plugin nwe"; nearest: "new"'],
      ["check", "plugin check needs plugins"],
      ["check ./x.ts --unchanged far", "Cannot use --unchanged far: expected OPTION=REASON"],
      ["check wobble", "Cannot use plugin check wobble: expected a path such as ./wobble"],
      ["list --plugin wobble", "Cannot use --plugin wobble: expected a path such as ./wobble"],
      ["list wobble", 'plugin list takes flags only, got "wobble"'],
    ];
    await assertSentences(wrong.map(([words, sentence]) => [["plugin", ...words.split(" ")], 2, sentence]), {
      cwd: folder,
    });
    await Deno.writeTextFile(join(folder, "README.md"), "mine");
    const ran = await run(["plugin", "new", "prior", "wobble", "--out", "."], { cwd: folder });
    assertSentence(ran, 1, "README.md is there already, and is left as it is");
    const unwritable = await run(["plugin", "new", "prior", "wobble", "--out", "README.md/x"], { cwd: folder });
    assertSentence(unwritable, 1, "Cannot write a new prior: ");
    assertEquals(await files(folder), ["README.md"]);
    const denied = await cli(["plugin", "new", "prior", "wobble"], { cwd: folder, without: "--allow-write" });
    assertSentence(denied, 1, "Cannot write a new prior: ");
  });
});

Deno.test("plugin check: a line a check, grouped, with a summary; exit code 1 where one fails", async () => {
  await withFolder(async (folder) => {
    const faults: [name: string, source: string, sentence: RegExp][] = [
      [
        "chance",
        priorSource("x", { draw: "out.patches.fill(Math.random());" }),
        /FAIL {2}uses no random numbers.*\n.*got a call of Math.random\(\)/,
      ],
      [
        "clock",
        priorSource("x", { draw: "if (Date.now() < 0) out.patches.fill(0);" }),
        /FAIL {2}uses no random numbers.*\n.*got a call of Date.now\(\)/,
      ],
      [
        "inputs",
        priorSource("x", { draw: "measurements.patches[0] = 0;" }),
        /FAIL {2}writes only to its output.*\n.*got a change of measurements.patches/,
      ],
      [
        "throws",
        priorSource("x", { draw: 'throw new Error("tired");' }),
        /FAIL {2}draws for an image.*\n.*got: tired \(line \d+\)\n/,
      ],
      [
        "unfilled",
        priorSource("x", { draw: "out.patches[1] = NaN;" }),
        /FAIL {2}fills every patch.*\n.*unfilled ones or NaN/,
      ],
      [
        "disposed",
        priorSource("x", { before: "let d = 0;" }).replace(
          "return {\n          draw",
          'return {\n dispose() { if (d++) throw new Error("twice"); },\n draw',
        ),
        /FAIL {2}can be disposed of twice.*\n.*twice/,
      ],
      ["option", priorSource("x", { create: "first = 8;" }), /FAIL {2}listens to option "first"/],
      ["rho", priorSource("x"), /FAIL {2}draws nearer to the measured patch for a larger rho/],
      [
        "context",
        priorSource("x"),
        /FAIL {2}listens to contexts .*\n.*`lrDistance` compares LR patches with their con/,
      ],
    ];
    for (const [name, source] of faults) await Deno.writeTextFile(join(folder, `${name}.ts`), source);
    const { code, stdout, stderr } = await cli(["plugin", "check", ...faults.map(([name]) => `./${name}.ts`)], {
      cwd: folder,
    });
    // Where it takes more than some seconds: how much is done, and the check that is being run.
    assertMatch(stderr, /^(Checking: \d+ %.*: (loading|prior "x" of) .*\n)*$/);
    assertEquals(code, 1);
    const groups = stdout.split("\n\n");
    assertEquals(groups.length, faults.length);
    for (const [i, [name, , sentence]] of faults.entries()) {
      assert(groups[i].startsWith(`prior "x" of ./${name}.ts\n  ok    is a prior of api 1\n`), groups[i]);
      assertMatch(groups[i], sentence);
      assertMatch(groups[i], /\n\d+ of \d+ checks passed\n?$/);
    }
    await Deno.writeTextFile(join(folder, "made.ts"), priorSource("x", { create: "throw new Error('no licence');" }));
    const made = await run(["plugin", "check", "./made.ts"], { cwd: folder });
    assertMatch(made.stdout, /FAIL {2}is created\n {8}failed in create: no licence \(line \d+\)\n/);
    // What is thrown in many checks is said once.
    const throws = groups.find((group) => group.includes("./throws.ts"))!;
    const [, checks, line] = /\n {2}FAIL {2}(\d+) other checks, by the same error: tired \(line (\d+)\)\n/.exec(
      throws,
    )!;
    assertEquals([throws.split("tired").length, throws.split("FAIL").length], [3, 3], throws);
    assert(Number(checks) > 20 && Number(line) > 10, throws);
    // Excused with a reason, the last one passes; the others do not.
    const excuse = ["--ignores-rho", "it takes any image", "--samples-only", "all are as likely"];
    excuse.push("--ignores-context", "it compares nothing");
    for (const more of [[], ["--sandbox"]]) {
      const ran = await run(["plugin", "check", "./rho.ts", ...excuse, ...more], { cwd: folder });
      assertEquals([ran.code, ran.stdout.includes("FAIL")], [0, false], ran.stdout);
    }
    // The error says that the sandbox refused, without advice to allow more.
    await Deno.writeTextFile(
      join(folder, "writes.ts"),
      priorSource("x", { draw: 'Deno.writeTextFileSync("stolen", "x");' }),
    );
    const refused = await run(["plugin", "check", "./writes.ts", "--sandbox"], { cwd: folder });
    assertEquals([refused.code, /run again with|Requires/.test(refused.stdout)], [1, false], refused.stdout);
    assertMatch(refused.stdout, /Cannot use Deno.writeTextFileSync in a sandbox \(line \d+\)/);
    const json = await run(["plugin", "check", "./rho.ts", "--json"], { cwd: folder }),
      [found] = JSON.parse(json.stdout);
    assertEquals([json.code, found.kind, found.name, found.from], [1, "prior", "x", "./rho.ts"]);
    const failed = found.checks.filter(({ error }: { error?: string }) => error);
    assertEquals(failed.length, 6, "rho, contexts and zStep, on both sets of kernels");
    assertSentence(await run(["plugin", "check", "./none.ts"], { cwd: folder }), 1, "Cannot load the plugin ./none.ts");
  });
});

Deno.test("plugin new, check, list: paths are relative to the folder where deno task was called", async () => {
  await withFolder(async (given) => {
    // As `deno task` runs them: in the root of the checkout, with the user's folder in INIT_CWD.
    const folder = await Deno.realPath(given), cwd = fromFileUrl(new URL("../../../../", import.meta.url));
    const env = { INIT_CWD: folder };
    const started = await cli(["plugin", "new", "context", "far-ring"], { cwd, env });
    const path = join(folder, "far-ring", "far_ring.ts");
    assertEquals([started.code, (await files(folder)).includes("far-ring/far_ring.ts")], [0, true], started.stderr);
    assertStringIncludes(started.stdout, `  deno task plugin check ${path}\n`);
    for (const more of [[], ["--sandbox"]]) {
      const checked = await cli(["plugin", "check", "./far-ring", ...more], { cwd, env });
      assertEquals([checked.code, checked.stdout.split("\n")[0]], [0, `context "far-ring" of ${path}`], checked.stderr);
    }
    const listed = await cli(["plugin", "list", "--plugin", "./far-ring/far_ring.ts"], { cwd, env });
    assertStringIncludes(listed.stdout, `  far-ring (${path}): `);
    const missing = await cli(["plugin", "check", "./none.ts"], { cwd, env }), none = join(folder, "none.ts");
    assertSentence(missing, 1, `Cannot load the plugin ${none}: there is no file ${none}`);
    // Outside of the checkout the working directory is the user's, whatever a program around it has left in INIT_CWD.
    const direct = await cli(["plugin", "check", "./far_ring.ts"], { cwd: join(folder, "far-ring"), env });
    assertEquals(
      [direct.code, direct.stdout.split("\n")[0]],
      [0, 'context "far-ring" of ./far_ring.ts'],
      direct.stderr,
    );
  });
});

Deno.test("plugin check: a folder stands for the one module that has its test beside it; else the file is asked for", async () => {
  await withFolder(async (folder) => {
    const inside = join(folder, "near-by"),
      check = (path: string, ...more: string[]) => {
        return run(["plugin", "check", path, ...more], { cwd: folder });
      };
    await Deno.mkdir(inside);
    const asked = (path: string) => `Cannot load the plugin ${path}: it is a folder: name the plugin's file in it\n`;
    assertSentence(await check("./near-by"), 1, asked("./near-by"));
    for (const name of ["near_by.ts", "helper.ts"]) await Deno.writeTextFile(join(inside, name), contextSource("x"));
    assertSentence(await check("./near-by"), 1, asked("./near-by"));
    await Deno.writeTextFile(join(inside, "near_by.test.ts"), "");
    for (const [path, file] of [["./near-by", "./near-by/near_by.ts"], [`${inside}//`, join(inside, "near_by.ts")]]) {
      for (const more of [[], ["--sandbox"]]) {
        const { code, stdout } = await check(path, ...more);
        assertEquals([code, stdout.split("\n")[0]], [0, `context "x" of ${file}`], stdout);
      }
    }
    await Deno.writeTextFile(join(inside, "helper.test.ts"), "");
    assertSentence(await check("./near-by"), 1, asked("./near-by"));
    const listed = await run(["plugin", "list", "--plugin", "./near-by"], { cwd: folder });
    assertSentence(listed, 1, asked("./near-by"));
    // Addresses are taken as they are. The error also says where an import of a folder leads.
    const address = await run(["plugin", "check", `file://${inside}`], { cwd: folder });
    const named = `Cannot load the plugin file://${inside}: it is a folder: name the plugin's file in it\n`;
    assertEquals([address.code, address.stderr], [1, named]);
    await Deno.writeTextFile(join(folder, "x.ts"), 'import "./near-by";');
    assertSentence(await check("./x.ts"), 1, `it imports ${await Deno.realPath(inside)}, which is a folder (line 1)\n`);
  });
});

Deno.test("plugin list --plugin FOLDER: what exports of deno.json or package.json names, else a sentence", async () => {
  await withFolder(async (folder) => {
    const own = join(folder, "packed"), list = ["plugin", "list", "--plugin", "./packed"];
    await Deno.mkdir(join(own, "src"), { recursive: true });
    await Deno.writeTextFile(join(folder, "beside.js"), priorSource("beside"));
    // The whole folder is the plugin's own, in a sandbox, too.
    await Deno.writeTextFile(join(own, "lib.ts"), "");
    await Deno.writeTextFile(join(own, "src/mod.ts"), priorSource("inside", { before: 'import "../lib.ts";' }));
    const right: [file: string, text: string][] = [
      ["deno.json", '{ "exports": "./src/mod.ts" }'],
      ["deno.json", '{ "exports": { ".": "./src/mod.ts", "./more": "./more.ts" } }'],
      ["package.json", '{ "exports": { ".": { "import": "./src/mod.ts" } } }'],
      ["package.json", '{ "exports": { "default": "./src/mod.ts" } }'],
    ];
    const cannot = "Cannot load the plugin ./packed: its ";
    const wrong: [file: string, text: string, sentence: string][] = [
      ["deno.json", '{ "exports": "../beside.js" }', `${cannot}deno.json exports ../beside.js, which is no file in it`],
      ["deno.json", '{ "exports": "./gone.ts" }', `${cannot}deno.json exports ./gone.ts, which is no file in it`],
      ["deno.json", "{", `${cannot}deno.json cannot be read: expected JSON`],
      ["deno.json", " ".repeat(2 ** 21), `${cannot}deno.json cannot be read: expected a file of at most 1048576 bytes`],
      ["package.json", "null", "it is a folder: name the plugin's file in it"],
    ];
    for (const [i, [file, text, sentence]] of [...right, ...wrong].entries()) {
      await Deno.writeTextFile(join(own, file), text);
      const ran = await run([...list, ...i % 2 ? ["--sandbox"] : []], { cwd: folder });
      if (sentence) assertSentence(ran, 1, sentence);
      else assertStringIncludes(ran.stdout, "  inside (./packed/src/mod.ts): ", ran.stderr);
      await Deno.remove(join(own, file));
    }
  });
});

Deno.test("plugin check: a name that a built-in plugin of that kind has fails, one of another kind does not", async () => {
  await withFolder(async (folder) => {
    await Deno.writeTextFile(join(folder, "taken.ts"), contextSource("square"));
    await Deno.writeTextFile(join(folder, "free.ts"), contextSource("sharpness"));
    const check = (path: string, ...more: string[]) => run(["plugin", "check", path, ...more], { cwd: folder });
    const sentence =
      'Cannot register context "square" of ./taken.ts: there is already one of that name, expected another name';
    for (const more of [[], ["--sandbox"]]) {
      const taken = await check("./taken.ts", ...more);
      assertEquals([taken.code, taken.stdout.match(/FAIL/g)?.length], [1, 1], taken.stdout);
      assertStringIncludes(taken.stdout, `\n  FAIL  has a name of its own\n        ${sentence}\n`);
    }
    // It is what a run says that is given the plugin.
    assertSentence(await run(["synth", "--quiet", "--plugin", "./taken.ts"], { cwd: folder }), 1, sentence);
    const free = await check("./free.ts");
    assertEquals([free.code, free.stdout.includes("  ok    has a name of its own\n")], [0, true], free.stdout);
  });
});

Deno.test("plugin list: every plugin with its options, those that are loaded with where from", async () => {
  await withFolder(async (folder) => {
    await withSources(folder, { "plain.ts": priorSource("plain") });
    const words = ["plugin", "list", "--plugin", "./plain.ts"], { code, stdout } = await run(words, { cwd: folder });
    assertEquals(code, 0);
    for (const { name, about } of builtins.plugins) assertStringIncludes(stdout, `  ${name}: ${about}\n`);
    assertStringIncludes(
      stdout,
      "  plain (./plain.ts): a patch of the same place of a random training image\n    first = 8: images",
    );
    const listed = JSON.parse((await run([...words, "--json"], { cwd: folder })).stdout);
    assertEquals(listed.length, builtins.plugins.length + 1);
    assertEquals([listed.at(-1).name, listed.at(-1).options.first.max], ["plain", 24]);
  });
});

Deno.test("tasks: plugin may read, write and run itself, profile read and run itself; plugin sees the folder that the user is in; neither the rest of the environment nor the net", () => {
  const least = ["run", "--quiet", "--no-prompt", "--allow-run", "--allow-read"], main = "hosts/deno/main.ts";
  assertEquals(taskWords("plugin"), [...least, "--allow-write", "--allow-env=INIT_CWD", main, "plugin"]);
  assertEquals(taskWords("profile"), [...least, main, "profile"]);
});

Deno.test("plugin new: the examples of its help name plugins that there are not", () => {
  for (const example of COMMAND.subcommands.new.examples) {
    const [kind, name] = example.split(" ").slice(4);
    assert(!builtins.plugins.some((own) => own.kind === kind && own.name === name), example);
  }
});
