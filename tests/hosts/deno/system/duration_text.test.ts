import { assertEquals } from "@std/assert";
import { durationText } from "../../../../hosts/deno/system/duration_text.ts";

Deno.test("durationText: in the unit that is easy to take in", () => {
  const texts = [0.2, 59.5, 599, 600, 7199, 7200, 172_800, 86_400 * 1234].map(durationText);
  assertEquals(texts, ["1 s", "60 s", "599 s", "10 min", "120 min", "2 hours", "2 days", "1,234 days"]);
});
