import { assert, assertEquals, assertThrows } from "@std/assert";
import { during, markBuiltIn, nameOf, PluginError, said } from "../../core/plugin_error.ts";

const own = { kind: "prior", name: "wobble" } as const, loaded = { ...own, from: "./wobble.ts" };
markBuiltIn([own]);

Deno.test("nameOf: with where it was loaded from", () => {
  assertEquals([nameOf(own), nameOf(loaded)], ['prior "wobble"', 'prior "wobble" of ./wobble.ts']);
});

Deno.test("during: names the phase in which a loaded plugin throws, and keeps the error as the cause", () => {
  for (const thrown of [new TypeError("too shaky"), "too shaky", Object.freeze(new Error("too shaky"))]) {
    const fail = () => {
      throw thrown;
    };
    const error = assertThrows(() => during(loaded, () => "draw at (3, 4), layer 0", fail), Error);
    assertEquals(error.message, 'prior "wobble" of ./wobble.ts failed in draw at (3, 4), layer 0: too shaky');
    assert(error.cause === thrown);
    const silent = () => "no phase is asked for";
    try {
      during(own, silent, fail);
    } catch (same) {
      assert(same === thrown);
    }
  }
  assertEquals(during(loaded, "fit", () => 7), 7);
  // Of a program that was not loaded by a host, too.
  const written = { ...own };
  assertThrows(() => during(written, "dispose", () => own.name.at(9)!.at(0)), PluginError, "failed in dispose: ");
  const late = () => Promise.reject(new Error("late"));
  assertThrows(() => during(written, "fit", late), PluginError, "failed in fit: expected a result, got a promise");
});

Deno.test("said: whatever was thrown", () => {
  assertEquals([new Error("a"), new RangeError(), "b", undefined, { c: 1 }].map(said), [
    "a",
    "RangeError",
    "b",
    "it threw undefined, which is no error",
    'it threw {"c":1}, which is no error',
  ]);
});
