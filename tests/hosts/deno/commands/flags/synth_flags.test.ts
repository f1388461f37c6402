import { assertEquals, assertThrows } from "@std/assert";
import { MAX_ORIGINALITY } from "../../../../../core/limits.ts";
import { FORMATS } from "../../../../../pipelines/shards/formats.ts";
import { readFlags, UsageError } from "../../../../../hosts/deno/commands/flags/flags.ts";
import {
  checkFlagsOfPage,
  readRepeatedRequest,
  readRunRequest,
  SYNTH_FLAGS,
  type SynthFlags,
} from "../../../../../hosts/deno/commands/flags/synth_flags.ts";
import { readRecordedRequest, recordedRequest } from "../../../../../hosts/deno/runs/run_request.ts";
import { RequestError } from "../../../../../hosts/deno/system/request_error.ts";

function given(words: string): SynthFlags {
  const read = readFlags(words === "" ? [] : words.split(" "), { ...NAMED, flags: SYNTH_FLAGS });
  if (read === "help") throw new Error("help");
  return read.given;
}
const NAMED = { name: "synth", about: "", examples: [] };
const requestOf = (words: string) => readRunRequest(given(words));

Deno.test("synth's formats are those of parts", () => assertEquals(SYNTH_FLAGS.format.value, FORMATS.join("|")));

Deno.test("synth: a run records the values of flags that its profile has not", () => {
  assertEquals(recordedRequest(requestOf("--profile digits --prior gmm --set prior.components=3 --out a --quiet")), {});
  const words =
    "--profile x.json --size 30x20 --count 7 --seed 3 --class 2 --data d --from model --mirror --warp 2 --morph 3 " +
    "--without 1,2 --without 3 --dependencies --ll --min-ll -80.5 --background black --shard 2/3 --format parquet " +
    "--part 5 --sheet new --plugin ./a.ts --sandbox --tile x --min-originality 0.9 --max-structure 0.5 --z-step map --context none";
  const recorded = recordedRequest(requestOf(words));
  assertEquals(recorded, {
    size: { height: 20, width: 30 },
    count: 7,
    seed: 3,
    class: "2",
    data: "d",
    from: "model",
    mirror: true,
    warp: 2,
    without: ["1,2", "3"],
    dependencies: true,
    ll: true,
    minLl: -80.5,
    background: "black",
    plugin: ["./a.ts"],
    sandbox: true,
    shard: "2/3",
    format: "parquet",
    part: 5,
    sheet: "new",
  });
  // As JSON it is read again as it was.
  assertEquals(readRecordedRequest(JSON.parse(JSON.stringify(recorded))), recorded);
  // A pack is a profile and the data.
  assertEquals(recordedRequest(requestOf("--profile a.loom")), { data: "a.loom" });
  assertEquals(recordedRequest(requestOf("--profile a.loom --data b")), { data: "b" });
  assertEquals(recordedRequest(requestOf("--profile A.LOOM")), { data: "A.LOOM" });
});

Deno.test("synth --run ADDRESS: flags that would do nothing are refused", () => {
  checkFlagsOfPage(given("--run #pack=digits --data d --out o --force --threads 2 --quiet"));
  for (const flag of ["--seed 3", "--sheet new", "--json", "--engine env", "--set a=1", "--resume"]) {
    const sentence = `Cannot use ${flag.split(" ")[0]} with --run, which makes the picture of the page again`;
    assertThrows(() => checkFlagsOfPage(given(`--run #pack=digits ${flag}`)), UsageError, sentence);
  }
});

Deno.test("synth --run: places may differ, and nothing else", () => {
  const recorded = { count: 7, seed: 3, data: "old", plugin: ["./old.ts"] };
  // Plugins that only the record names run in a sandbox.
  const repeated = readRepeatedRequest(given("--run r --out o --threads 2 --json --resume"), recorded);
  assertEquals(repeated, { ...recorded, sandbox: true });
  const places = readRepeatedRequest(
    given("--run r --data new --plugin ./new.ts --shard 1/2 --part 9 --sheet atlas"),
    recorded,
  );
  assertEquals(places, { count: 7, seed: 3, data: "new", plugin: ["./new.ts"], shard: "1/2", part: 9, sheet: "atlas" });
  assertThrows(() => requestOf("--sheet old"), UsageError, "Cannot use --sheet old: expected compared or new or atlas");
  for (const flag of ["--seed 3", "--profile digits", "--mirror", "--without 3", "--format png"]) {
    const [name] = flag.split(" ");
    assertThrows(() => readRepeatedRequest(given(`--run r ${flag}`), recorded), UsageError, `Cannot use ${name} with`);
  }
});

Deno.test("synth: a value that is none is named", () => {
  for (
    const [words, sentence] of [
      ["--min-ll likely", "Cannot use --min-ll likely: expected a number"],
      ["--min-ll=-Infinity", "Cannot use --min-ll -Infinity"],
      ["--min-originality -1", "Cannot use --min-originality -1: expected a number from 0 to 10"],
      ["--min-originality 11", `expected a number from 0 to ${MAX_ORIGINALITY}`],
      ["--max-structure 1.5", "Cannot use --max-structure 1.5: expected a number from 0 to 1"],
      ["--max-structure much", "Cannot use --max-structure much: expected a number from 0 to 1"],
      ["--format jpeg", "Cannot use --format jpeg"],
      ["--shard 1/2 --part 0", "Cannot use --part 0: expected an integer"],
      ["--per-class 0", "Cannot use --per-class 0"],
      ["--count 4294967297", "Cannot use --count 4294967297"],
      ["--morph 101", "Cannot use --morph 101: expected an integer from 0 to 100"],
      ["--morph few", "Cannot use --morph few: expected an integer from 0 to 100"],
      ["--warp 1001", "Cannot use --warp 1001: expected an integer from 1 to 1000"],
    ]
  ) assertThrows(() => requestOf(words), RequestError, sentence);
});

Deno.test("a recorded request with a wrong entry is refused", () => {
  for (const wrong of [{ seed: "3" }, { size: "30x20" }, { plugin: "x" }, { mirror: false }, { cuont: 3 }]) {
    const [[name, value]] = Object.entries(wrong), sentence = `with the request ${name}: ${JSON.stringify(value)}`;
    assertThrows(() => readRecordedRequest(wrong), Error, sentence);
  }
});
