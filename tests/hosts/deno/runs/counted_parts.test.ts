import { assertEquals, assertThrows } from "@std/assert";
import { plan } from "../../../../core/plan.ts";
import { digits } from "../../../../datasets/profiles/digits.ts";
import { texture } from "../../../../datasets/profiles/texture.ts";
import { countOf, minLlOf, partsOf } from "../../../../hosts/deno/runs/counted_parts.ts";
import { RequestError } from "../../../../hosts/deno/system/request_error.ts";
import { builtins } from "../../../../plugins/mod.ts";

Deno.test("partsOf: few images are single pictures; shards, formats and many images are parts", () => {
  assertEquals(partsOf({}, 10_000), undefined);
  assertEquals(partsOf({ format: "png" }, 16), undefined);
  const whole = { first: 0, end: 10_001 };
  assertEquals(partsOf({}, 10_001), { shard: whole, format: "idx", partSize: undefined });
  assertEquals(partsOf({ format: "png", part: 5 }, 10_001), { shard: whole, format: "png", partSize: 5 });
  const shard = (text: string) => partsOf({ shard: text }, 20)?.shard;
  assertEquals([shard("1/3"), shard("3/3"), shard("4-4")].map((one) => [one?.first, one?.end]), [[0, 6], [13, 20], [
    4,
    5,
  ]]);
  assertEquals(partsOf({ format: "parquet" }, 20), {
    shard: { first: 0, end: 20 },
    format: "parquet",
    partSize: undefined,
  });
});

/** Requests, and what the sentence about them must hold. */
const WRONG: readonly (readonly [request: Partial<Parameters<typeof partsOf>[0]>, ...texts: string[]])[] = [
  [{ shard: "3/2" }, "--shard 3/2", "N from 1 to M"],
  [{ shard: "0/2" }, "--shard 0/2"],
  [{ shard: "1/17" }, "at most 16 shards"],
  [{ shard: "5-16" }, "FIRST-LAST from 0 to 15"],
  [{ shard: "7-5" }, "--shard 7-5"],
  [{ shard: "half" }, "--shard half"],
  [{ shard: "1e3-2e3" }, "--shard 1e3-2e3"],
  [{ part: 4 }, "--part with single pictures"],
];

Deno.test("partsOf, countOf, minLlOf: what makes no sense is one sentence", () => {
  for (const [request, ...texts] of WRONG) {
    for (const text of texts) assertThrows(() => partsOf(request, 16), RequestError, text);
  }
  const count = (request: object, classes: (number | undefined)[] = [1, 2]) => countOf(request, classes);
  assertEquals([count({}), count({ count: 7 }), count({ perClass: 7 })], [16, 7, 14]);
  assertThrows(() => count({ count: 4, perClass: 3 }), RequestError, "--per-class with --count");
  assertThrows(() => count({ perClass: 3 }, [undefined]), RequestError, "one model of all images");
  assertThrows(() => count({ perClass: 0 }), RequestError, "--per-class 0");
  assertThrows(() => count({ count: 4294967297 }), RequestError, "--count 4294967297");

  const least = (request: object, profile: Parameters<typeof plan>[0] = digits) =>
    minLlOf(request, plan(profile, builtins));
  assertEquals([least({}), least({ ll: true }), least({ minLl: -80.5 })], [undefined, -Infinity, -80.5]);
  assertThrows(() => least({ ll: true }, texture), RequestError, "Cannot use --ll: expected a profile of aligned");
});
