import { assertEquals } from "@std/assert";
import { noiseLevels } from "../../../core/schedule.ts";
import { CALIBRATED_WINDOWS } from "../../../datasets/profiles/windows.ts";

Deno.test("CALIBRATED_WINDOWS: 20 odd sides each, none wider than the one before", () => {
  for (const windows of Object.values(CALIBRATED_WINDOWS)) {
    assertEquals(noiseLevels({ schedule: "cosine", steps: 20, windows }).map(({ window }) => window), [...windows]);
    assertEquals([...windows].sort((a, b) => b - a), [...windows]);
  }
});
