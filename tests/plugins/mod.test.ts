import { assert, assertEquals } from "@std/assert";
import type { Options } from "../../core/plugin.ts";
import { optionValues, writtenValues } from "../../core/options.ts";
import { horizontal } from "../../plugins/contexts/horizontal.ts";
import { square } from "../../plugins/contexts/square.ts";
import { builtins } from "../../plugins/mod.ts";
import { localNn } from "../../priors/local_nn.ts";

Deno.test("builtins: finds each plugin under its file's name", () => {
  assert(builtins.find("prior", "local-nn") as unknown === localNn);
  assert(builtins.find("context", "square") as unknown === square);
  assert(builtins.find("context", "horizontal") as unknown === horizontal);
});

Deno.test("builtins: names of words and hyphens, a line about each and its options, defaults that it accepts itself", () => {
  const isLine = (text: string) => text.length > 0 && !text.includes("\n");
  for (const plugin of builtins.plugins) {
    const options = Object.entries(plugin.options as Options);
    assert(/^[a-z]+(-[a-z]+)*$/.test(plugin.name) && isLine(plugin.about), plugin.name);
    assert(options.every(([, { about }]) => isLine(about)), plugin.name);
    const defaults = Object.fromEntries(options.map(([name, option]) => [name, option.default]));
    assertEquals(optionValues(plugin, writtenValues(plugin, defaults)), optionValues(plugin, {}));
  }
});
