import { assert, assertEquals, assertThrows } from "@std/assert";
import { type AnyPlugin, definePlugin } from "../../core/plugin.ts";
import { registry } from "../../core/registry.ts";

const context = (name: string) =>
  definePlugin({ api: 1, kind: "context", name, about: "", options: {}, create: () => ({ mask: () => [] }) });
const prior = definePlugin({
  api: 1,
  kind: "prior",
  name: "square",
  about: "",
  options: {},
  create: () => ({ fit: () => ({ draw() {} }) }),
});

Deno.test("registry: finds by kind and name; with() makes a larger one and leaves the first alone", () => {
  const square = context("square"), ring = context("ring"), small = registry(prior, square), large = small.with(ring);
  assert(small.find("prior", "square") as unknown === prior && small.find("context", "square") as unknown === square);
  assert(large.find("context", "ring") as unknown === ring && large.find("context", "square") as unknown === square);
  assertEquals([small.plugins.length, large.plugins.length], [2, 3]);
  assertThrows(() => small.find("context", "ring"), Error, "There is no context");
});

Deno.test("registry: a second of the same kind and name is refused, and so is another api", () => {
  const twice = 'Cannot register context "ring": there is already one of that name, expected another name';
  assertThrows(() => registry(context("ring"), context("ring")), Error, twice);
  assertThrows(() => registry(context("ring")).with(context("square"), context("ring")), Error, twice);
  const old = { ...context("ring"), api: 2 } as unknown as AnyPlugin;
  assertThrows(() => registry(old), Error, 'Cannot register context "ring": expected api 1, got 2');
});

Deno.test("find: a wrong name is answered with the nearest and all valid names of that kind", () => {
  const plugins = registry(prior, context("horizontal"), context("ring"));
  assertThrows(
    () => plugins.find("context", "horisontal"),
    Error,
    'There is no context "horisontal"; nearest: "horizontal" (valid: horizontal, ring)',
  );
  // Of the other kind it would be there; names of objects are no names of plugins.
  for (const name of ["square", "", "toString", "__proto__"]) {
    assertThrows(() => plugins.find("context", name), Error, `There is no context "${name}"`);
  }
  assertThrows(() => registry().find("prior", "x"), Error, 'There is no prior "x" (there are none)');
});
