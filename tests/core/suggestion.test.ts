import { assert, assertEquals } from "@std/assert";
import { closestString } from "@std/text/closest-string";
import { stream } from "../../core/random.ts";
import { alike, bySimilarity, suggestion } from "../../core/suggestion.ts";

Deno.test("suggestion: the nearest name, and all of them", () => {
  assertEquals(suggestion("cuont", ["count", "seed"]), '; nearest: "count" (valid: count, seed)');
  assertEquals(suggestion("SEDE", ["count", "seed"]), '; nearest: "seed" (valid: count, seed)');
  assertEquals(suggestion("foo", ["none", "square"]), " (valid: none, square)");
  assertEquals(suggestion("faces", ["digits"]), " (valid: digits)");
  assertEquals(suggestion("./nodel", ["model"]), " (valid: model)");
  assertEquals(suggestion("x", []), " (there are none)");
});

Deno.test("alike: names that few slips or more letters make, and no others", () => {
  assertEquals(alike("frobnicate", ["ablate", "fill"]), []);
  assertEquals(alike("mymetric", ["symmetry", "spread"]), []);
  assertEquals(alike("count", ["out", "class", "set"]), []);
  assertEquals(alike("cuont", ["set", "count", "colour"]), ["count"]);
  assertEquals(alike("likelyhood", ["label", "likelihood"]), ["likelihood"]);
  assertEquals(alike("min-orig", ["morph", "min-originality"]), ["min-originality"]);
  assertEquals(alike("fra", ["near", "far"]), ["far"]);
  assertEquals(alike("mine", ["size"]), []);
  assertEquals(alike("neighbours", ["prior.neighbours", "noise"]), ["prior.neighbours"]);
  assertEquals(alike("no-quick", ["quick", "count"]), ["quick"]);
  assertEquals(alike("c", ["colour", "quick", "count"]), ["count", "colour"]);
  for (const word of ["", "a/b", "x".repeat(200)]) assertEquals(alike(word, ["x", "y"]), []);
});

const closest = (name: string, names: readonly string[]) => bySimilarity(name, names)[0];

Deno.test("bySimilarity: as near as what the standard library chooses", () => {
  const random = stream(1), below = (most: number) => Math.floor(random.next() * most);
  const word = () => {
    return Array.from({ length: 1 + below(7) }, () => "abcde"[below(5)]).join("");
  };
  for (let times = 0; times < 300; times++) {
    const name = word(), names = Array.from({ length: 4 }, word);
    const ours = closest(name, names), theirs = closestString(name, names);
    // Of equally near names either may be chosen: each then comes first in a list of its own.
    assertEquals([closest(name, [ours, theirs]), closest(name, [theirs, ours])], [ours, theirs]);
  }
});

Deno.test("bySimilarity: a wrong letter is nearer than two", () => assert(closest("abc", ["xbx", "abx"]) === "abx"));
