import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { profiles } from "../../../../datasets/profiles/mod.ts";
import { writePack } from "../../../../datasets/formats/pack.ts";
import { smallPack } from "../../../datasets/formats/packs.ts";
import { assertSentences, inSessions, withFolder, type Wrong } from "../cli.ts";
import { priorSource, withSources } from "../plugins/plugin_sources.ts";

const cli = inSessions("profile", "synth", "assess");
Deno.test("profile show: each profile as it is; what is printed is a profile for synth and assess", async () => {
  await withFolder(async (folder) => {
    for (const [name, profile] of Object.entries(profiles)) {
      const { code, stdout, stderr } = await cli(["profile", "show", name]);
      assertEquals([code, stderr, JSON.parse(stdout)], [0, "", JSON.parse(JSON.stringify(profile))]);
    }
    const pack = smallPack();
    await Deno.writeFile(join(folder, "small.loom"), writePack(pack));
    const packed = await cli(["profile", "show", "small.loom"], { cwd: folder });
    assertEquals([packed.code, packed.stderr, JSON.parse(packed.stdout)], [0, "", pack.profile]);
    const [synth, , , ...more] = await withSources(folder, {});
    const mine = {
      $schema: "./profile.schema.json",
      ...profiles.digits,
      name: "mine",
      prior: ["local-nn", { neighbours: 3 }],
    };
    await Deno.writeTextFile(join(folder, "mine.json"), JSON.stringify(mine));
    const ran = await cli([synth, "--profile", "mine.json", ...more], { cwd: folder });
    assertEquals(ran.code, 0, ran.stderr);
    const { profile } = JSON.parse(await Deno.readTextFile(join(folder, "out/run.json")));
    const { $schema: _, ...own } = mine;
    assertEquals(profile, JSON.parse(JSON.stringify(own)));
    const words = [
      "assess",
      "--profile",
      "mine.json",
      "--data",
      "data",
      "--images",
      "out",
      "--out",
      "scores",
      "--metric",
      "originality",
      "--json",
    ];
    const { code, stdout, stderr } = await cli(words, { cwd: folder });
    assertEquals([code, JSON.parse(stdout).profile], [0, "mine"], stderr);
  });
});

Deno.test("profile schema: has the options of a third-party plugin if it is given, and only then", async () => {
  await withFolder(async (folder) => {
    await withSources(folder, { "plain.ts": priorSource("plain") });
    const plain = await cli(["profile", "schema"]), more = ["--plugin", "./plain.ts"];
    assertEquals([plain.code, plain.stderr, plain.stdout.includes("images to draw from")], [0, "", false]);
    assertEquals(JSON.parse(plain.stdout).$schema, "https://json-schema.org/draft/2020-12/schema");
    const { stdout } = await cli(["profile", "schema", ...more], { cwd: folder });
    assertStringIncludes(stdout, "images to draw from; more: more variety");
    assertEquals((await cli(["profile", "schema", ...more, "--sandbox"], { cwd: folder })).stdout, stdout);
  });
});

Deno.test("profile: wrong words", async () => {
  const wrong: [string, string][] = [
    ["profile", "profile needs a command (valid: show, schema)"],
    ["profile show digits --plugin ./x.ts", "profile show has no flag --plugin"],
    ["profile shwo digits", 'There is no command "profile shwo"; nearest: "show"'],
    [
      "profile show",
      "profile show takes one of digits, faces, faces-relit, colour-faces, colour-faces-relit, objects, texture, sprites, digits-paper, faces-paper, a file.json or a pack.loom",
    ],
    ["profile show digits faces", "profile show takes one of"],
    ["profile show digit", 'There is no profile "digit"; nearest: "digits"'],
    ["profile schema digits", 'profile schema takes flags only, got "digits"'],
  ];
  await assertSentences(wrong.map(([words, sentence]) => [words.split(" "), 2, sentence]));
});

Deno.test("--profile FILE: what is wrong with a file is one sentence, the same for synth, assess and profile show", async () => {
  await withFolder(async (folder) => {
    const own = profiles.digits, lines: Wrong[] = [];
    const wrong: [string | Uint8Array, string][] = [
      ["{", "The profile 0.json is not JSON: "],
      ["", "The profile 1.json is not JSON: "],
      ["null", "2.json: Cannot use the profile: expected an object, got null"],
      ["[]", "3.json: Cannot use the profile: expected an object, got []"],
      ["{}", '4.json: the profile lacks the entry "name"'],
      [JSON.stringify({ ...own, prio: 1 }), '5.json: the profile has an unknown entry "prio"; nearest: "prior"'],
      [JSON.stringify({ ...own, prior: ["local-nn", { neighbors: 5 }] }), 'prior "local-nn" has no option "neighbors"'],
      [JSON.stringify({ ...own, prior: "wobble" }), 'There is no prior "wobble" (valid: '],
      [
        JSON.stringify({ ...own, prior: "wobble" }),
        '--plugin FILE loads one of your own, and so does the entry "plugins"',
      ],
      [
        JSON.stringify({ ...own, plugins: "./x.ts" }),
        'expected "plugins" to be a list of texts such as "./my_prior.ts"',
      ],
      [
        JSON.stringify({ ...own, layers: [] }),
        "Cannot use layers of the profile: expected a list of one or more layers",
      ],
      [new Uint8Array([0xff, 0xfe, 0x7b, 0, 0x7d, 0]), "The profile 11.json is UTF-16: save it as UTF-8"],
      [JSON.stringify({ ...own, size: 33 }), "12.json: Cannot use size of the profile: expected a multiple of 8"],
      ['["profile"]', '13.json: Cannot use the profile: expected an object, got ["profile"]'],
      ...["[", '{"a":'].map((open, i): [string, string] => [
        `{"name": "x", "plugins": ["./x.ts"], "a": ${open.repeat(100_000)}${"0"}${"]}"[i].repeat(100_000)}}`,
        `Cannot use the profile ${14 + i}.json: expected lists and objects at most 32 deep, got 100001`,
      ]),
    ];
    const given = (file: string) => [
      ...[["synth"], ["assess", "--images", "x"]].map((words) => [...words, "--profile", file]),
      ["profile", "show", file],
    ];
    for (const [n, [text, sentence]] of wrong.entries()) {
      await Deno.writeFile(join(folder, `${n}.json`), typeof text === "string" ? new TextEncoder().encode(text) : text);
      lines.push(...given(`${n}.json`).map((words): Wrong => [words, 2, sentence]));
    }
    lines.push(...given("NONE.JSON").map((words): Wrong => [words, 1, "Cannot read the profile NONE.JSON: "]));
    lines.push(...given("none.json").map((words): Wrong => [words, 1, "Cannot read the profile none.json: "]));
    await Deno.mkdir(join(folder, "folder.json"));
    lines.push(...given("folder.json").map((words): Wrong => [words, 1, "expected a file, got a folder"]));
    await assertSentences(lines, { cwd: folder });
  });
});

Deno.test("--profile FILE: the plugins that it names are found beside it, and run in a sandbox unless --plugin names them", async () => {
  await withFolder(async (folder) => {
    await Deno.mkdir(join(folder, "deep"));
    const synth = await withSources(folder, { "deep/plain.ts": priorSource("plain") });
    const mine = { ...profiles.digits, prior: "plain", plugins: ["./plain.ts"] };
    await Deno.writeTextFile(join(folder, "deep/mine.json"), JSON.stringify(mine));
    const words = [...synth.slice(0, 2), "deep/mine.json", "--count", "2", "--threads", "1"], at = { cwd: folder };
    const named = await cli([...words, "--out", "named"], at);
    assertEquals(named.code, 0, named.stderr);
    assert(named.stderr.startsWith('Plugin: prior "plain" of ./deep/plain.ts, in a sandbox\n'), named.stderr);
    const given = await cli([...words, "--plugin", "./deep/plain.ts", "--out", "given"], at);
    assert(given.stderr.startsWith('Plugin: prior "plain" of ./deep/plain.ts\n'), given.stderr);
    // The record names the plugin: the run is made again without the profile's file.
    await Deno.remove(join(folder, "deep/mine.json"));
    const again = await cli(["synth", "--run", "named", "--out", "again"], at);
    assert(again.stderr.includes("byte-identical to those of the run"), again.stderr);
  });
});

Deno.test("synth --prior: options of the profile carry over to a prior that has them, the others do not", async () => {
  await withFolder(async (folder) => {
    const neighbours = priorSource("near").replaceAll("first", "neighbours");
    const synth = await withSources(folder, { "plain.ts": priorSource("plain"), "near.ts": neighbours });
    const mine = { ...profiles.digits, prior: ["local-nn", { neighbours: 3 }] };
    await Deno.writeTextFile(join(folder, "mine.json"), JSON.stringify(mine));
    const words = [...synth.with(2, "mine.json"), "--quiet", "--plugin", "./plain.ts", "--plugin", "./near.ts"];
    const cases: [string[], object][] = [
      [["--prior", "near"], { name: "near", neighbours: 3 }],
      [["--prior", "near", "--set", "prior.neighbours=2"], { name: "near", neighbours: 2 }],
      [["--prior", "plain"], { name: "plain", first: 8 }],
      [["--prior", "local-nn"], { name: "local-nn", neighbours: 3, hubPenalty: 0, bonus: 0 }],
      [["--prior", "spatially-invariant"], { name: "spatially-invariant", neighbours: 3 }],
    ];
    for (const [more, prior] of cases) {
      const ran = await cli([...words, ...more], { cwd: folder });
      assertEquals([ran.code, ran.stderr], [0, ""]);
      assertEquals(JSON.parse(await Deno.readTextFile(join(folder, "out/run.json"))).prior, prior);
    }
  });
});
