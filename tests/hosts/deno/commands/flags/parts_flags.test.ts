import { assertEquals, assertThrows } from "@std/assert";
import { plan } from "../../../../../core/plan.ts";
import { digits } from "../../../../../datasets/profiles/digits.ts";
import { texture } from "../../../../../datasets/profiles/texture.ts";
import { UsageError } from "../../../../../hosts/deno/commands/flags/flags.ts";
import { readCount, readMinLl, readParts } from "../../../../../hosts/deno/commands/flags/parts_flags.ts";
import { builtins } from "../../../../../plugins/mod.ts";

const NONE = {
  "per-class": undefined,
  ll: false,
  "min-ll": undefined,
  shard: undefined,
  format: undefined,
  part: undefined,
  resume: false,
};

Deno.test("readParts: few images are single pictures; shards, formats and many images are parts", () => {
  assertEquals(readParts(NONE, 10_000), undefined);
  assertEquals(readParts({ ...NONE, format: "png" }, 16), undefined);
  const whole = { first: 0, end: 10_001 };
  assertEquals(readParts(NONE, 10_001), { shard: whole, format: "idx", partSize: undefined });
  assertEquals(readParts({ ...NONE, format: "png", part: "5" }, 10_001), { shard: whole, format: "png", partSize: 5 });
  const shard = (text: string) => readParts({ ...NONE, shard: text }, 20)?.shard;
  assertEquals([shard("1/3"), shard("3/3"), shard("4-4")].map((one) => [one?.first, one?.end]), [[0, 6], [13, 20], [
    4,
    5,
  ]]);
  assertEquals(readParts({ ...NONE, format: "parquet" }, 20), {
    shard: { first: 0, end: 20 },
    format: "parquet",
    partSize: undefined,
  });
});

/** Flags, and what the sentence about them must hold. */
const WRONG: readonly (readonly [flags: Partial<Parameters<typeof readParts>[0]>, ...texts: string[]])[] = [
  [{ shard: "3/2" }, "--shard 3/2", "N from 1 to M"],
  [{ shard: "0/2" }, "--shard 0/2"],
  [{ shard: "1/17" }, "at most 16 shards"],
  [{ shard: "5-16" }, "FIRST-LAST from 0 to 15"],
  [{ shard: "7-5" }, "--shard 7-5"],
  [{ shard: "half" }, "--shard half"],
  [{ shard: "1e3-2e3" }, "--shard 1e3-2e3"],
  [{ format: "jpeg" }, "--format jpeg", "png"],
  [{ shard: "1/2", part: "0" }, "--part 0"],
  [{ part: "4" }, "--part with single pictures"],
  [{ resume: true }, "--resume with single pictures"],
];

Deno.test("readParts, readCount, readMinLl: what makes no sense is one sentence", () => {
  for (const [flags, ...texts] of WRONG) {
    for (const text of texts) assertThrows(() => readParts({ ...NONE, ...flags }, 16), UsageError, text);
  }
  const count = (flags: object, classes: (number | undefined)[] = [1, 2]) => readCount({ ...NONE, ...flags }, classes);
  assertEquals([count({}), count({ count: "7" }), count({ "per-class": "7" })], [16, 7, 14]);
  assertThrows(() => count({ count: "4", "per-class": "3" }), UsageError, "--per-class with --count");
  assertThrows(() => count({ "per-class": "3" }, [undefined]), UsageError, "one model of all images");
  assertThrows(() => count({ "per-class": "0" }), UsageError, "--per-class 0");
  assertThrows(() => count({ count: "4294967297" }), UsageError, "--count 4294967297");

  const least = (flags: object, profile: Parameters<typeof plan>[0] = digits) =>
    readMinLl({ ...NONE, ...flags }, plan(profile, builtins));
  assertEquals([least({}), least({ ll: true }), least({ "min-ll": "-80.5" })], [undefined, -Infinity, -80.5]);
  for (const text of ["likely", "-Infinity", " "]) {
    assertThrows(() => least({ "min-ll": text }), UsageError, "--min-ll");
  }
  assertThrows(() => least({ ll: true }, texture), UsageError, "Cannot use --ll: expected a profile of aligned");
});
