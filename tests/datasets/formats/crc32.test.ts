import { assertEquals } from "@std/assert";
import { crc32 } from "../../../datasets/formats/crc32.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("crc32: the published check values, in one piece and in parts", () => {
  assertEquals(crc32(bytes("123456789")), 0xcbf43926);
  assertEquals(crc32(bytes("")), 0);
  assertEquals(crc32(bytes("The quick brown fox jumps over the lazy dog")), 0x414fa339);
  assertEquals(crc32(bytes("6789"), crc32(bytes("12345"))), 0xcbf43926);
});
