import { assertEquals, assertThrows } from "@std/assert";
import { createTar } from "nanotar";
import { readTar } from "../../../datasets/formats/tar.ts";

const text = new TextEncoder();

/** A tar file of entries, each a type, a name and its content. */
function tar(...entries: readonly (readonly [type: string, name: string, content: string])[]): Uint8Array {
  const blocks = entries.map(([type, name, content]) => {
    const bytes = text.encode(content), block = new Uint8Array(512 + Math.ceil(bytes.length / 512) * 512);
    const put = (at: number, value: string) => block.set(text.encode(value), at);
    put(0, name);
    put(124, bytes.length.toString(8).padStart(11, "0"));
    put(148, " ".repeat(8));
    put(156, type);
    put(257, "ustar\0");
    block.set(bytes, 512);
    put(148, block.subarray(0, 512).reduce((sum, byte) => sum + byte).toString(8));
    return block;
  });
  return Uint8Array.from([...blocks.flatMap((block) => [...block]), ...new Array(1024).fill(0)]);
}

const read = (bytes: Uint8Array) => readTar(bytes).map(({ name, bytes }) => [name, new TextDecoder().decode(bytes)]);

Deno.test("readTar: what another program wrote; files alone, by their names; a view of a longer buffer", () => {
  const files = [["a.png", "one"], ["folder/b.cls", ""], ["c", "x".repeat(513)]] as const;
  const bytes = createTar(files.map(([name, data]) => ({ name, data: text.encode(data) })));
  assertEquals(read(bytes), files.map((file) => [...file]));
  const longer = new Uint8Array(bytes.length + 900);
  longer.set(bytes, 700);
  assertEquals(read(longer.subarray(700, 700 + bytes.length)), files.map((file) => [...file]));
  const kinds = tar(["5", "folder/", ""], ["2", "link", ""], ["g", "all", "11 path=x\n"], ["0", "file", "content"]);
  assertEquals(read(kinds), [["file", "content"]]);
});

Deno.test("readTar: long names of GNU and of POSIX, also with a line break, which stays no line break", () => {
  const name = "n".repeat(120) + ".png";
  assertEquals(read(tar(["L", "././@LongLink", `${name}\0`], ["0", "short", "x"], ["0", "next", "y"])), [
    [name, "x"],
    ["next", "y"],
  ]);
  assertEquals(read(tar(["x", "pax", `130 path=${name}\n`], ["0", "short", "x"])), [[name, "x"]]);
  assertEquals(read(tar(["0", "a\u001b[2J\nb.png", "x"])), [["a [2J b.png", "x"]]);
  assertEquals(read(tar(["5", "./", ""], ["0", "./a.png", "x"], ["0", ".hidden", "y"])), [["a.png", "x"], [
    ".hidden",
    "y",
  ]]);
});

Deno.test("readTar: damaged headers and files that are cut off; a length of any kind never leads back", () => {
  const whole = tar(["0", "a.png", "content"]);
  assertThrows(() => readTar(whole.subarray(0, 515)), Error, "expected 7 bytes of a file, got 3");
  // Cut off between two files, or in the header of the next.
  for (const length of [0, 100, 512 + 512, 512 + 512 + 300]) {
    const found = tar(["0", "a.png", "content"], ["0", "b.png", "more"]).subarray(0, length);
    assertThrows(() => readTar(found), Error, "expected a block of zeros behind the last file, got the end");
  }
  // A record that is full: some programs write no end then.
  const full = tar(...Array.from({ length: 10 }, (_, n) => ["0", `${n}.png`, "x"] as const)).subarray(0, 10_240);
  assertEquals(readTar(full).length, 10);
  assertThrows(() => readTar(Uint8Array.from(whole).fill(65, 0, 1).fill(66, 1, 2)), Error, "expected the checksum");
  for (const length of ["-0000001000", "99999999999", "\u00ff\u00ff\u00ff\u00ff"]) {
    const bytes = tar(["0", "a", ""]);
    bytes.set(text.encode(length).subarray(0, 11), 124);
    bytes.fill(32, 148, 156);
    bytes.set(text.encode(bytes.subarray(0, 512).reduce((sum, byte) => sum + byte).toString(8)), 148);
    assertThrows(() => readTar(bytes), Error, "expected the length of a file");
  }
});
