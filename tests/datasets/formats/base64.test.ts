import { assertEquals } from "@std/assert";
import { fromBase64, toBase64 } from "../../../datasets/formats/base64.ts";

Deno.test("toBase64: every byte, every length around a group of three and around a block, as the engine writes it", () => {
  for (const length of [0, 1, 2, 3, 4, 256, 0x2000 - 1, 0x2000, 0x2000 + 1, 100_000]) {
    const bytes = Uint8Array.from({ length }, (_, i) => 255 - i % 256);
    assertEquals(fromBase64(toBase64(bytes)), bytes);
    assertEquals(toBase64(bytes), (bytes as Uint8Array & { toBase64(): string }).toBase64(), `${length}`);
  }
});
