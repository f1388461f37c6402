import { assertEquals } from "@std/assert";
import { VERSION } from "../../core/version.ts";

import configuration from "../../deno.json" with { type: "json" };

Deno.test("version: that of deno.json", () => {
  assertEquals(VERSION, configuration.version);
});
