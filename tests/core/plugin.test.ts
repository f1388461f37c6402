import { assert, assertEquals } from "@std/assert";
import { definePlugin } from "../../core/plugin.ts";

Deno.test("definePlugin: the plugin itself, nothing added", () => {
  const plugin = {
    api: 1,
    kind: "context",
    name: "none",
    about: "",
    options: {},
    create: () => ({ mask: () => [] }),
  } as const;
  assert(definePlugin(plugin) === plugin);
});

Deno.test("definePlugin: the defaults of the options fix the types of the values", () => {
  const plugin = definePlugin({
    api: 1,
    kind: "context",
    name: "typed",
    about: "",
    options: {
      count: { default: 2, about: "" },
      loud: { default: false, about: "" },
      mode: { default: "far", choices: ["far", "near"], about: "" },
    },
    create({ count, loud, mode }) {
      count satisfies number;
      loud satisfies boolean;
      mode satisfies string;
      return { mask: () => [{ dx: count, dy: loud ? 1 : 0, weight: mode === "far" ? 0.5 : 1 }] };
    },
  });
  assertEquals(plugin.create({ count: 3, loud: true, mode: "near" }).mask(2, 4), [{ dx: 3, dy: 1, weight: 1 }]);
});
