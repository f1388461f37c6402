import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { join } from "@std/path";
import configuration from "../../../../../deno.json" with { type: "json" };
import { digits } from "../../../../../datasets/profiles/digits.ts";
import { readFlags, UsageError } from "../../../../../hosts/deno/commands/flags/flags.ts";
import { RequestError, wholeNumber } from "../../../../../hosts/deno/system/request_error.ts";
import { assertSentence, assertSentences, cli, files, smallData, withFolder } from "../../cli.ts";

const COMMAND = {
  name: "fold",
  about: "Folds paper.",
  flags: {
    count: { value: "N", about: "how many" },
    colour: { value: "NAME", about: "which", many: true },
    set: { value: "PAPER.NAME=VALUE", about: "change", many: true },
    quick: { about: "hurry" },
  },
  examples: ["fold --quick"],
} as const;

function read(...args: string[]) {
  const read = readFlags(args, COMMAND);
  if (read === "help") throw new Error("helped");
  const { count, colour, set, quick } = read.given;
  return [count, colour, quick, ...read.words, ...set];
}

Deno.test("readFlags: values, lists, switches and the rest", () => {
  assertEquals(read(), [undefined, [], false]);
  assertEquals(read("--count", "3", "--quick"), ["3", [], true]);
  assertEquals(read("--count=3"), ["3", [], false]);
  assertEquals(read("--count", "-1"), ["-1", [], false], "no flag -1");
  assertEquals(read("--count=-1e3"), ["-1e3", [], false]);
  assertEquals(read("--count", "007"), ["007", [], false], "texts, not numbers");
  assertEquals(read("--colour", "red", "--colour=a=b"), [undefined, ["red", "a=b"], false]);
  assertEquals(read("--set", "a.b=1", "--set=a.c=1=2"), [undefined, [], false, "a.b=1", "a.c=1=2"]);
  assertEquals(read("a", "--quick", "0x10", "--", "--count"), [undefined, [], true, "a", "0x10", "--count"]);
});

Deno.test("readFlags: wrong words are named, with the nearest right one", () => {
  const wrong = (message: string, ...args: string[]) => assertThrows(() => read(...args), UsageError, message);
  wrong("--count needs a value: --count N", "--count");
  wrong("--count needs a value: --count N", "--count", "--quick");
  wrong("--count needs a value: --count N", "--count=");
  wrong("--colour needs a value: --colour NAME", "--colour", "red", "--colour", "");
  wrong("--count can be given only once, got 1 and 2", "--count", "1", "--count=2");
  wrong("--set can be given only once for a, got a=1 and a =2", "--set", "a=1", "--set=b=1", "--set", "a =2");
  wrong("--quick takes no value, got --quick=no", "--quick=no");
  wrong("fold has no flag --cuont; nearest: --count (--help lists all)", "--cuont", "3");
  wrong("fold has no flag --no-quick; nearest", "--no-quick");
  wrong("fold has no flag --count.x; nearest", "--count.x", "3");
  wrong("fold has no flag --__proto__ (", "--__proto__=3");
  wrong("fold has no flag -q; nearest: --quick (--help lists all)", "-q");
  wrong("fold has no flag -c; nearest: --count, --colour (--help lists all)", "-c");
  wrong("fold has no flag -3 (--help lists all)", "xxcount", "-3");
});

Deno.test("readFlags: a ~ that the shell has left is refused: it would name a folder", () => {
  const left = "the shell has left ~ as it is; write";
  const wrong = (message: string, ...args: string[]) => assertThrows(() => read(...args), UsageError, message);
  wrong(`Cannot use --count ~/a: ${left} --count $HOME/a, or --count ./~/a for a folder named ~`, "--count=~/a");
  wrong(`Cannot use --count ~: ${left} --count $HOME, or --count ./~ for`, "--count", "~");
  wrong(`Cannot use --colour ~/a: ${left}`, "--colour", "red", "--colour", "~/a");
  wrong(`Cannot use --colour map=~/a: ${left} --colour map=$HOME/a, or --colour map=./~/a`, "--colour", "map=~/a");
  wrong(`Cannot use ~/a b: ${left} $HOME/a b, or ./~/a b for`, "~/a b");
  wrong(`Cannot use ~/a: ${left}`, "--", "~/a");
  assertEquals(read("--count", "./~/a", "~user", "a~"), ["./~/a", [], false, "~user", "a~"]);
});

Deno.test("wholeNumber: whole numbers of a range, in words that say which", () => {
  for (const [text, value] of [["1", 1], ["64", 64], ["0x10", 16], ["1e1", 10]] as const) {
    assertEquals(wholeNumber("threads", text, 1, 64), value);
  }
  for (const text of ["0", "65", "1.5", "-1", "abc", "", " ", "NaN", "Infinity", "1e400", "2 3", "1n"]) {
    const sentence = `Cannot use --threads ${text}: expected an integer from 1 to 64`;
    assertThrows(() => wholeNumber("threads", text, 1, 64), RequestError, sentence);
  }
});

Deno.test("synth --help prints every flag", async () => {
  const { code, stdout, stderr } = await cli(["synth", "--help"]);
  assertEquals([code, stderr], [0, ""]);
  const flags =
    "profile run size count seed class data from prior context z-step set mirror warp morph without tile map min-originality max-structure dependencies per-class ll min-ll shard format part sheet resume background plugin sandbox threads engine engine-ca engine-key pack-url out force json quiet help debug"
      .split(" ");
  assertEquals([...stdout.matchAll(/^ {2}--([\w-]+)/gm)].map(([, name]) => name), flags);
  assertStringIncludes(stdout, "\nExamples:\n  deno task synth --profile faces\n");
});

Deno.test("-h and help NAME print the help of a command", async () => {
  const { stdout } = await cli(["synth", "--help"]);
  for (const words of [["synth", "-h"], ["help", "synth"]]) {
    assertEquals(await cli(words), { code: 0, stdout, stderr: "" });
  }
});

Deno.test("--version, -V and version print the version", async () => {
  for (const word of ["--version", "-V", "version"]) {
    assertEquals(await cli([word]), { code: 0, stdout: `patchloom ${configuration.version}\n`, stderr: "" });
  }
});

Deno.test("--help in place of a command lists the commands", async () => {
  for (const word of ["--help", "-h", "help"]) {
    const { code, stdout, stderr } = await cli([word]);
    assertEquals([code, stderr], [0, ""]);
    assertStringIncludes(stdout, "\nUsage: deno task COMMAND [FLAGS]; deno task COMMAND --help lists the flags\n");
    assertMatch(stdout, /\n {2}synth +Synthesize images/);
    const names = Object.entries(configuration.tasks).filter(([_, { command }]) =>
      command.includes(" hosts/deno/main.ts ")
    );
    assertEquals(
      [...stdout.matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name).sort(),
      names.map(([name]) => name).sort(),
    );
  }
});

/** Words, and what the sentence about them must hold. */
const WRONG: readonly (readonly [words: string, ...texts: string[]])[] = [
  ["", "Cannot run without a command: expected", "synth", "data"],
  ["sinth", 'no command "sinth"', '"synth"', "data"],
  ["constructor", 'no command "constructor"'],
  ["synth", "--profile", "digits", "faces"],
  ...["0", "-1", "1e10", "abc", "1.5", "NaN"].map((value) =>
    [`synth --profile digits --count ${value}`, `--count ${value}:`, "integer from 1 to 4294967296"] as const
  ),
  // The words that a flag takes besides names and numbers are among the valid ones.
  ["synth --profile digits-paper --z-step maap", '--z-step maap; nearest: "map" (valid: sample, map, mean)'],
  ["synth --profile digits-paper --context nonn", 'no context "nonn"; nearest: "none" (valid: square, ', ", none)"],
  ["synth --profile digits-paper --class ALL", "--class ALL: expected integers from 0 to 255", ", or all"],
  [
    "synth --profile digits-paper --without 99999",
    'Cannot leave out training image "99999": expected a number from 0 to ',
  ],
  ["synth --profile digits --count", "--count needs a value"],
  ["synth --profile digits --count --seed 1", "--count needs a value"],
  ["synth --profile digits --count 1 --count 2", "--count can be given only once", "1 and 2"],
  ["synth --profile digits --seed -1", "--seed -1:", "integer from 0"],
  ["synth --profile digits --seed 1e400", "--seed 1e400:", "integer from 0"],
  ["synth --profile digits --threads 0", "--threads 0:", "integer from 1 to 64"],
  ["synth --profile digits stray", '"stray"'],
  ["synth --profile digits --json=yes", "--json takes no value"],
  ["synth --profile digits --cuont 3", "no flag --cuont", "nearest: --count"],
  ["synth --profile digts", 'no profile "digts"', 'nearest: "digits"'],
  ["synth --profile digits --prior local-n", 'no prior "local-n"', 'nearest: "local-nn"'],
  ["synth --profile digits --context squar", 'no context "squar"', 'nearest: "square"', "horizontal"],
  ["synth --profile digits --from nose", "--from nose: there is no such file or folder", 'nearest: "noise"'],
  ["synth --profile digits --z-step median", "--z-step median", "valid: sample, map, mean"],
  ["synth --profile digits --set prior.neighbors=5", 'no option "neighbors"', 'nearest: "neighbours"'],
  ["synth --profile digits --set prior.neighbours=0", '"neighbours" on prior "local-nn"', "integer >= 1", "got 0"],
  ["synth --profile digits --set prior.neighbours=", '"neighbours" on prior "local-nn"', 'got ""'],
  ["synth --profile digits --set square.weigth=1", 'no option "weigth"', 'nearest: "weight"'],
  ["synth --profile digits --set local-nn.neighbours=5", 'expected "prior.neighbours", as local-nn is the prior'],
  ["synth --profile digits --set layers.0.local-nn.neighbours=5", 'expected "layers.0.prior.neighbours"'],
  [
    "synth --profile faces --set local-score.nearest=5",
    'expected "noise.denoiser.nearest", as local-score is the denoiser',
  ],
  ["synth --profile digits --set prior.neighbours", '"prior.neighbours"', "name=value"],
  ["synth --profile digits --set layers.9.window=1", '"layers.9.window"', 'no "9"', "0, 1, 2"],
  ["synth --profile digits --set layer.0.window=1", 'no "layer"', 'nearest: "layers"'],
  ["synth --profile digits --set layers.0.h.0=NaN", "layers.0.h.0", "finite number > 0", '"NaN"'],
  ["synth --profile digits --set __proto__.x=1", 'no "__proto__"'],
  ["synth --profile digits --set name=../above", "--out", "../above"],
  [
    "synth --profile digits --class 10",
    "Cannot use class 10, which has no training images",
    "0, 1, 2, 3, 4, 5, 6, 7, 8, 9",
  ],
  ["synth --profile digits --class three", "--class three:", "integer"],
  ["synth --profile digits --data unlabelled --class 1", "--class 1", "no labels"],
  ["synth --profile text.json", "text.json is not JSON"],
  ["synth --profile nan.json", "nan.json is not JSON: line ", " has NaN in place of a value"],
  ["synth --profile twice.json", "Cannot use the profile twice.json: line 3 has the entry", '"size" again'],
  ["synth --profile null.json", "expected an object, got null"],
  ["synth --profile list.json --prior local-nn", "expected an object, got [1]"],
  ["synth --profile hole.json", "layers.1.rho.2", "finite number > 0", "got null"],
  ["synth --profile words.json", "layers.0.h.1", "finite number > 0", 'got "16"'],
  ["synth --profile more.json", 'unknown entry "sise"', 'nearest: "size"'],
  ["synth --profile deeper.json", 'layers.2 has an unknown entry "windows"', 'nearest: "window"'],
];

Deno.test("wrong words: exit code 2, one sentence with what was wanted and found, and nothing is written", async () => {
  await withFolder(async (folder) => {
    const put = (name: string, text: string) => Deno.writeTextFile(join(folder, name), text);
    const changed = (change: (profile: { [name: string]: unknown; layers: Record<string, unknown>[] }) => void) => {
      const profile = JSON.parse(JSON.stringify(digits));
      change(profile);
      return JSON.stringify(profile, null, 2);
    };
    await put("text.json", "not a profile");
    await put("nan.json", changed(({ layers }) => layers[1].rho = ["NaN"]).replace('"NaN"', "NaN"));
    await put("twice.json", '{\n"size": 32,\n"size": 64\n}');
    await put("null.json", "null");
    await put("list.json", "[1]");
    await put("hole.json", changed(({ layers }) => (layers[1].rho as unknown[])[2] = null));
    await put("words.json", changed(({ layers }) => (layers[0].h as unknown[])[1] = "16"));
    await put("more.json", changed((profile) => profile.sise = 32));
    await put("deeper.json", changed(({ layers }) => layers[2].windows = 0));
    await smallData(join(folder, "unlabelled"));
    for (const split of ["train", "t10k"]) await Deno.remove(join(folder, `unlabelled/${split}-labels-idx1-ubyte`));

    const before = await files(folder), [[, ...none], ...wrong] = WRONG;
    assertSentence(await cli([]), 2, ...none);
    await assertSentences(wrong.map(([words, ...texts]) => [words.split(" "), 2, ...texts]), { cwd: folder });
    assertEquals(await files(folder), before);
  });
});

Deno.test("--debug prints the stack trace of an error", async () => {
  const { code, stderr } = await cli(["synth", "--profile", "digits", "--count", "0", "--debug"]);
  assertEquals(code, 2);
  assert(/Cannot use --count 0.*\n +at wholeNumber .*request_error\.ts:\d+/.test(stderr), stderr);
});
