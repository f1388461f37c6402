import { assertEquals } from "@std/assert";
import { byteOf } from "../../core/bytes.ts";

Deno.test("bytes: rounded half up, clamped", () => {
  assertEquals([-1, 0, 0.5 / 255, 0.499 / 255, 0.5, 1, 2].map(byteOf), [0, 0, 1, 0, 128, 255, 255]);
});
